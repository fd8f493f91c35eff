use crate::{Configuration, Kernel, Levels, StepFailure, TimeReport, Unread};
use drystone_math::Real;

/// Who makes bodies bounce under a time control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bouncing {
    /// The collision solver, or the constraint solver where there is none.
    ByEither,
    /// The collision solver alone: solves have no restitution.
    ByCollisionSolver,
    /// The constraint solver alone: the collision solver is not called.
    ByConstraintSolver,
    /// Nothing bounces.
    Nowhere,
}

/// Decides when and how every other module runs: the heart of a simulator.
///
/// # Contract
/// On success the kernel's clock has moved by exactly `dt`.
pub trait TimeControl: Send {
    /// The name in scene files.
    fn name(&self) -> &'static str;

    /// The levels at which it calls the constraint solver: velocities, unless it says otherwise.
    fn needs(&self) -> Levels {
        Levels::VELOCITY
    }

    /// A feature of the configuration that this time control cannot handle, in a word or two, such as joints. A world that has it is refused.
    fn cannot(&self, _configuration: &Configuration) -> Option<&'static str> {
        None
    }

    /// True if it asks for solves at poses other than those at the start of a step. A solver that determines the
    /// displacement of bodies from the poses it is given does not fit it, and is refused.
    fn solves_elsewhere(&self) -> bool {
        false
    }

    /// True if only the collision solver acts between bodies. A collision solver that resolves nothing is then refused.
    fn acts_by_impacts(&self) -> bool {
        false
    }

    /// True if only position correction removes the overlap at the end of its steps. A solver that keeps positions
    /// itself, for which nothing is corrected, is refused.
    fn only_corrects(&self) -> bool {
        false
    }

    /// Who makes bodies bounce: either solver, unless it says otherwise.
    fn bouncing(&self) -> Bouncing {
        Bouncing::ByEither
    }

    /// True if each frame of the same length makes the same calls for all groups as the last one, so that a group which
    /// one frame leaves unchanged stays unchanged in the next.
    fn repeats(&self) -> bool {
        false
    }

    /// True if it moves bodies by drifts, in which the motion of continuous bodies is swept; if false, it combines
    /// rates of motion instead.
    fn sweeps_ways(&self) -> bool {
        true
    }

    /// Settings of modules that it never calls: none, unless it says otherwise.
    fn unread(&self) -> &'static [Unread] {
        &[]
    }

    /// Takes the kernel from its time `t` to `t + dt` (s), in any number of sub-steps. However many collisions there are within, the frame ends there (B-19, N-10).
    ///
    /// # Errors
    /// [`StepFailure`] if a verb of the kernel fails.
    fn advance(&mut self, kernel: &mut dyn Kernel, dt: Real) -> Result<TimeReport, StepFailure>;
}
