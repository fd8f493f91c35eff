use crate::oddities::oddities;
use crate::{LoadError, Loaded, Overrides, catalogue_of};
use drystone::{
    Budget, Ineffective, Limits, ModuleChoice, ModuleKind, Modules, Pacer, Paradigm, Registry, WorldBuilder, WorldError,
};
use drystone_core::ConstraintSolver;
use drystone_core::catalogue::Value;
use drystone_scene::{
    BudgetSize, BuiltScene, Document, FaultKind, FrameBudget, Location, Scene, SceneFault, SceneFaults, ScriptKind,
    Setting, Simulation,
};
use std::sync::Arc;

/// A scene that has been checked and whose world has not been built yet.
pub struct Prepared {
    scene: Scene,
    built: BuiltScene,
    builder: WorldBuilder,
    registry: Arc<Registry>,
    paradigm: Paradigm,
    choices: Vec<ModuleChoice>,
    threads: usize,
    warnings: Vec<String>,
    unread: Vec<String>,
    /// True if the preset differs from the one that the scene was written for.
    replaced: bool,
    /// The modules that were named from outside.
    swapped: Vec<ModuleKind>,
}

/// The modules that some settings from outside name.
fn swapped(overrides: &Overrides) -> Vec<ModuleKind> {
    let paths = overrides.set.iter().chain(&overrides.sweep).filter_map(|s| Some(s.split_once('=')?.0.trim()));
    let names = |path: &str, kind: &ModuleKind| path == format!("simulation.{}.{}", kind.table(), kind.name_key());
    paths.filter_map(|path| ModuleKind::ALL.into_iter().find(|kind| names(path, kind))).collect()
}

/// Applies `overrides` to a document, checks all of it, and chooses its modules.
///
/// # Errors
/// [`LoadError::Scene`] with every fault found; [`LoadError::Input`] for overrides that do not fit.
pub fn prepare(document: Document, overrides: &Overrides) -> Result<Prepared, LoadError> {
    prepare_from(&Registry::default(), document, overrides)
}

/// The same with the contents of a registry.
///
/// # Errors
/// As [`prepare`].
pub fn prepare_from(registry: &Registry, mut document: Document, overrides: &Overrides) -> Result<Prepared, LoadError> {
    let own = document.text(&["simulation", "paradigm"]).unwrap_or(Paradigm::default().name).to_owned();
    let mut faults = set_from_outside(&mut document, overrides);
    let catalogue = catalogue_of(registry);
    // its modules are checked even if the rest of the scene has faults
    let Simulation { paradigm: preset, mut modules, .. } = Simulation::of(&document, &catalogue);
    let scene = Scene::from_document(document, &catalogue).map_err(|found| faults.merge(found)).ok();
    let replaced = drop_replaced(registry, &own, &preset, &mut modules);
    let paradigm = registry.paradigm(&preset);
    let choices = match &paradigm {
        Ok(paradigm) => choices(registry, paradigm, modules, &mut faults),
        // the reader has reported it
        Err(_) => Vec::new(),
    };
    let Some(scene) = scene else { return Err(faults.into()) };
    let built = match scene.build() {
        Ok(built) => built,
        Err(found) => {
            faults.merge(found);
            return Err(faults.into());
        }
    };
    let paradigm = paradigm.map_err(|e| SceneFaults::from(scene.fault_at(&built.paradigm_location, e.to_string())))?;
    if !faults.0.is_empty() {
        faults.merge(refusal(registry, &paradigm, &choices, &scene, built, &faults));
        return Err(faults.into());
    }
    let mut warnings: Vec<String> = scene.warnings.iter().map(|w| format!("warning: {w}")).collect();
    warnings.extend(replaced.iter().map(|said| format!("warning: {}: {said}", built.name)));
    warnings.extend(cusps(&scene));
    let mut choices = choices;
    let modules = Modules::assemble_from(registry, &paradigm, &choices).map_err(|e| LoadError::Input(e.to_string()))?;
    let name = &built.name;
    let ineffective = modules.ineffective_as_set(&choices);
    warnings.extend(ineffective.iter().map(|settings| format!("warning: {name}: {settings}")));
    let unread = ineffective.iter().flat_map(Ineffective::paths).collect();
    // the only random thing is the order of rows in a solver that lists a seed; a seed in the scene takes precedence
    let mut lcp = modules.settings(ModuleKind::Lcp).iter();
    if overrides.seed != 0 && lcp.any(|(p, v)| p.name == "seed" && *v == Value::Integer(0)) {
        let settings = vec![("seed".to_owned(), Value::Integer(overrides.seed.cast_signed()))];
        choices.push(ModuleChoice { kind: ModuleKind::Lcp, name: None, settings });
    }
    let registry = Arc::new(registry.clone());
    let [length, energy] = built.largest;
    let usual = Limits::default();
    let held = Limits { length: length.unwrap_or(usual.length), energy: energy.unwrap_or(usual.energy) };
    let limits = if built.limits { held } else { Limits::NONE };
    let threads = overrides.threads.unwrap_or(1);
    let mut builder =
        WorldBuilder::default().registry(Arc::clone(&registry)).paradigm(paradigm).threads(threads).limits(limits);
    if let Some(normal) = built.plane {
        builder = builder.plane(normal);
    }
    if let Some(envelope) = built.contact_envelope {
        builder = builder.contact_envelope(envelope);
    }
    for choice in &choices {
        builder = builder.choose(choice.clone());
    }
    let replaced = own != built.paradigm;
    let swapped = swapped(overrides);
    Ok(Prepared { scene, built, builder, registry, paradigm, choices, threads, warnings, unread, replaced, swapped })
}

/// Applies overrides to a document; returns the faults of those that cannot be applied.
fn set_from_outside(document: &mut Document, overrides: &Overrides) -> SceneFaults {
    let mut faults = SceneFaults::default();
    let mut set = |option, path: &str, value: &str| {
        if let Err(found) = document.set_by(option, path, value) {
            faults.merge(found);
        }
    };
    if let Some(paradigm) = &overrides.paradigm {
        // quoted, so that a name is never read as another type of value
        set("--paradigm", "simulation.paradigm", &format!("{paradigm:?}"));
    }
    let mut malformed = Vec::new();
    let settings = overrides.set.iter().map(|s| ("--set", s)).chain(overrides.sweep.iter().map(|s| ("--sweep", s)));
    for (option, setting) in settings {
        match setting.split_once('=') {
            Some((path, value)) => set(option, path, value),
            None => malformed.push(SceneFault {
                location: Location { path: setting.clone(), option: Some(option), ..Location::default() },
                kind: FaultKind::Other("found no '='; allowed: PATH=VALUE".to_owned()),
            }),
        }
    }
    if let Some(duration) = overrides.duration {
        // values that are not numbers are spelt as TOML spells them
        set("--duration", "scene.duration", &format!("{duration}").to_lowercase());
    }
    faults.merge(malformed);
    faults
}

/// The fault that the modules refuse what a scene asks for, unless it only follows from faults already found in the settings.
fn refusal(
    registry: &Registry,
    paradigm: &Paradigm,
    choices: &[ModuleChoice],
    scene: &Scene,
    built: BuiltScene,
    faults: &SceneFaults,
) -> Option<SceneFault> {
    // these two are the modules that may refuse
    let deciding = [ModuleKind::TimeControl, ModuleKind::ConstraintSolver].map(|k| format!("simulation.{}", k.table()));
    if faults.0.iter().any(|f| deciding.iter().any(|table| f.location.path.starts_with(table.as_str()))) {
        return None;
    }
    let builder = WorldBuilder::default().registry(registry.clone()).paradigm(*paradigm);
    let builder = choices.iter().fold(builder, |builder, choice| builder.choose(choice.clone()));
    let error = builder.build_with(built.configuration, built.state).err()?;
    let refuses = matches!(error, WorldError::Refused { .. } | WorldError::Levels { .. } | WorldError::Mismatch { .. });
    refuses.then(|| scene.fault_at(&built.paradigm_location, error.to_string()))
}

impl Prepared {
    /// The scene's name.
    pub fn name(&self) -> &str {
        &self.built.name
    }

    /// The modules that the world will have.
    ///
    /// # Errors
    /// [`LoadError::Input`] for settings that do not fit.
    pub fn modules(&self) -> Result<Modules, LoadError> {
        Modules::assemble_from(&self.registry, &self.paradigm, &self.choices)
            .map_err(|e| LoadError::Input(e.to_string()))
    }

    /// Replaces the chosen constraint solver with one of the caller's.
    #[must_use]
    pub fn constraint_solver(mut self, solver: impl ConstraintSolver + 'static) -> Self {
        self.builder = self.builder.constraint_solver(solver);
        self
    }

    /// Builds the world.
    ///
    /// # Errors
    /// [`LoadError::World`].
    pub fn finish(self) -> Result<Loaded, LoadError> {
        let Self { scene, built, builder, registry, choices, threads, warnings, mut unread, replaced, swapped, .. } =
            self;
        let mut warnings = warnings;
        let refused = |error| LoadError::World { scene: built.name.clone(), error };
        let mut world = builder.build_with(built.configuration, built.state).map_err(refused)?;
        for (body, (name, data)) in world.bodies().to_vec().into_iter().zip(built.names.iter().zip(&built.body_data)) {
            world.set_name(body, name).map_err(refused)?;
            world.set_user_data(body, *data).map_err(refused)?;
        }
        for (joint, entry) in world.joints().to_vec().into_iter().zip(&scene.joints) {
            world.tag_joint(joint, &entry.name, entry.user_data).map_err(refused)?;
        }
        // a scene that names a preset alone knows what the preset has not
        if replaced || !choices.is_empty() {
            warnings.extend(world.left_out().iter().map(|left| format!("warning: {}: {left}", built.name)));
        }
        let odd = oddities(&world, [&built.names, &built.joint_names], built.time_step).into_iter();
        warnings.extend(odd.map(|said| format!("warning: {}: {said}", built.name)));
        let mut ineffective = world.modules().ineffective_by_module(world.configuration(), &choices);
        ineffective.extend(world.modules().ineffective_in(&registry, world.configuration(), &choices));
        warnings.extend(ineffective.iter().map(|settings| format!("warning: {}: {settings}", built.name)));
        unread.extend(ineffective.iter().flat_map(Ineffective::paths));
        // a scene that only sets modules of its own preset already has the modules that it needs
        if replaced || choices.is_empty() {
            let beyond = world.beyond_claims_in_steps(built.time_step).into_iter();
            warnings
                .extend(beyond.map(|b| format!("warning: {}: beyond what {} claims: {b}", built.name, built.paradigm)));
        }
        // the author of a scene chooses its modules with its preset; whoever changes one of the two should know that nothing is claimed
        let others =
            world.others_modules().filter(|other| replaced || swapped.iter().any(|kind| kind.table() == other.0));
        warnings.extend(others.map(|(kind, name, own)| {
            let (scene, preset) = (&built.name, &built.paradigm);
            format!(
                "warning: {scene}: beyond what {preset} claims: its own {kind} is '{own}', and this scene sets '{name}'"
            )
        }));
        if let Some(bytes) = &built.resume {
            let lost = |error: String| LoadError::Resume { scene: built.name.clone(), error };
            let snapshot = world.read_snapshot(bytes).map_err(|e| lost(e.to_string()))?;
            world.restore(&snapshot).map_err(|e| lost(e.to_string()))?;
        }
        Ok(Loaded {
            world,
            names: built.names,
            joint_names: built.joint_names,
            joints: scene.joints,
            materials: scene.materials,
            name: built.name,
            description: built.description,
            source: built.source,
            duration: built.duration,
            frame: built.frame,
            time_step: built.time_step,
            pacer: built.budget.map(|budget| pacer(&budget)),
            paradigm: built.paradigm,
            threads,
            warnings,
            unread,
            before_step: None,
        })
    }
}

/// The pacer for a scene's budget.
fn pacer(budget: &FrameBudget) -> Pacer {
    let size = match budget.size {
        BudgetSize::Operations(most) => Budget::Operations(most),
        BudgetSize::Seconds(most) => Budget::Seconds(most),
    };
    Pacer::new(size, budget.steps).with_fewest_iterations(budget.fewest_iterations)
}

/// Messages about scripted paths that are not smooth: a body would need infinite acceleration there.
fn cusps(scene: &Scene) -> impl Iterator<Item = String> {
    scene.scripts.iter().filter_map(|script| {
        let ScriptKind::Spline(motion) = &script.motion else { return None };
        let at: Vec<String> = motion.path.irregular_at().iter().map(|s| format!("{s:.3} m")).collect();
        let at = (!at.is_empty()).then(|| at.join(", "))?;
        Some(format!("warning: {}: the path of a script has a cusp at {at}: its body is thrown round there; split it, or move a control point", scene.info.name))
    })
}

/// The scene's choices for single modules. Settings that a module does not accept are left out, and become faults at their places.
fn choices(
    registry: &Registry,
    paradigm: &Paradigm,
    modules: Vec<drystone_scene::ModuleChoice>,
    faults: &mut SceneFaults,
) -> Vec<ModuleChoice> {
    let mut choices = Vec::new();
    for module in modules {
        let mut choice = ModuleChoice { kind: module.module, name: module.kind, settings: Vec::new() };
        // one by one, so that the right place is named
        for Setting { key, value, location } in module.settings {
            let alone = ModuleChoice { settings: vec![(key, value)], ..choice.clone() };
            match Modules::assemble_from(registry, paradigm, std::slice::from_ref(&alone)) {
                Ok(_) => choice.settings.extend(alone.settings),
                // the reader has reported what it knows about implementations that the scene names
                Err(_) if faults.0.iter().any(|f| f.location == location) => {}
                Err(WorldError::Setting { error, .. }) => {
                    faults.merge([SceneFault { location, kind: FaultKind::Setting(error) }]);
                }
                Err(error) => faults.merge([SceneFault { location, kind: FaultKind::Other(error.to_string()) }]),
            }
        }
        choices.push(choice);
    }
    choices
}

/// Removes the scene's settings for those modules of its own preset that the preset it is run under replaces by others, since they were meant for the former
/// modules. Settings that come with the name of the implementation, or from outside, stay. Returns what was removed.
fn drop_replaced(
    registry: &Registry,
    own: &str,
    present: &str,
    modules: &mut [drystone_scene::ModuleChoice],
) -> Vec<String> {
    let (Ok(own), Ok(present)) = (registry.paradigm(own), registry.paradigm(present)) else {
        return Vec::new();
    };
    let mut dropped = Vec::new();
    for module in modules.iter_mut().filter(|m| m.kind.is_none()) {
        let at = module.module.position();
        let (meant, found) = (own.names()[at], present.names()[at]);
        if meant == found {
            continue;
        }
        let before = module.settings.len();
        module.settings.retain(|s| s.location.option.is_some());
        if module.settings.len() < before {
            let table = module.module.table();
            dropped.push(format!(
                "simulation.{table} is ignored: it configures {meant}, and {} uses {found}",
                present.name
            ));
        }
    }
    dropped
}
