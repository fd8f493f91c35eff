use crate::rotate_finite;
use drystone_core::catalogue::Implementation;
use drystone_core::{BodyIndex, Configuration, MotionSolver, State, settings};
use drystone_math::{Real, Twist, Wrench};

settings! {
    /// A world without inertia: velocities are forces over masses, for as long as the forces act.
    ///
    /// The kick drops the old velocity and gives `T W F` instead, W being the inverse mass matrix and T the time scale; the drift moves at
    /// it. What a constraint solver then finds as impulses are forces times T.
    ///
    /// # Source
    /// C-03, D-20; Baraff 1995, equation (3); thesis 4.16, (4.243)-(4.245). Differs in: T, one second there without being said.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct FirstOrder {
        /// velocity of 1 kg under 1 N (m/s)
        time_scale: Real = real(1.0, 1e-12, 1e12),
    }
}

impl FirstOrder {
    /// Name, parameters and source.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "first-order",
        summary: "no inertia: velocities are forces over masses, bodies that are not pushed stand still",
        source: "Baraff 1995, equation (3); Erleben 2005, section 4.16", // C-03, N-04
        parameters: Self::PARAMETERS,
    };
}

impl MotionSolver for FirstOrder {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn time_scale(&self) -> Option<Real> {
        Some(self.time_scale)
    }

    fn kick(
        &self,
        configuration: &Configuration,
        state: &State,
        bodies: &[BodyIndex],
        wrenches: &[Wrench],
        _h: Real,
        change: &mut [Twist],
    ) {
        for &b in bodies {
            let (p, q, wrench) = (configuration.body(b), state.orientation[b.at()], wrenches[b.at()]);
            let linear = wrench.force * (p.inverse_mass * self.time_scale);
            let angular = q * p.inverse_inertia.mul_vec(q.conjugate() * wrench.torque) * self.time_scale;
            change[b.at()] = Twist::new(linear, angular) - state.velocity(b);
        }
    }

    fn drift(&self, _configuration: &Configuration, state: &mut State, bodies: &[BodyIndex], h: Real) {
        for &b in bodies {
            let i = b.at();
            state.position[i] += state.linear_velocity[i] * h;
            state.orientation[i] = rotate_finite(state.orientation[i], state.angular_velocity[i], h);
        }
    }
}
