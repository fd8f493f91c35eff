use crate::{DumpTarget, Failure, bundled_scenes};
use drystone::{Limits, ModuleChoice, ModuleKind, Modules, Paradigm, World, WorldBuilder, WorldError, registry};
use drystone_core::catalogue::Value;
use drystone_core::near_name;
use drystone_scene::{BuiltScene, Document, JointEntry, MaterialEntry, ModuleCatalogue, Scene, SceneFaults};
use std::path::{Path, PathBuf};

/// What the command line changes about a scene.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// Another preset.
    pub paradigm: Option<String>,
    /// `PATH=VALUE`.
    pub set: Vec<String>,
    /// Threads; one where not given.
    pub threads: Option<usize>,
    /// Where each complementarity problem is written to.
    pub lcp_dump: Option<PathBuf>,
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
    /// Where complementarity problems are written to.
    pub dump: Option<DumpTarget>,
    /// What was left out of the scene, in words for the user.
    pub warnings: Vec<String>,
}

/// Reads a scene, a file or a bundled one by its name, and builds its world.
///
/// # Errors
/// [`Failure::Scene`] with every fault found; [`Failure::Input`] for options that do not fit.
pub fn load(scene: &str, overrides: &Overrides) -> Result<Loaded, Failure> {
    load_document(open(scene)?, overrides)
}

/// Builds the world of a scene that has been parsed already: from a text, for instance.
///
/// # Errors
/// As [`load`].
pub fn load_document(mut document: Document, overrides: &Overrides) -> Result<Loaded, Failure> {
    let own = document.text(&["simulation", "paradigm"]).unwrap_or(Paradigm::VELOCITY_LCP.name).to_owned();
    if let Some(paradigm) = &overrides.paradigm {
        // quoted, so that a name is never read as another kind of value
        document.set("simulation.paradigm", &format!("{paradigm:?}"))?;
    }
    for setting in &overrides.set {
        let (path, value) = setting
            .split_once('=')
            .ok_or_else(|| Failure::Input(format!("--set {setting}: found no '='; allowed: PATH=VALUE")))?;
        document.set(path, value)?;
    }
    let scene = Scene::from_document(document, &catalogue())?;
    let mut built = scene.build()?;
    let warnings = drop_replaced(&own, &mut built);
    let threads = overrides.threads.unwrap_or(1);
    Ok(Loaded { warnings, ..build_world(&scene, built, threads, overrides)? })
}

/// Takes out what the scene says about modules of its own preset that the preset it is run under has others for: such settings were
/// meant for the former. What names its implementation, or was set from outside, stays. Says what was taken out.
fn drop_replaced(own: &str, built: &mut BuiltScene) -> Vec<String> {
    let (Ok(own), Ok(present)) = (Paradigm::by_name(own), Paradigm::by_name(&built.paradigm)) else {
        return Vec::new();
    };
    let mut warnings = Vec::new();
    for module in built.modules.iter_mut().filter(|m| m.kind.is_none()) {
        let Some(at) = ModuleKind::ALL.iter().position(|k| k.table() == module.table) else { continue };
        let (meant, found) = (own.names()[at], present.names()[at]);
        if meant == found {
            continue;
        }
        let before = module.settings.len();
        module.settings.retain(|s| s.location.overridden);
        if module.settings.len() < before {
            let table = module.table;
            warnings.push(format!(
                "warning: {}: simulation.{table} is left out: it is about {meant}, and {} has {found}",
                built.name, present.name
            ));
        }
    }
    warnings
}

/// Opens a file, or a bundled scene where no such file exists.
fn open(scene: &str) -> Result<Document, Failure> {
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
    Err(Failure::Input(message))
}

/// What scenes may choose from.
pub fn catalogue() -> ModuleCatalogue {
    ModuleCatalogue {
        modules: ModuleKind::ALL.into_iter().map(|k| (k.table(), registry::implementations(k).to_vec())).collect(),
        paradigms: Paradigm::ALL.iter().map(|p| p.name).collect(),
    }
}

fn build_world(scene: &Scene, built: BuiltScene, threads: usize, overrides: &Overrides) -> Result<Loaded, Failure> {
    let at =
        |location, error: &WorldError| Failure::Scene(SceneFaults::from(scene.fault_at(location, error.to_string())));
    let paradigm = Paradigm::by_name(&built.paradigm).map_err(|e| at(&built.paradigm_location, &e))?;
    let limits = if built.limits { Limits::default() } else { Limits::NONE };
    let mut builder = WorldBuilder::default().paradigm(paradigm).threads(threads).limits(limits);
    let mut choices = Vec::new();
    for module in &built.modules {
        let Some(kind) = ModuleKind::from_table(module.table) else { continue };
        let settings = module.settings.iter().map(|s| (s.key.clone(), s.value.clone())).collect();
        choices.push(ModuleChoice { kind, name: module.kind.clone(), settings });
    }
    // settings for the paradigm's own implementations are checked here, one by one, to name the right place
    for (choice, module) in choices.iter().zip(&built.modules) {
        for (setting, pair) in module.settings.iter().zip(&choice.settings) {
            let alone = ModuleChoice { settings: vec![pair.clone()], ..choice.clone() };
            Modules::assemble(&paradigm, &[alone]).map_err(|e| at(&setting.location, &e))?;
        }
    }
    let modules = Modules::assemble(&paradigm, &choices).map_err(|e| Failure::Input(e.to_string()))?;
    // the one thing that is random is the order of rows in a solver that lists a seed; a seed in the scene goes before
    let mut lcp = modules.settings(ModuleKind::Lcp).iter();
    if overrides.seed != 0 && lcp.any(|(p, v)| p.name == "seed" && *v == Value::Integer(0)) {
        let settings = vec![("seed".to_owned(), Value::Integer(overrides.seed.cast_signed()))];
        choices.push(ModuleChoice { kind: ModuleKind::Lcp, name: None, settings });
    }
    let dump = overrides.lcp_dump.as_deref().map(|dir| DumpTarget::new(dir, &built.name)).transpose()?;
    if let Some(dump) = &dump {
        let modules = Modules::assemble(&paradigm, &choices).map_err(|e| Failure::Input(e.to_string()))?;
        builder = builder.constraint_solver(dump.wrap(modules)?);
    }
    for choice in choices {
        builder = builder.choose(choice);
    }
    let world = builder
        .build_with(built.configuration, built.state)
        .map_err(|e| Failure::Input(format!("{}: {e}", built.name)))?;
    Ok(Loaded {
        world,
        names: built.names,
        joint_names: built.joint_names,
        joints: scene.joints.clone(),
        materials: scene.materials.clone(),
        name: built.name,
        description: built.description,
        duration: built.duration,
        frame: built.frame,
        time_step: built.time_step,
        paradigm: built.paradigm,
        threads,
        dump,
        warnings: Vec::new(),
    })
}
