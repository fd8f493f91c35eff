use crate::{GroupAnswer, GroupProblem, SolveReport};
use drystone_math::Real;

/// Takes penetration and joint error out of a group after its bodies have moved.
///
/// # Contract
/// Writes [`GroupAnswer::correction`], nothing else: no velocity changes, so no energy of motion comes of it, and multipliers stay. What
/// is separated and joints that are satisfied are left alone. Bodies with zero inverse mass and inertia stay. The answer depends on
/// the problem alone.
pub trait PositionCorrector: Send {
    /// The name in scene files.
    fn name(&self) -> &'static str;

    /// Finds displacements. `answer` was started ([`GroupAnswer::start_correction`]): it holds none.
    fn correct(&mut self, problem: &GroupProblem, answer: &mut GroupAnswer) -> SolveReport;

    /// Penetration (m) that it leaves alone: a group of contacts alone in which none is deeper need not be handed to it.
    fn slop(&self) -> Real {
        0.0
    }

    /// How much overlap (m) is to stay where a constraint solver says beforehand how the bodies of a group are displaced after its step ([`GroupAnswer::correction`]); such a group is
    /// not handed to this corrector then. None where it leaves that to nobody.
    fn slop_ahead(&self) -> Option<Real> {
        None
    }

    /// Whether what its ways lift is to be paid for out of the motion along them, so that a correction keeps the energy of the world where that motion has
    /// enough. Velocities then change by a multiple of the displacements, as by one impulse along the rows of the correction.
    fn keeps_energy(&self) -> bool {
        false
    }

    /// Whether, where it keeps energy, ways that the motion cannot pay for are shortened to the part that it can: the energy of the world is kept then whatever happens, and
    /// what overlaps at rest stays where it is.
    fn pays_in_full(&self) -> bool {
        false
    }

    /// Whether motion of joints that mostly goes against their correction ends with it, as by an impulse along the rows of the correction.
    ///
    /// Rows of a straight chain between two fixed points let its links go sideways: what that leaves of the constraint is of second order. A correction brings
    /// them back, the motion goes on, and each step makes energy out of nothing. Where joints are regular their motion is across the way of a correction.
    fn ends_motion(&self) -> bool {
        false
    }

    /// Another instance with the same settings, for another thread.
    fn fork(&self) -> Box<dyn PositionCorrector>;
}
