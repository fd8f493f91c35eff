use crate::ode::AdamsMoulton;
use crate::torque_free::{self, derivative};
use drystone_core::catalogue::Implementation;
use drystone_core::{BodyIndex, BodyProperties, Configuration, MotionSolver, State, settings};
use drystone_math::{Quat, Real, SymmetricMat3, Twist, Vec3, Wrench};

settings! {
    /// The multistep method of Adams and Moulton on the torque-free rotation.
    ///
    /// A kick may be an impulse, so the history never outlives a drift: each one is an interval of its own, begun by Runge-Kutta steps.
    ///
    /// # Source
    /// C-06; Baraff 1989 section 2.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct AdamsMoultonRotation {
        /// initial number of sub-steps per drift
        steps: u32 = integer(8, 4, 4096),
        /// maximum estimated error of the quaternion per sub-step; 0: equal sub-steps
        tolerance: Real = real(1e-12, 0.0, 1.0),
    }
}

/// Most sub-steps of a drift, so that a step has bounded work: faster rotation is followed less closely than the tolerance asks for.
const FINEST: u32 = 4096;

impl AdamsMoultonRotation {
    /// Name, parameters and source.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "adams-moulton",
        summary: "torque-free rotation by a multistep method restarted after every kick, momentum conserved; order 4",
        source: "Baraff 1989, section 2; Erleben 2005, section 3.4",
        parameters: Self::PARAMETERS,
    };

    fn advance(self, inverse_inertia: &SymmetricMat3, q: Quat, momentum: Vec3, h: Real) -> Quat {
        let slope = |_: Real, q: &[Real; 4]| derivative(inverse_inertia, Quat::from_array(*q), momentum).to_array();
        Quat::from_array(
            AdamsMoulton { tolerance: self.tolerance, steps: self.steps, finest: FINEST }
                .integrate(&slope, 0.0, h, &q.to_array(), &[])
                .y,
        )
        .normalize()
    }
}

impl MotionSolver for AdamsMoultonRotation {
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
        torque_free::drift(configuration, state, bodies, h, |i, q, l, h| self.advance(i, q, l, h));
    }

    fn drift_acceleration(&self, body: &BodyProperties, orientation: Quat, angular_velocity: Vec3) -> Vec3 {
        torque_free::acceleration(body, orientation, angular_velocity)
    }
}
