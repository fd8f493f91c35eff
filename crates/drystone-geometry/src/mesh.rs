//! Triangle meshes: their data, their faults, mending, and what collision detection precomputes for them.

mod distance_map;
mod faults;
mod height_field;
mod inner_balls;
mod mend;
mod parts;
mod placed_map;
mod pseudonormals;
mod report;
mod samples;
mod shape;
mod sphere_tree;
mod topology;
mod triangle_mesh;

#[cfg(feature = "import")]
pub mod import;

pub use distance_map::SignedDistanceMap;
pub use faults::MeshFault;
use inner_balls::inner_balls;
pub use mend::Mended;
pub use placed_map::PlacedMap;
pub use pseudonormals::{MeshDistance, Pseudonormals};
pub use report::MeshReport;
pub use samples::{SampleRules, sample_points};
use samples::{flat_middles, longest_sharp_edge};
pub use shape::{MapSettings, MeshShape};
pub use sphere_tree::SphereTree;
pub use topology::Topology;
pub use triangle_mesh::{MeshError, TriangleMesh};
