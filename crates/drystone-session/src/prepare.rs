use crate::{LoadError, Loaded, Overrides, catalogue_of};
use drystone::{
    Budget, Limits, ModuleChoice, ModuleKind, Modules, Pacer, Paradigm, Registry, WorldBuilder, WorldError,
};
use drystone_core::ConstraintSolver;
use drystone_core::catalogue::Value;
use drystone_scene::{BudgetSize, BuiltScene, Document, FrameBudget, Scene, SceneFaults, ScriptKind};
use std::sync::Arc;

/// A scene that has been checked, just before its world is built.
pub struct Prepared {
    scene: Scene,
    built: BuiltScene,
    builder: WorldBuilder,
    registry: Arc<Registry>,
    paradigm: Paradigm,
    choices: Vec<ModuleChoice>,
    threads: usize,
    warnings: Vec<String>,
    /// Whether the preset is another one than the scene was written for.
    replaced: bool,
}

/// Sets on a document what `overrides` say, checks the whole of it, and chooses its modules.
///
/// # Errors
/// [`LoadError::Scene`] with every fault found; [`LoadError::Input`] for what was set and does not fit.
pub fn prepare(document: Document, overrides: &Overrides) -> Result<Prepared, LoadError> {
    prepare_from(&Registry::default(), document, overrides)
}

/// The same with what a registry has.
///
/// # Errors
/// As [`prepare`].
pub fn prepare_from(registry: &Registry, mut document: Document, overrides: &Overrides) -> Result<Prepared, LoadError> {
    let own = document.text(&["simulation", "paradigm"]).unwrap_or(Paradigm::default().name).to_owned();
    if let Some(paradigm) = &overrides.paradigm {
        // quoted, so that a name is never read as another kind of value
        document.set_by("--paradigm", "simulation.paradigm", &format!("{paradigm:?}"))?;
    }
    let set = overrides.set.iter().map(|s| ("--set", s));
    for (option, setting) in set.chain(overrides.sweep.iter().map(|s| ("--sweep", s))) {
        let (path, value) = setting
            .split_once('=')
            .ok_or_else(|| LoadError::Input(format!("{option} {setting}: found no '='; allowed: PATH=VALUE")))?;
        document.set_by(option, path, value)?;
    }
    if let Some(duration) = overrides.duration {
        // what is no number is spelt as TOML spells it
        document.set_by("--duration", "scene.duration", &format!("{duration}").to_lowercase())?;
    }
    let scene = Scene::from_document(document, &catalogue_of(registry))?;
    let mut built = scene.build()?;
    let mut warnings: Vec<String> = scene.warnings.iter().map(|w| format!("warning: {w}")).collect();
    warnings.extend(drop_replaced(registry, &own, &mut built));
    warnings.extend(cusps(&scene));
    let paradigm = registry.paradigm(&built.paradigm).map_err(|e| at(&scene, &built.paradigm_location, &e))?;
    let mut choices = choices(registry, &scene, &built, &paradigm)?;
    let modules = Modules::assemble_from(registry, &paradigm, &choices).map_err(|e| LoadError::Input(e.to_string()))?;
    let name = &built.name;
    warnings.extend(modules.unread(&choices).iter().map(|unread| format!("warning: {name}: {unread}")));
    // the one thing that is random is the order of rows in a solver that lists a seed; a seed in the scene goes before
    let mut lcp = modules.settings(ModuleKind::Lcp).iter();
    if overrides.seed != 0 && lcp.any(|(p, v)| p.name == "seed" && *v == Value::Integer(0)) {
        let settings = vec![("seed".to_owned(), Value::Integer(overrides.seed.cast_signed()))];
        choices.push(ModuleChoice { kind: ModuleKind::Lcp, name: None, settings });
    }
    let registry = Arc::new(registry.clone());
    let limits = if built.limits { Limits::default() } else { Limits::NONE };
    let threads = overrides.threads.unwrap_or(1);
    let mut builder =
        WorldBuilder::default().registry(Arc::clone(&registry)).paradigm(paradigm).threads(threads).limits(limits);
    if let Some(normal) = built.plane {
        builder = builder.plane(normal);
    }
    for choice in &choices {
        builder = builder.choose(choice.clone());
    }
    let replaced = own != built.paradigm;
    Ok(Prepared { scene, built, builder, registry, paradigm, choices, threads, warnings, replaced })
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

    /// Puts a constraint solver of the caller's in the place of the chosen one.
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
        let Self { scene, built, builder, choices, threads, mut warnings, replaced, .. } = self;
        let refused = |error| LoadError::World { scene: built.name.clone(), error };
        let mut world = builder.build_with(built.configuration, built.state).map_err(refused)?;
        for (body, name) in world.bodies().to_vec().into_iter().zip(&built.names) {
            world.set_name(body, name).map_err(refused)?;
        }
        for (joint, name) in world.joints().to_vec().into_iter().zip(&built.joint_names) {
            world.tag_joint(joint, name, 0).map_err(refused)?;
        }
        if let Some(what) = world.left_out().filter(|_| replaced) {
            warnings.push(format!("warning: {}: {what} is left out: {} has none", built.name, built.paradigm));
        }
        // a scene that sets the modules of its own preset has them as it needs them
        if replaced || choices.is_empty() {
            let beyond = world.beyond_claims_in_steps(built.time_step).into_iter();
            warnings
                .extend(beyond.map(|b| format!("warning: {}: beyond what {} claims: {b}", built.name, built.paradigm)));
        }
        if replaced {
            let others = world.others_modules().map(|(kind, name, own)| {
                let (scene, preset) = (&built.name, &built.paradigm);
                format!("warning: {scene}: beyond what {preset} claims: its own {kind} is '{own}', and this scene sets '{name}'")
            });
            warnings.extend(others);
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
            before_step: None,
        })
    }
}

/// What spends a scene's budget.
fn pacer(budget: &FrameBudget) -> Pacer {
    let size = match budget.size {
        BudgetSize::Operations(most) => Budget::Operations(most),
        BudgetSize::Seconds(most) => Budget::Seconds(most),
    };
    Pacer::new(size, budget.steps).with_fewest_iterations(budget.fewest_iterations)
}

/// What there is to say of scripted paths that are not smooth: a body would need an infinite acceleration there.
fn cusps(scene: &Scene) -> impl Iterator<Item = String> {
    scene.scripts.iter().filter_map(|script| {
        let ScriptKind::Spline(motion) = &script.motion else { return None };
        let at: Vec<String> = motion.path.irregular_at().iter().map(|s| format!("{s:.3} m")).collect();
        let at = (!at.is_empty()).then(|| at.join(", "))?;
        Some(format!("warning: {}: the path of a script has a cusp at {at}: its body is thrown round there; split it, or move a control point", scene.info.name))
    })
}

/// A world's fault, told at its place in the scene.
fn at(scene: &Scene, location: &drystone_scene::Location, error: &WorldError) -> LoadError {
    LoadError::Scene(SceneFaults::from(scene.fault_at(location, error.to_string())))
}

/// What the scene says about single modules, each setting checked at its place.
fn choices(
    registry: &Registry,
    scene: &Scene,
    built: &BuiltScene,
    paradigm: &Paradigm,
) -> Result<Vec<ModuleChoice>, LoadError> {
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
            Modules::assemble_from(registry, paradigm, &[alone]).map_err(|e| at(scene, &setting.location, &e))?;
        }
    }
    Ok(choices)
}

/// Takes out what the scene says about modules of its own preset that the preset it is run under has others for: such settings were
/// meant for the former. What names its implementation, or was set from outside, stays. Says what was taken out.
fn drop_replaced(registry: &Registry, own: &str, built: &mut BuiltScene) -> Vec<String> {
    let (Ok(own), Ok(present)) = (registry.paradigm(own), registry.paradigm(&built.paradigm)) else {
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
        module.settings.retain(|s| s.location.option.is_some());
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
