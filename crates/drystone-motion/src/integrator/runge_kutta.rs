use crate::torque_free::{self, derivative};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{BodyIndex, BodyProperties, Configuration, MotionSolver, State};
use drystone_math::{Quat, Real, SymmetricMat3, Twist, Vec3, Wrench};

/// The classical Runge-Kutta method on the torque-free rotation.
///
/// # Source
/// C-04; Baraff 1995 (4). Applied to the orientation with the angular momentum held constant, so momentum is kept to
/// rounding and energy to order 4. Forces act in the kick: with forces the splitting is of order 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RungeKutta4;

impl RungeKutta4 {
    /// Name, parameters and source.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "torque-free-rk4",
        summary: "torque-free rotation by the classical Runge-Kutta method, momentum conserved; order 4",
        source: "Baraff 1995 (4)",
        parameters: &[],
    };

    /// From settings made for [`Self::DESCRIPTION`].
    pub fn from_settings(_settings: &Settings) -> Self {
        Self
    }
}

fn step(inverse_inertia: &SymmetricMat3, q: Quat, momentum: Vec3, h: Real) -> Quat {
    let f = |q: Quat| derivative(inverse_inertia, q, momentum);
    let k1 = f(q);
    let k2 = f(q + k1 * (0.5 * h));
    let k3 = f(q + k2 * (0.5 * h));
    let k4 = f(q + k3 * h);
    (q + (k1 + (k2 + k3) * 2.0 + k4) * (h / 6.0)).normalize()
}

impl MotionSolver for RungeKutta4 {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn kick(
        &self,
        configuration: &Configuration,
        state: &State,
        bodies: &[BodyIndex],
        wrenches: &[Wrench],
        h: Real,
        change: &mut [Twist],
    ) {
        torque_free::kick(configuration, state, bodies, wrenches, h, change);
    }

    fn drift(&self, configuration: &Configuration, state: &mut State, bodies: &[BodyIndex], h: Real) {
        torque_free::drift(configuration, state, bodies, h, step);
    }

    fn drift_acceleration(&self, body: &BodyProperties, orientation: Quat, angular_velocity: Vec3) -> Vec3 {
        torque_free::acceleration(body, orientation, angular_velocity)
    }
}
