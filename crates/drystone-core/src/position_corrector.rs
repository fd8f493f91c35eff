use crate::{GroupAnswer, GroupProblem, SolveReport};
use drystone_math::Real;

/// Takes penetration and joint error out of a group after its bodies have moved.
///
/// # Contract
/// Writes [`GroupAnswer::correction`] and nothing else, so that multipliers stay. It changes no velocity itself; whoever applies the correction does so only as
/// [`Self::keeps_energy`] and [`Self::ends_motion`] say. Separated contacts and
/// satisfied joints are left alone. Bodies with zero inverse mass and inertia stay. The answer depends on
/// the problem alone.
pub trait PositionCorrector: Send {
    /// The name in scene files.
    fn name(&self) -> &'static str;

    /// Finds displacements. `answer` has been started ([`GroupAnswer::start_correction`]): it holds none.
    fn correct(&mut self, problem: &GroupProblem, answer: &mut GroupAnswer) -> SolveReport;

    /// Penetration (m) that it leaves alone: a group of contacts only, none of them deeper, need not be handed to it.
    fn slop(&self) -> Real {
        0.0
    }

    /// Overlap (m) to keep if a constraint solver says beforehand how the bodies of a group are displaced after its
    /// step ([`GroupAnswer::correction`]); such a group is then not handed to this corrector. `None` if it leaves that
    /// to no solver.
    fn slop_ahead(&self) -> Option<Real> {
        None
    }

    /// True if the potential energy that its displacements add is taken from the motion along them, so that a
    /// correction conserves the energy of the world if that motion has enough. Velocities then change by a multiple of
    /// the displacements, as by one impulse along the rows of the correction.
    fn keeps_energy(&self) -> bool {
        false
    }

    /// True if, with energy conservation, displacements that the motion cannot pay for are shortened to the part that
    /// it can: the energy of the world is then conserved in any case, and what overlaps at rest stays where it is.
    fn pays_in_full(&self) -> bool {
        false
    }

    /// True if it stops joint motion that mostly opposes the correction, as by an impulse along the rows of the
    /// correction.
    ///
    /// Rows of a straight chain between two fixed points let its links go sideways: the error that this leaves in the constraint is of second order. A
    /// correction brings them back, the motion goes on, and each step makes energy out of nothing. If joints are regular, their motion is perpendicular to the
    /// correction.
    fn ends_motion(&self) -> bool {
        false
    }

    /// Another instance with the same settings, for another thread.
    fn fork(&self) -> Box<dyn PositionCorrector>;
}
