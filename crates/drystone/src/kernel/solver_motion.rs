//! Motion of bodies by a constraint solver itself.

use drystone_core::ConstraintSolver;

/// Motion of bodies by a constraint solver itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct SolverMotion {
    /// Equal parts into which it cuts a step ([`ConstraintSolver::sub_steps`]).
    pub(super) parts: u32,
    /// True if it takes groups with joints from the velocities of one instant to those of the next.
    pub(super) joints_at_instants: bool,
}

impl SolverMotion {
    /// That of a solver.
    pub(super) fn of(solver: &dyn ConstraintSolver) -> Self {
        Self { parts: solver.sub_steps(), joints_at_instants: solver.resolves().instants }
    }

    /// Returns true if it moves any.
    pub(super) fn moves(self) -> bool {
        self.parts > 1 || self.joints_at_instants
    }
}
