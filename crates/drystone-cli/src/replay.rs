//! Runs to look at: surfaces of bodies and their recorded motion, as glTF or inside a report.

mod gltf;
mod recording;
mod report;
mod surface;

pub use gltf::to_gltf;
pub use recording::Recording;
pub use report::{ReplayRun, to_html};
pub use surface::Surface;
