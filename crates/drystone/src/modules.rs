mod assemble;
mod ineffective;
mod left_out;

pub use ineffective::{Ineffective, NotRead};
pub use left_out::LeftOut;

use crate::{ModuleKind, Paradigm, WorldError};
use drystone_core::catalogue::{Settings, Value};
use drystone_core::{
    BroadPhase, CoherenceAnalysis, CollisionSolver, Configuration, ConstraintSolver, ContactDetermination,
    MotionSolver, NarrowPhase, PositionCorrector, SleepPolicy, TimeControl,
};

/// A choice for one module that overrides the paradigm's.
#[derive(Debug, Clone, PartialEq)]
pub struct ModuleChoice {
    /// Which module.
    pub kind: ModuleKind,
    /// Which implementation; `None` for the paradigm's own.
    pub name: Option<String>,
    /// Settings that differ from the defaults.
    pub settings: Vec<(String, Value)>,
}

/// One implementation of every module: what the name of a paradigm stands for.
pub struct Modules {
    /// Time control.
    pub time_control: Box<dyn TimeControl>,
    /// The modules that time control drives.
    pub stages: Stages,
    /// The names and settings that they were built from, in the order of [`ModuleKind::ALL`]. A module given by value is listed under its own name, without settings.
    pub chosen: Vec<(ModuleKind, &'static str, Settings)>,
    /// The modules that were given by value.
    pub by_value: Vec<ModuleKind>,
    /// True if the position corrector was given by value: it then stays, whatever the constraint solver.
    pub corrector_by_value: bool,
}

/// The modules that time control drives.
pub struct Stages {
    /// Motion solver.
    pub motion_solver: Box<dyn MotionSolver>,
    /// Constraint solver.
    pub constraint_solver: Box<dyn ConstraintSolver>,
    /// Position corrector.
    pub position_corrector: Box<dyn PositionCorrector>,
    /// Collision solver.
    pub collision_solver: Box<dyn CollisionSolver>,
    /// Broad phase.
    pub broad_phase: Box<dyn BroadPhase>,
    /// Narrow phase.
    pub narrow_phase: Box<dyn NarrowPhase>,
    /// Contact determination.
    pub contact_determination: Box<dyn ContactDetermination>,
    /// Coherence analysis.
    pub coherence: Box<dyn CoherenceAnalysis>,
    /// Sleep policy.
    pub sleep_policy: Box<dyn SleepPolicy>,
}

/// State that modules leave in a world for their successors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeftBy {
    /// See [`Modules::readers`].
    pub(crate) readers: [&'static str; 2],
    /// True if velocities had the meaning of a world without inertia.
    pub(crate) first_order: bool,
}

impl Modules {
    /// Checks that a time control finds what it needs in a constraint solver, a collision solver and a motion solver.
    ///
    /// # Errors
    /// [`WorldError::Levels`], [`WorldError::Mismatch`].
    pub(crate) fn check_fit(
        time_control: &dyn TimeControl,
        solver: &dyn ConstraintSolver,
        collisions: &dyn CollisionSolver,
        motion: &dyn MotionSolver,
    ) -> Result<(), WorldError> {
        let (needs, levels) = (time_control.needs(), solver.levels());
        if !levels.cover(needs) {
            let (time_control, constraint_solver) = (time_control.name(), solver.name());
            return Err(WorldError::Levels { time_control, needs, constraint_solver, levels });
        }
        let mismatch =
            |kind, module, why| Err(WorldError::Mismatch { time_control: time_control.name(), kind, module, why });
        if time_control.solves_elsewhere() && solver.resolves().positions {
            return mismatch(ModuleKind::ConstraintSolver, solver.name(), "keeps positions itself");
        }
        // springs, which bounce and have no rows, are forces at any pose
        let springs = solver.resolves().restitution && !solver.takes_rows();
        if !time_control.sweeps_ways() && solver.resolves().positions && !springs {
            let why = "says itself where bodies go, which is no rate of motion to be summed up";
            return mismatch(ModuleKind::ConstraintSolver, solver.name(), why);
        }
        if time_control.only_corrects() && solver.resolves().positions {
            return mismatch(ModuleKind::ConstraintSolver, solver.name(), "leaves nothing to position correction");
        }
        if time_control.acts_by_impacts() && motion.is_first_order() {
            return mismatch(ModuleKind::MotionSolver, motion.name(), "has no inertia that impacts could act on");
        }
        if time_control.acts_by_impacts() && !collisions.resolves().restitution {
            return mismatch(ModuleKind::CollisionSolver, collisions.name(), "resolves no impacts");
        }
        Ok(())
    }

    /// Checks that these modules fit together.
    ///
    /// # Errors
    /// [`WorldError::Levels`], [`WorldError::Mismatch`].
    pub(crate) fn check_parts(&self) -> Result<(), WorldError> {
        let Stages { constraint_solver, collision_solver, motion_solver, .. } = &self.stages;
        let (solver, collisions) = (constraint_solver.as_ref(), collision_solver.as_ref());
        Self::check_fit(self.time_control.as_ref(), solver, collisions, motion_solver.as_ref())
    }

    /// Refuses a configuration that time control or constraint solver cannot handle.
    pub(crate) fn check(&self, paradigm: &Paradigm, configuration: &Configuration) -> Result<(), WorldError> {
        let refused = |module, what| WorldError::Refused { paradigm: paradigm.name, module, what };
        if let Some(what) = self.time_control.cannot(configuration) {
            return Err(refused(self.time_control.name(), what));
        }
        let solver = &self.stages.constraint_solver;
        solver.cannot(configuration).map_or(Ok(()), |what| Err(refused(solver.name(), what)))
    }

    /// The name of one of the modules.
    pub fn name(&self, kind: ModuleKind) -> &'static str {
        self.chosen[kind.position()].1
    }

    /// The names of the modules that read what they themselves left in state and graph: the narrow phase its cache, the sleep policy its memory.
    pub(crate) fn readers(&self) -> [&'static str; 2] {
        [self.stages.narrow_phase.name(), self.stages.sleep_policy.name()]
    }

    /// Data about these modules that their successors need.
    pub(crate) fn left_by(&self) -> LeftBy {
        LeftBy { readers: self.readers(), first_order: self.is_first_order() }
    }

    /// Returns true if bodies have no inertia, so that their velocities follow the forces.
    pub fn is_first_order(&self) -> bool {
        self.stages.motion_solver.is_first_order()
    }

    /// Returns true if continuous bodies are stopped at whatever they would pass through.
    pub fn sweeps_ways(&self) -> bool {
        self.time_control.sweeps_ways()
    }

    /// The settings of one of the modules.
    pub fn settings(&self, kind: ModuleKind) -> &Settings {
        &self.chosen[kind.position()].2
    }
}

impl Stages {
    /// Returns true if impacts are resolved separately, before the constraint solver.
    pub(crate) fn resolves_impacts(&self) -> bool {
        self.collision_solver.resolves().restitution
    }
}
