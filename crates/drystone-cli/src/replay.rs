//! Runs to look at: surfaces of bodies and their recorded motion, as glTF or inside a report.

mod gltf;
mod recording;
mod report;

pub use crate::page::Look;
pub use drystone_session::Surface;
pub use gltf::to_gltf;
pub use recording::{Note, Recording};
pub use report::{Failed, ReplayRun, Report, to_html};
