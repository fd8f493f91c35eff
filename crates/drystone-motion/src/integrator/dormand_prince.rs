use crate::torque_free::{self, derivative};
use drystone_core::catalogue::Implementation;
use drystone_core::{BodyIndex, BodyProperties, Configuration, MotionSolver, State, settings};
use drystone_math::elementary::powf;
use drystone_math::{Quat, Real, SymmetricMat3, Twist, Vec3, Wrench};

settings! {
    /// The embedded pair of order 5(4) by Dormand and Prince on the torque-free rotation, with error control.
    ///
    /// A step is cut into as many sub-steps as the tolerance asks for; without a tolerance it is taken in one.
    ///
    /// # Source
    /// C-06. J. R. Dormand, P. J. Prince, "A family of embedded Runge-Kutta formulae", 1980.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct DormandPrince {
        /// maximum estimated error of the quaternion per sub-step; 0: no sub-steps
        tolerance: Real = real(1e-12, 0.0, 1.0),
    }
}

impl DormandPrince {
    /// Name, parameters and source.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "dormand-prince",
        summary: "torque-free rotation by an embedded Runge-Kutta pair with error control, momentum conserved; order 5",
        source: "Dormand and Prince 1980; Baraff 1989, section 2",
        parameters: Self::PARAMETERS,
    };

    /// The orientation after `h` seconds.
    fn advance(self, inverse_inertia: &SymmetricMat3, q: Quat, momentum: Vec3, h: Real) -> Quat {
        /// Sub-steps are never shorter than this fraction of the step, so that a step has bounded work: a body that turns by more than fifty radians in it is
        /// followed less closely than the tolerance asks for.
        const SHORTEST: Real = 1.0 / 1024.0;
        if self.tolerance == 0.0 {
            return pair(inverse_inertia, q, momentum, h).0.normalize();
        }
        let (mut q, mut done, mut part) = (q, 0.0, 1.0_f64);
        while done < 1.0 {
            part = part.min(1.0 - done);
            let (next, error) = pair(inverse_inertia, q, momentum, h * part);
            // the usual controller of a fifth-order step, with a safety factor
            let factor = if error > 0.0 { 0.9 * powf(self.tolerance / error, 0.2) } else { 5.0 };
            if error <= self.tolerance || part <= SHORTEST || !error.is_finite() {
                q = next.normalize();
                // the last part ends exactly at the end of the step
                done = if part == 1.0 - done { 1.0 } else { done + part };
            }
            part = (part * factor.clamp(0.2, 5.0)).max(SHORTEST);
        }
        q
    }
}

/// One step of the pair: the solution of order 5 and the length of its difference to that of order 4.
fn pair(inverse_inertia: &SymmetricMat3, q: Quat, momentum: Vec3, h: Real) -> (Quat, Real) {
    const A: [[Real; 5]; 5] = [
        [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0],
        [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0],
        [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0],
        [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0],
        [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    ];
    const B: [Real; 6] = [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0];
    // order 5 minus order 4
    const E: [Real; 7] =
        [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339_200.0, 22.0 / 525.0, -1.0 / 40.0];
    let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let mut k = [zero; 7];
    k[0] = derivative(inverse_inertia, q, momentum);
    for (stage, row) in A.iter().enumerate() {
        let sum = row[..=stage].iter().zip(&k).fold(zero, |s, (a, k)| s + *k * *a);
        k[stage + 1] = derivative(inverse_inertia, q + sum * h, momentum);
    }
    let next = q + B.iter().zip(&k).fold(zero, |s, (b, k)| s + *k * *b) * h;
    k[6] = derivative(inverse_inertia, next, momentum);
    let error = E.iter().zip(&k).fold(zero, |s, (e, k)| s + *k * *e) * h;
    (next, error.length())
}

impl MotionSolver for DormandPrince {
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
