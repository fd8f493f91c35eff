use crate::rotate_finite;
use crate::torque_free::{self, add_spin, tumbles};
use drystone_core::catalogue::Implementation;
use drystone_core::{BodyIndex, BodyProperties, Configuration, MotionSolver, State, settings};
use drystone_math::{Mat3, Quat, Real, SymmetricMat3, Twist, Vec3, Wrench, skew};

settings! {
    /// Semi-implicit Euler with the gyroscopic torque taken at the end of the step: never gains energy.
    ///
    /// In body axes the new angular velocity u solves `I (u - w) + h u x I u = 0` by Newton's method, w being the
    /// velocity of the drift, at whose end that is. It loses energy where the explicit update gains it.
    ///
    /// # Source
    /// C-14 with R-12 (sign); the implicit form is E. Catto, "Numerical Methods", GDC 2015.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ImplicitGyroscopic {
        /// Newton steps per body and step
        iterations: u32 = integer(4, 1, 20),
    }
}

impl ImplicitGyroscopic {
    /// Name, parameters and source.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "implicit-gyroscopic",
        summary: "semi-implicit Euler with an implicit gyroscopic torque: stable for any spin, loses a little energy",
        source: "Catto 2015; Erleben 2005, equation (4.5e)",
        parameters: Self::PARAMETERS,
    };
}

/// Solves `I (u - w) + h u x I u = 0` for u, all in body axes.
fn implicit_velocity(inertia: &SymmetricMat3, w: Vec3, h: Real, iterations: u32) -> Vec3 {
    let i = inertia.to_mat3();
    let mut u = w;
    for _ in 0..iterations {
        let residual = i * (u - w) + u.cross(i * u) * h;
        let jacobian: Mat3 = i + (skew(u) * i - skew(i * u)) * h;
        let step = jacobian.inverse() * residual;
        if !step.is_finite() {
            return w;
        }
        u -= step;
        if step.length_squared() <= 1e-32 * u.length_squared() {
            break;
        }
    }
    u
}

impl MotionSolver for ImplicitGyroscopic {
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
        for &b in bodies {
            let i = b.at();
            let (properties, w) = (configuration.body(b), state.angular_velocity[i]);
            state.position[i] += state.linear_velocity[i] * h;
            state.orientation[i] = rotate_finite(state.orientation[i], w, h);
            add_spin(state, b, self.spin_change(properties, state.orientation[i], w, h));
        }
    }

    fn spin_change(&self, body: &BodyProperties, orientation: Quat, angular_velocity: Vec3, h: Real) -> Vec3 {
        if !tumbles(body, angular_velocity) {
            return Vec3::ZERO;
        }
        let w = orientation.conjugate() * angular_velocity;
        orientation * (implicit_velocity(&body.inertia, w, h, self.iterations) - w)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_its_equation_and_never_gains_energy() {
        let inertia = SymmetricMat3 { diagonal: Vec3::new(1.0, 2.0, 3.0), off_diagonal: Vec3::new(0.1, 0.2, -0.1) };
        for (w, h) in [(Vec3::new(1.0, 2.0, 3.0), 0.01), (Vec3::new(30.0, -50.0, 20.0), 0.01)] {
            let u = implicit_velocity(&inertia, w, h, 10);
            let residual = inertia.mul_vec(u - w) + u.cross(inertia.mul_vec(u)) * h;
            assert!(residual.length() < 1e-12 * w.length(), "{residual}");
            assert!(inertia.quadratic(u) <= inertia.quadratic(w));
        }
    }
}
