use crate::{BodyIndex, Configuration, State};
use drystone_math::{Real, Twist, Wrench};

/// The continuous motion of bodies, split into a kick and a drift.
///
/// # Contract
/// Orientations stay unit quaternions. A body with zero inverse mass and inertia is left alone by the kick; the drift
/// moves whatever has a velocity.
pub trait MotionSolver: Send + Sync {
    /// The name in scene files.
    fn name(&self) -> &'static str;

    /// The velocity change of each listed body over `h` seconds by its wrench (world frame, about the centre of mass;
    /// gravity included) and, where the scheme treats it here, by the gyroscopic torque `-w x I w`. Writes entry
    /// `body.at()` of `change`.
    fn kick(
        &self,
        configuration: &Configuration,
        state: &State,
        bodies: &[BodyIndex],
        wrenches: &[Wrench],
        h: Real,
        change: &mut [Twist],
    );

    /// Moves the listed bodies for `h` seconds at their velocities. A scheme that integrates the torque-free rotation
    /// here also turns their angular velocities.
    fn drift(&self, configuration: &Configuration, state: &mut State, bodies: &[BodyIndex], h: Real);
}
