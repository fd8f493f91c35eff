use drystone_geometry::MapSettings;
use drystone_math::Real;
use std::path::PathBuf;

/// A mesh file and what is made of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MeshSource {
    pub(super) path: PathBuf,
    pub(super) settings: Settings,
}

/// Scale and mapping of a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Settings {
    pub(super) scale: Real,
    pub(super) map: Option<MapSettings>,
}
