//! Triangle meshes: what they are made of, what is wrong with them, and what mends them.

mod mend;
mod shape;
mod topology;
mod triangle_mesh;

#[cfg(feature = "import")]
pub mod import;

pub use mend::Mended;
pub use shape::MeshShape;
pub use topology::{MeshReport, Topology};
pub use triangle_mesh::{MeshError, TriangleMesh};
