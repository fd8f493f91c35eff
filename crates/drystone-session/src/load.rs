use crate::{bundled_scenes, prepare_from};
use drystone::{Registry, World, WorldError};
use drystone_core::near_name;
use drystone_scene::{Document, JointEntry, MaterialEntry, SceneFaults};
use std::path::Path;
use thiserror::Error;

/// What is changed about a scene from outside.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// Another preset.
    pub paradigm: Option<String>,
    /// `PATH=VALUE`.
    pub set: Vec<String>,
    /// Threads; one where not given.
    pub threads: Option<usize>,
    /// Seed of what is random.
    pub seed: u64,
}

/// A scene with the world built from it.
pub struct Loaded {
    /// The world at its initial state.
    pub world: World,
    /// Names of the bodies, in column order.
    pub names: Vec<String>,
    /// Names of the joints, in the order of the configuration.
    pub joint_names: Vec<String>,
    /// What the joints were built from, in the same order.
    pub joints: Vec<JointEntry>,
    /// The materials, in the order of the configuration.
    pub materials: Vec<MaterialEntry>,
    /// The scene's name.
    pub name: String,
    /// What it shows.
    pub description: String,
    /// Where its numbers come from.
    pub source: String,
    /// Simulated time (s).
    pub duration: f64,
    /// Time between recorded frames (s).
    pub frame: f64,
    /// Time step (s).
    pub time_step: f64,
    /// The preset's name.
    pub paradigm: String,
    /// Threads in use.
    pub threads: usize,
    /// What is allowed and odd about the scene, and what of it was left out, in words for the user.
    pub warnings: Vec<String>,
    /// Told the time (s) before each step of a run.
    pub before_step: Option<Box<dyn FnMut(f64) + Send>>,
}

/// Why a scene could not be loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The scene is faulty: one line a fault.
    #[error("{0}")]
    Scene(#[from] SceneFaults),
    /// What was set from outside does not fit.
    #[error("{0}")]
    Input(String),
    /// The world does not take what the scene describes.
    #[error("{scene}: {error}")]
    World {
        /// The scene's name.
        scene: String,
        /// Why.
        error: WorldError,
    },
}

/// Reads a scene, a file or a bundled one by its name, and builds its world.
///
/// # Errors
/// [`LoadError::Scene`] with every fault found; [`LoadError::Input`] for what was set and does not fit; [`LoadError::World`].
pub fn load(scene: &str, overrides: &Overrides) -> Result<Loaded, LoadError> {
    load_from(&Registry::default(), scene, overrides)
}

/// The same with what a registry has.
///
/// # Errors
/// As [`load`].
pub fn load_from(registry: &Registry, scene: &str, overrides: &Overrides) -> Result<Loaded, LoadError> {
    prepare_from(registry, open(scene)?, overrides)?.finish()
}

/// Opens a file, or a bundled scene where no such file exists.
///
/// # Errors
/// [`LoadError::Scene`] for a file that cannot be read, or is neither TOML nor JSON; [`LoadError::Input`] where there is neither a file
/// nor a scene of that name.
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
