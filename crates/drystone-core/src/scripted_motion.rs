use drystone_math::{Pose, Real, Twist};
use std::any::Any;

/// Pose and velocity of a scripted body at an instant (M-02).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScriptedState {
    /// Body frame in the world.
    pub pose: Pose,
    /// Velocity of the frame's origin and angular velocity, world frame.
    pub velocity: Twist,
    /// Acceleration of the frame's origin and angular acceleration, world frame.
    pub acceleration: Twist,
}

/// A motion that is known in advance: the simulator sees only a function of time (M-01, M-02).
pub trait ScriptedMotion: Send + Sync {
    /// The state at time `t` (s).
    fn evaluate(&self, t: Real) -> ScriptedState;

    /// The motion itself, for whoever knows its type and writes it to a file; `None`, the default, if it cannot be written.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }
}
