use crate::{LoadError, Loaded, Overrides, bundled_scenes, prepare_from};
use drystone::Registry;
use drystone_core::near_name;
use drystone_scene::Document;
use std::path::Path;

/// Reads a scene, from a file or a bundled one by its name, and builds its world.
///
/// # Errors
/// [`LoadError::Scene`] with every fault found; [`LoadError::Input`] for overrides that do not fit; [`LoadError::World`].
pub fn load(scene: &str, overrides: &Overrides) -> Result<Loaded, LoadError> {
    load_from(&Registry::default(), scene, overrides)
}

/// The same with the contents of a registry.
///
/// # Errors
/// As [`load`].
pub fn load_from(registry: &Registry, scene: &str, overrides: &Overrides) -> Result<Loaded, LoadError> {
    prepare_from(registry, open(scene)?, overrides)?.finish()
}

/// Opens a file, or a bundled scene if there is no such file.
///
/// # Errors
/// [`LoadError::Scene`] for a file that cannot be read, or is neither TOML nor JSON; [`LoadError::Input`] if there is neither a file nor a scene of that name.
pub fn open(scene: &str) -> Result<Document, LoadError> {
    if Path::new(scene).exists() {
        return Ok(Document::from_path(scene)?);
    }
    let all = bundled_scenes();
    if let Some(bundled) = all.iter().find(|b| b.name == scene) {
        return Ok(Document::from_toml_str(bundled.text)?);
    }
    let near = near_name(scene, all.iter().map(|b| b.name));
    let hint = near.map(|name| format!(" (did you mean '{name}'?)")).unwrap_or_default();
    let message = format!(
        "{scene}: no such file, and no bundled scene of that name{hint}; allowed: a file, or a scene of 'drystone list'"
    );
    Err(LoadError::Input(message))
}
