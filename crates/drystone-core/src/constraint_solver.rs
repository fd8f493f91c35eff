use crate::{GroupProblem, SolveReport};
use drystone_math::Real;

/// From a group's bodies, contacts and joints to new velocities and displacements.
///
/// # Contract
/// The answer depends on the problem alone, never on earlier calls, so that groups can be solved in any order and on
/// any thread. Momentum of a group without immovable bodies is kept to rounding. A body with zero inverse mass and
/// inertia keeps its velocity.
pub trait ConstraintSolver: Send {
    /// The name in scene files.
    fn name(&self) -> &'static str;

    /// Finds velocities at the end of a step of `h` seconds: writes `solved` of the bodies, and the multipliers.
    /// `h` may be zero: then it resolves impacts only (D-15). Gaps may close within `horizon` seconds (above zero).
    fn solve(&mut self, problem: &mut GroupProblem, h: Real, horizon: Real) -> SolveReport;

    /// Finds displacements that take out penetration and joint error: writes `shift` of the bodies. Velocities and
    /// multipliers are left alone.
    fn correct(&mut self, problem: &mut GroupProblem) -> SolveReport;

    /// Penetration (m) that [`Self::correct`] leaves alone: a group of contacts alone in which none is deeper need not be handed to it.
    fn slop(&self) -> Real {
        0.0
    }

    /// Another instance with the same settings, for another thread.
    fn fork(&self) -> Box<dyn ConstraintSolver>;
}
