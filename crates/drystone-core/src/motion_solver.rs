use crate::{BodyIndex, BodyProperties, Configuration, State};
use drystone_math::{Quat, Real, Twist, Vec3, Wrench};

/// The continuous motion of bodies, split into a kick and a drift. Scripted bodies are moved before it, forces and constraints come in between.
///
/// # Contract
/// Except in a first-order solver, a kick is `W F h`, with the gyroscopic torque among the forces if the scheme has it there, and leaves velocities alone if
/// there is no force. Orientations stay unit quaternions. A body with zero inverse mass and inertia is left alone by the kick; the drift moves whatever has a
/// velocity.
pub trait MotionSolver: Send + Sync {
    /// The name in scene files.
    fn name(&self) -> &'static str;

    /// The velocity change of each listed body over `h` seconds by its wrench (world frame, about the centre of mass; gravity included) and, if the scheme
    /// treats it here, by the gyroscopic torque `-w x I w`. Writes entry `body.at()` of `change`.
    fn kick(
        &self,
        configuration: &Configuration,
        state: &State,
        bodies: &[BodyIndex],
        wrenches: &[Wrench],
        h: Real,
        change: &mut [Twist],
    );

    /// Moves the listed bodies for `h` seconds at their velocities. A scheme that has the gyroscopic torque here
    /// also turns their angular velocities: on the way, or by [`Self::spin_change`] at its end.
    fn drift(&self, configuration: &Configuration, state: &mut State, bodies: &[BodyIndex], h: Real);

    /// Change of angular velocity (rad/s, world frame) that a drift of `h` seconds adds once it has brought the body to
    /// an orientation: the gyroscopic torque in schemes that apply it there; nothing, the default, in others. Bodies
    /// that a solver moves itself are given it at the end of their motion, and rates of motion have it among the
    /// forces.
    fn spin_change(&self, _body: &BodyProperties, _orientation: Quat, _angular_velocity: Vec3, _h: Real) -> Vec3 {
        Vec3::ZERO
    }

    /// The velocity of 1 kg under 1 N (m/s) if velocities follow forces at once and carry no momentum (C-03); `None`, the default, if there is inertia.
    fn time_scale(&self) -> Option<Real> {
        None
    }

    /// True if velocities follow forces at once (first-order dynamics): they are dropped on entering and on leaving
    /// such a world.
    fn is_first_order(&self) -> bool {
        self.time_scale().is_some()
    }

    /// The angular acceleration (rad/s^2, world frame) of a body during a drift: zero if velocities are steady until its end, else that of the torque-free
    /// rotation. The curvature of a constraint is taken along that motion.
    fn drift_acceleration(&self, _body: &BodyProperties, _orientation: Quat, _angular_velocity: Vec3) -> Vec3 {
        Vec3::ZERO
    }
}
