//! An engine with a scene of the population in it, as the runner sees it.

use crate::EngineError;
use drystone::math::{Pose, Twist};

/// The state of one body of the scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyState {
    /// Pose of the body's frame.
    pub pose: Pose,
    /// Velocity of the centre of mass (m/s) and angular velocity (rad/s), world frame.
    pub velocity: Twist,
}

/// An engine with a scene of the population in it.
pub trait PopulationEngine {
    /// Name in tables.
    fn name(&self) -> &str;

    /// Simulates one step of [`crate::scenes::DT`].
    ///
    /// # Errors
    /// The engine's own.
    fn step(&mut self) -> Result<(), EngineError>;

    /// Replaces `states` by the states of the scene's bodies, in their order.
    fn states(&self, states: &mut Vec<BodyState>);

    /// Contact points of the last step.
    fn contacts(&self) -> usize;

    /// Effort of the last step, if the engine reports it.
    fn effort(&self) -> Option<Effort> {
        None
    }
}

/// Effort of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort {
    /// Problems that were solved, those of corrections included.
    pub solves: u64,
    /// True if a solver stopped at a limit before it converged.
    pub limited: bool,
}
