use drystone_core::Module;
use web_time::Instant;

/// Time spent in each module during a step (s).
///
/// The solvers have the groups that they solve brought to them and back. Time control has what is left of the step after the others.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PhaseTimes {
    /// Broad phase, boxes included.
    pub broad_phase: f64,
    /// Narrow phase.
    pub narrow_phase: f64,
    /// Contact determination.
    pub contact_determination: f64,
    /// Coherence analysis: graph upkeep, groups, layers, sleeping.
    pub stc_analysis: f64,
    /// Constraint solver, gathering and scattering included.
    pub constraint_solver: f64,
    /// Collision solver, gathering and scattering included.
    pub collision_solver: f64,
    /// Motion solver, external forces included.
    pub motion_solver: f64,
    /// Everything else in the step.
    pub time_control: f64,
    /// Of the two solvers: copying groups out of the world and results back into it.
    pub gather_scatter: f64,
}

impl PhaseTimes {
    /// The field of a module.
    pub(crate) fn of(&mut self, module: Module) -> &mut f64 {
        match module {
            Module::BroadPhase => &mut self.broad_phase,
            Module::NarrowPhase => &mut self.narrow_phase,
            Module::ContactDetermination => &mut self.contact_determination,
            Module::CoherenceAnalysis => &mut self.stc_analysis,
            Module::ConstraintSolver => &mut self.constraint_solver,
            Module::CollisionSolver => &mut self.collision_solver,
            Module::MotionSolver => &mut self.motion_solver,
            Module::TimeControl | Module::User => &mut self.time_control,
        }
    }

    /// The sum over the modules (s).
    pub fn total(&self) -> f64 {
        self.broad_phase
            + self.narrow_phase
            + self.contact_determination
            + self.stc_analysis
            + self.constraint_solver
            + self.collision_solver
            + self.motion_solver
            + self.time_control
    }
}

/// Measures one stretch of work.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Seconds since the start.
    pub(crate) fn seconds(self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}
