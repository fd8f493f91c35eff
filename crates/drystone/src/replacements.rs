use crate::{ModuleChoice, ModuleKind, Modules, Stages, WorldError};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{
    BroadPhase, CoherenceAnalysis, CollisionSolver, ConstraintSolver, ContactDetermination, MotionSolver, NarrowPhase,
    PositionCorrector, SleepPolicy, TimeControl,
};

/// The modules that can be given by value, each once: the function that takes it, its trait, its description, its place in [`Modules`], and the choice by name that
/// it replaces (none for the position corrector, which comes with the choice of a constraint solver).
macro_rules! modules_by_value {
    ($each:ident) => {
        $each! {
            time_control: TimeControl is "time control" at time_control as Some(ModuleKind::TimeControl);
            motion_solver: MotionSolver is "the motion solver" at stages.motion_solver as Some(ModuleKind::MotionSolver);
            constraint_solver: ConstraintSolver is "the constraint solver; the position corrector that belongs to the present one stays"
                at stages.constraint_solver as Some(ModuleKind::ConstraintSolver);
            collision_solver: CollisionSolver is "the collision solver"
                at stages.collision_solver as Some(ModuleKind::CollisionSolver);
            broad_phase: BroadPhase is "the broad phase" at stages.broad_phase as Some(ModuleKind::BroadPhase);
            narrow_phase: NarrowPhase is "the narrow phase" at stages.narrow_phase as Some(ModuleKind::NarrowPhase);
            contact_determination: ContactDetermination is "contact determination"
                at stages.contact_determination as Some(ModuleKind::ContactDetermination);
            coherence: CoherenceAnalysis is "the coherence analysis"
                at stages.coherence as Some(ModuleKind::CoherenceAnalysis);
            sleep_policy: SleepPolicy is "the sleep policy" at stages.sleep_policy as Some(ModuleKind::SleepPolicy);
            position_corrector: PositionCorrector is "what takes out penetration and joint error after a step; it stays when another paradigm comes"
                at stages.position_corrector as None;
        }
    };
}
pub(crate) use modules_by_value;

macro_rules! replacement {
    ($($name:ident: $kind:ident is $what:literal at $($place:ident).+ as $choice:expr;)*) => {
        /// A module given by value, for [`World::replace`](crate::World::replace): an instance of a user's own type, or of a type from one of the project's crates,
        /// made in any way.
        #[non_exhaustive]
        pub enum Replacement {
            $(#[doc = concat!("For ", $what, ".")] $kind(Box<dyn $kind>),)*
        }

        impl Replacement {
            $(#[doc = concat!("For ", $what, ".")]
            pub fn $name(module: impl $kind + 'static) -> Self {
                Self::$kind(Box::new(module))
            })*
        }
    };
}

modules_by_value!(replacement);

/// The entry in `chosen` for a module given by value: its name, and no settings.
fn described(name: &'static str) -> (&'static str, Settings) {
    let implementation = Implementation { name, summary: "given by value", source: "", parameters: &[] };
    (name, Settings::defaults(&implementation))
}

impl Modules {
    /// Replaces a module built by name with one given by value.
    pub(crate) fn put(&mut self, replacement: Replacement) {
        macro_rules! put {
            ($($name:ident: $kind:ident is $what:literal at $($place:ident).+ as $choice:expr;)*) => {
                match replacement {
                    $(Replacement::$kind(module) => {
                        let name = module.name();
                        self.$($place).+ = module;
                        ($choice, name)
                    })*
                }
            };
        }
        let (kind, name): (Option<ModuleKind>, _) = modules_by_value!(put);
        let Some(kind) = kind else {
            self.corrector_by_value = true;
            return;
        };
        let (name, settings) = described(name);
        self.chosen[kind.position()] = (kind, name, settings);
        if !self.by_value.contains(&kind) {
            self.by_value.push(kind);
        }
    }

    /// Checks that the present modules fit together with a replacement for one of them.
    ///
    /// # Errors
    /// [`WorldError::Levels`], [`WorldError::Mismatch`].
    pub(crate) fn check_replacement(&self, replacement: &Replacement) -> Result<(), WorldError> {
        let control = self.time_control.as_ref();
        let Stages { constraint_solver, collision_solver, motion_solver, .. } = &self.stages;
        let (solver, collisions) = (constraint_solver.as_ref(), collision_solver.as_ref());
        let motion = motion_solver.as_ref();
        match replacement {
            Replacement::TimeControl(control) => Self::check_fit(control.as_ref(), solver, collisions, motion),
            Replacement::ConstraintSolver(solver) => Self::check_fit(control, solver.as_ref(), collisions, motion),
            Replacement::CollisionSolver(collisions) => Self::check_fit(control, solver, collisions.as_ref(), motion),
            Replacement::MotionSolver(motion) => Self::check_fit(control, solver, collisions, motion.as_ref()),
            _ => Ok(()),
        }
    }

    /// The modules given by value that stay under another paradigm, because no choice names an implementation for their place.
    fn kept(&self, choices: &[ModuleChoice]) -> Vec<ModuleKind> {
        let named = |kind: ModuleKind| choices.iter().any(|c| c.kind == kind && c.name.is_some());
        self.by_value.iter().copied().filter(|k| !named(*k)).collect()
    }

    /// Checks that these modules fit together when they succeed others.
    ///
    /// # Errors
    /// [`WorldError::Levels`], [`WorldError::Mismatch`].
    pub(crate) fn check_succession(&self, others: &Self, choices: &[ModuleChoice]) -> Result<(), WorldError> {
        let kept = others.kept(choices);
        let of = |kind: ModuleKind| if kept.contains(&kind) { others } else { self };
        let control = of(ModuleKind::TimeControl).time_control.as_ref();
        let solver = of(ModuleKind::ConstraintSolver).stages.constraint_solver.as_ref();
        let collisions = of(ModuleKind::CollisionSolver).stages.collision_solver.as_ref();
        let motion = of(ModuleKind::MotionSolver).stages.motion_solver.as_ref();
        Self::check_fit(control, solver, collisions, motion)
    }

    /// Replaces `others` by these modules; modules of `others` that were given by value stay, unless a choice names an implementation for their place.
    pub(crate) fn succeed(&mut self, others: &mut Self, choices: &[ModuleChoice]) {
        let kept = others.kept(choices);
        core::mem::swap(self, others);
        // `self` holds the former ones now
        let corrector = self.corrector_by_value;
        let stays = |choice: Option<ModuleKind>| choice.map_or(corrector, |kind| kept.contains(&kind));
        macro_rules! keep {
            ($($name:ident: $kind:ident is $what:literal at $($place:ident).+ as $choice:expr;)*) => {
                $(if stays($choice) {
                    core::mem::swap(&mut self.$($place).+, &mut others.$($place).+);
                })*
            };
        }
        modules_by_value!(keep);
        others.corrector_by_value |= corrector;
        for &kind in &kept {
            let at = kind.position();
            core::mem::swap(&mut self.chosen[at], &mut others.chosen[at]);
        }
        others.by_value = kept;
    }
}
