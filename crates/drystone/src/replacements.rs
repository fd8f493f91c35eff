use crate::{ModuleChoice, ModuleKind, Modules, WorldError};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{
    BroadPhase, CoherenceAnalysis, CollisionSolver, ConstraintSolver, ContactDetermination, MotionSolver, NarrowPhase,
    PositionCorrector, SleepPolicy, TimeControl,
};

macro_rules! replacement {
    ($($(#[$doc:meta])* $name:ident: $kind:ident),* $(,)?) => {
        /// A module given by value, for [`World::replace`](crate::World::replace): an instance of a type of one's own, or of one of the
        /// project's crates, made in any way.
        #[non_exhaustive]
        pub enum Replacement {
            $($(#[$doc])* $kind(Box<dyn $kind>),)*
        }

        impl Replacement {
            $($(#[$doc])*
            pub fn $name(module: impl $kind + 'static) -> Self {
                Self::$kind(Box::new(module))
            })*
        }
    };
}

replacement! {
    /// A time control.
    time_control: TimeControl,
    /// A motion solver.
    motion_solver: MotionSolver,
    /// A constraint solver. The position corrector that belongs to the present one stays.
    constraint_solver: ConstraintSolver,
    /// A collision solver.
    collision_solver: CollisionSolver,
    /// A broad phase.
    broad_phase: BroadPhase,
    /// A narrow phase.
    narrow_phase: NarrowPhase,
    /// A contact determination.
    contact_determination: ContactDetermination,
    /// A coherence analysis.
    coherence: CoherenceAnalysis,
    /// A sleep policy.
    sleep_policy: SleepPolicy,
    /// What takes out penetration and joint error after a step.
    position_corrector: PositionCorrector,
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
                    Replacement::PositionCorrector(corrector) => {
                        self.stages.position_corrector = corrector;
                        self.corrector_by_value = true;
                        return;
                    }
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

    /// Whether the present modules fit together with one that is put among them.
    ///
    /// # Errors
    /// [`WorldError::Levels`].
    pub(crate) fn check_replacement(&self, replacement: &Replacement) -> Result<(), WorldError> {
        let (control, solver) = (self.time_control.as_ref(), self.stages.constraint_solver.as_ref());
        match replacement {
            Replacement::TimeControl(control) => Self::check_levels(control.as_ref(), solver),
            Replacement::ConstraintSolver(solver) => Self::check_levels(control, solver.as_ref()),
            _ => Ok(()),
        }
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
