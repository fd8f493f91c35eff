use crate::{ModuleChoice, ModuleKind, Modules, WorldError};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{
    BroadPhase, CoherenceAnalysis, CollisionSolver, ConstraintSolver, ContactDetermination, MotionSolver, NarrowPhase,
    PositionCorrector, SleepPolicy, TimeControl,
};

/// A module given by value.
pub(crate) enum Replacement {
    TimeControl(Box<dyn TimeControl>),
    MotionSolver(Box<dyn MotionSolver>),
    ConstraintSolver(Box<dyn ConstraintSolver>),
    CollisionSolver(Box<dyn CollisionSolver>),
    BroadPhase(Box<dyn BroadPhase>),
    NarrowPhase(Box<dyn NarrowPhase>),
    ContactDetermination(Box<dyn ContactDetermination>),
    CoherenceAnalysis(Box<dyn CoherenceAnalysis>),
    SleepPolicy(Box<dyn SleepPolicy>),
}

/// What `chosen` says of a module given by value: its name, and no settings.
fn described(name: &'static str) -> (&'static str, Settings) {
    let implementation = Implementation { name, summary: "given by value", source: "", parameters: &[] };
    (name, Settings::defaults(&implementation))
}

impl Modules {
    /// Puts a module given by value in the place of the one built by name.
    pub(crate) fn put(&mut self, replacement: Replacement) {
        macro_rules! put {
            ($($kind:ident: $place:expr),* $(,)?) => {
                match replacement {
                    $(Replacement::$kind(module) => {
                        let said = described(module.name());
                        $place = module;
                        (ModuleKind::$kind, said)
                    })*
                }
            };
        }
        let (kind, (name, settings)) = put!(
            TimeControl: self.time_control,
            MotionSolver: self.stages.motion_solver,
            ConstraintSolver: self.stages.constraint_solver,
            CollisionSolver: self.stages.collision_solver,
            BroadPhase: self.stages.broad_phase,
            NarrowPhase: self.stages.narrow_phase,
            ContactDetermination: self.stages.contact_determination,
            CoherenceAnalysis: self.stages.coherence,
            SleepPolicy: self.stages.sleep_policy,
        );
        self.chosen[kind.position()] = (kind, name, settings);
        if !self.by_value.contains(&kind) {
            self.by_value.push(kind);
        }
    }

    /// Puts a position corrector given by value in the place of the one that belongs to the constraint solver.
    pub(crate) fn put_corrector(&mut self, corrector: Box<dyn PositionCorrector>) {
        self.stages.position_corrector = corrector;
        self.corrector_by_value = true;
    }

    /// The modules given by value that stay when others come, unless a choice names what is to stand there.
    fn kept(&self, choices: &[ModuleChoice]) -> Vec<ModuleKind> {
        let named = |kind: ModuleKind| choices.iter().any(|c| c.kind == kind && c.name.is_some());
        self.by_value.iter().copied().filter(|k| !named(*k)).collect()
    }

    /// Whether these modules fit together when they succeed others.
    ///
    /// # Errors
    /// [`WorldError::Levels`].
    pub(crate) fn check_succession(&self, others: &Self, choices: &[ModuleChoice]) -> Result<(), WorldError> {
        let kept = others.kept(choices);
        let of = |kind: ModuleKind| if kept.contains(&kind) { others } else { self };
        let solver = &of(ModuleKind::ConstraintSolver).stages.constraint_solver;
        Self::check_levels(of(ModuleKind::TimeControl).time_control.as_ref(), solver.as_ref())
    }

    /// Puts these modules in the place of others; modules of the others that were given by value stay, unless a choice names what
    /// is to stand there.
    pub(crate) fn succeed(&mut self, others: &mut Self, choices: &[ModuleChoice]) {
        let kept = others.kept(choices);
        core::mem::swap(self, others);
        // `self` holds the former ones now
        macro_rules! keep {
            ($($kind:ident: $place:ident),* $(,)?) => {
                $(if kept.contains(&ModuleKind::$kind) {
                    core::mem::swap(&mut self.stages.$place, &mut others.stages.$place);
                })*
            };
        }
        if self.corrector_by_value {
            core::mem::swap(&mut self.stages.position_corrector, &mut others.stages.position_corrector);
            others.corrector_by_value = true;
        }
        if kept.contains(&ModuleKind::TimeControl) {
            core::mem::swap(&mut self.time_control, &mut others.time_control);
        }
        keep!(
            MotionSolver: motion_solver,
            ConstraintSolver: constraint_solver,
            CollisionSolver: collision_solver,
            BroadPhase: broad_phase,
            NarrowPhase: narrow_phase,
            ContactDetermination: contact_determination,
            CoherenceAnalysis: coherence,
            SleepPolicy: sleep_policy,
        );
        for &kind in &kept {
            let at = kind.position();
            core::mem::swap(&mut self.chosen[at], &mut others.chosen[at]);
        }
        others.by_value = kept;
    }
}
