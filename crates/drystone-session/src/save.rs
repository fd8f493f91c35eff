//! A world written as a scene.

use crate::{Loaded, Overrides, chosen_modules, prepare_from};
use drystone::{Budget, ModuleKind, Modules, Pacer, World};
use drystone_core::BodyProperties;
use drystone_math::Real;
use drystone_scene::{BudgetSize, Document, FrameBudget, SavedScene, Tag, Unsayable};
use serde_json::{Map, Value as Json, json};
use std::path::Path;
use thiserror::Error;

/// Further duration of a world whose save gives none (s).
const FURTHER: Real = 10.0;

/// Why a world was not saved.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SaveError {
    /// A scene cannot say what it is.
    #[error("{0}")]
    Unsayable(#[from] Unsayable),
    /// The file could not be written.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: String,
        /// Why.
        error: std::io::Error,
    },
}

/// Writing a world as a scene, whole: bodies, joints, forces, scripts, surfaces, modules, and the snapshot from which it goes on. Whoever loads the scene has the world
/// with the same bits, without the program that built it.
pub trait SaveWorld {
    /// The world as a scene. Bodies without a name are called `body0`, `body1` and so on.
    ///
    /// # Errors
    /// [`Unsayable`], which names what the format has no words for: forces, joints, scripts and modules of a program's own, timers, two bodies of one name.
    ///
    /// # Cost
    /// The scene is read back once, to make sure that it is the same world.
    fn to_scene(&self) -> Result<Document, Unsayable>;

    /// The text of the scene for a file: TOML if its name ends in `.toml`, otherwise JSON.
    ///
    /// # Errors
    /// As [`Self::to_scene`].
    fn scene_text(&self, path: &Path) -> Result<String, Unsayable> {
        let (document, is_toml) = (self.to_scene()?, path.extension().is_some_and(|e| e == "toml"));
        Ok(if is_toml { document.to_toml_string() } else { document.to_json_string() })
    }

    /// Writes the scene to a file: TOML if its name ends in `.toml`, otherwise JSON. The file appears when it is whole.
    ///
    /// # Errors
    /// As [`Self::to_scene`], and if the file cannot be written.
    fn save_world(&self, path: &Path) -> Result<(), SaveError> {
        let text = self.scene_text(path)?;
        // the whole name and more: no other file of the folder is touched
        let mut beside = path.as_os_str().to_owned();
        beside.push(".part");
        let written = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path));
        if written.is_err() {
            // what cannot be removed was not written either
            let _ = std::fs::remove_file(&beside);
        }
        written.map_err(|error| SaveError::File { path: path.display().to_string(), error })
    }
}

impl SaveWorld for World {
    fn to_scene(&self) -> Result<Document, Unsayable> {
        let times = [self.time() + FURTHER, 1.0 / 60.0];
        said(self, ["", "", ""], times, 0.01, None)
    }
}

impl SaveWorld for Loaded {
    fn to_scene(&self) -> Result<Document, Unsayable> {
        let texts = [self.name.as_str(), self.source.as_str(), self.description.as_str()];
        said(&self.world, texts, [self.duration, self.frame], self.time_step, self.pacer.as_ref().map(budget))
    }
}

fn budget(pacer: &Pacer) -> FrameBudget {
    let size = match pacer.budget {
        Budget::Operations(most) => BudgetSize::Operations(most),
        Budget::Seconds(most) => BudgetSize::Seconds(most),
    };
    FrameBudget { size, steps: pacer.most, fewest_iterations: pacer.fewest_iterations }
}

fn said(
    world: &World,
    texts: [&str; 3],
    times: [Real; 2],
    time_step: Real,
    budget: Option<FrameBudget>,
) -> Result<Document, Unsayable> {
    if world.timers().next().is_some() {
        return Err(Unsayable("its timers; remove them first, and add them again after loading".to_owned()));
    }
    let limits = world.limits();
    let document = SavedScene {
        configuration: world.configuration(),
        state: world.state(),
        plane: world.plane(),
        bodies: world.iter_bodies().map(|b| Tag { name: b.name, data: b.user_data }).collect(),
        joints: world.iter_joints().map(|j| Tag { name: j.name, data: j.user_data }).collect(),
        texts,
        times,
        time_step,
        budget,
        paradigm: world.paradigm().name,
        modules: deviations(world)?,
        contact_envelope: world.contact_envelope(),
        limits: [limits.length, limits.energy],
        snapshot: &world.snapshot().to_bytes(),
    }
    .document()?;
    check(world, &document)?;
    Ok(document)
}

/// The tables of `[simulation]` for the modules that are not as the preset has them.
fn deviations(world: &World) -> Result<Map<String, Json>, Unsayable> {
    let modules = world.modules();
    if let Some(kind) = modules.by_value.first() {
        let (table, name) = (kind.table(), modules.name(*kind));
        return Err(Unsayable(format!("its {table} '{name}', which was given by value and not by name and settings")));
    }
    let own = Modules::assemble_from(world.registry(), &world.paradigm(), &[]).map_err(|e| Unsayable(e.to_string()))?;
    let mut tables = Map::new();
    for kind in ModuleKind::ALL {
        let other = modules.name(kind) != own.name(kind);
        let mut table = Map::new();
        if other {
            table.insert(kind.name_key().to_owned(), json!(modules.name(kind)));
        }
        let usual: Vec<_> = own.settings(kind).iter().collect();
        for (parameter, value) in modules.settings(kind).iter() {
            let is_usual = usual.iter().any(|(p, v)| p.name == parameter.name && *v == value);
            if other || !is_usual {
                table.insert(parameter.name.to_owned(), crate::chosen::as_json(value));
            }
        }
        if !table.is_empty() {
            tables.insert(kind.table().to_owned(), Json::Object(table));
        }
    }
    Ok(tables)
}

/// Reads a scene back and compares: what neither the reader refuses nor the snapshot's hash of the world covers is compared here.
fn check(world: &World, document: &Document) -> Result<(), Unsayable> {
    let loaded =
        prepare_from(world.registry(), document.clone(), &Overrides::default()).and_then(crate::Prepared::finish);
    let loaded = loaded.map_err(|e| Unsayable(e.to_string()))?;
    let (one, other) = (world.configuration(), loaded.world.configuration());
    for ((a, b), name) in one.bodies.iter().zip(&other.bodies).zip(&loaded.names) {
        // in a plane the inverse inertia follows from the pose, before each step
        let inverse = world.plane().is_some() || a.inverse_inertia == b.inverse_inertia;
        if !(inverse && are_same(a, b)) {
            return Err(Unsayable(format!("the properties of {name}, which have other bits when they are read back")));
        }
    }
    if chosen_modules(world) != chosen_modules(&loaded.world) {
        return Err(Unsayable("its modules, which have other settings when they are read back".to_owned()));
    }
    Ok(())
}

fn are_same(a: &BodyProperties, b: &BodyProperties) -> bool {
    let moves = |p: &BodyProperties| (p.kind, p.center, p.mass, p.inertia, p.inverse_mass, p.material);
    let meets = |p: &BodyProperties| (p.layer, p.groups, p.spin_axis, p.can_sleep, p.continuous, p.sensor);
    let fades = |p: &BodyProperties| (p.gravity_scale, p.damping);
    moves(a) == moves(b) && meets(a) == meets(b) && fades(a) == fades(b) && a.shape == b.shape
}
