use core::fmt;

/// The eight modules, and the caller of a frame (thesis Fig. 2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Module {
    /// The caller that asks for a frame.
    User,
    /// Time control.
    TimeControl,
    /// Motion solver.
    MotionSolver,
    /// Constraint solver.
    ConstraintSolver,
    /// Position correction after a constraint solve; as a call it belongs to the constraint solver.
    PositionCorrection,
    /// Collision solver.
    CollisionSolver,
    /// Broad phase.
    BroadPhase,
    /// Narrow phase.
    NarrowPhase,
    /// Contact determination.
    ContactDetermination,
    /// Spatial-temporal coherence analysis.
    CoherenceAnalysis,
}

impl Module {
    /// The name the figures use.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::TimeControl => "time_control",
            Self::MotionSolver => "motion_solver",
            Self::ConstraintSolver => "constraint_solver",
            Self::PositionCorrection => "position_correction",
            Self::CollisionSolver => "collision_solver",
            Self::BroadPhase => "broad_phase",
            Self::NarrowPhase => "narrow_phase",
            Self::ContactDetermination => "contact_determination",
            Self::CoherenceAnalysis => "stc_analysis",
        }
    }
}

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Watches a step from outside, without influence on it.
pub trait StepObserver: Send {
    /// One module handed work to another: an arrow of thesis Fig. 2.3.
    fn call(&mut self, from: Module, to: Module);
}
