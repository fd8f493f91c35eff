mod four_bodies;

use crate::torque_free;
use drystone_core::catalogue::Implementation;
use drystone_core::{BodyIndex, BodyProperties, Configuration, MotionSolver, State, choice, settings};
use drystone_math::{Quat, Real, Registers, SymmetricMat3, Twist, Vec3, Wrench};
use four_bodies::Drift;

choice! {
    /// A product of scaled midpoint steps.
    pub enum Composition {
        /// One step: order 2.
        None = "none",
        /// Five steps: order 4.
        Suzuki = "suzuki-4",
        /// Seven steps: order 6.
        Yoshida = "yoshida-6",
    }
}

impl Composition {
    /// The steps, as fractions of the whole one.
    const fn steps(self) -> &'static [Real] {
        match self {
            Self::None => PLAIN,
            Self::Suzuki => SUZUKI,
            Self::Yoshida => YOSHIDA,
        }
    }
}

settings! {
    /// The implicit midpoint rule on the rotation group: angular momentum and energy of a free body kept to rounding.
    ///
    /// With the body momentum p the midpoint m solves `m = p + h/2 m x I^-1 m`; the body turns by the Cayley rotation of
    /// `h I^-1 m`. That rotation carries the old body momentum exactly into the midpoint rule's new one, so the momentum in the
    /// world frame is constant, and the rule keeps the energy, which is quadratic. A symmetric rule of order 2; products of
    /// scaled steps raise the order and keep both.
    ///
    /// # Source
    /// C-01, C-14. The rule is in J. C. Simo, K. K. Wong, "Unconditionally stable algorithms for rigid body dynamics that
    /// exactly preserve energy and momentum", 1991; the products by M. Suzuki 1990 and H. Yoshida 1990.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct LieMidpoint {
        /// composition of scaled steps: order 2, 4 or 6 at the cost of 1, 5 or 7 midpoint steps
        composition: Composition = choice(Suzuki),
    }
}

/// One step.
const PLAIN: &[Real] = &[1.0];
/// Five steps of which the middle one goes back: `p = 1 / (4 - 4^(1/3))`.
const SUZUKI: &[Real] = &[
    0.414_490_771_794_375_74,
    0.414_490_771_794_375_74,
    -0.657_963_087_177_502_9,
    0.414_490_771_794_375_74,
    0.414_490_771_794_375_74,
];
/// Yoshida's solution A of order 6.
const YOSHIDA: &[Real] = &[
    0.784_513_610_477_557_3,
    0.235_573_213_359_358_13,
    -1.177_679_984_178_871,
    1.315_186_320_683_911_2,
    -1.177_679_984_178_871,
    0.235_573_213_359_358_13,
    0.784_513_610_477_557_3,
];

impl LieMidpoint {
    /// Name, parameters and source.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "lie-midpoint",
        summary: "torque-free rotation by the midpoint rule on the rotation group: energy and momentum conserved to rounding",
        source: "Simo and Wong 1991; Suzuki 1990; Yoshida 1990",
        parameters: Self::PARAMETERS,
    };

    #[inline(always)]
    fn advance(self, inverse_inertia: &SymmetricMat3, mut q: Quat, momentum: Vec3, h: Real) -> Quat {
        // no fold: that is a function of its own, for whatever registers the target has
        for s in self.composition.steps() {
            q = midpoint(inverse_inertia, q, momentum, h * s);
        }
        q
    }
}

/// One midpoint step, cut in halves for as long as the midpoint equation has no solution nearby.
#[inline(always)]
fn midpoint(inverse_inertia: &SymmetricMat3, q: Quat, momentum: Vec3, h: Real) -> Quat {
    whole(inverse_inertia, q, momentum, h).unwrap_or_else(|| halved(inverse_inertia, q, momentum, h))
}

/// One midpoint step; `None` if the midpoint equation has no solution nearby.
#[inline(always)]
fn whole(inverse_inertia: &SymmetricMat3, q: Quat, momentum: Vec3, h: Real) -> Option<Quat> {
    let m = torque_free::solve_midpoint(inverse_inertia, q.conjugate() * momentum, h)?;
    Some(cayley(q, inverse_inertia.mul_vec(m) * h))
}

#[cold]
fn halved(inverse_inertia: &SymmetricMat3, q: Quat, momentum: Vec3, h: Real) -> Quat {
    /// Most halvings; in a step of a thousand radians a body is turned about its first axis instead.
    const DEEPEST: u32 = 10;
    for halvings in 1..=DEEPEST {
        let parts = 1_u32 << halvings;
        let part = h / Real::from(parts);
        if let Some(next) = (0..parts).try_fold(q, |q, _| whole(inverse_inertia, q, momentum, part)) {
            return next;
        }
    }
    cayley(q, inverse_inertia.mul_vec(q.conjugate() * momentum) * h)
}

/// `q` followed, in body axes, by the Cayley rotation of the vector `v`: by the angle `2 atan(|v| / 2)` about it.
#[inline]
fn cayley(q: Quat, v: Vec3) -> Quat {
    (q * Quat::from_xyzw(0.5 * v.x, 0.5 * v.y, 0.5 * v.z, 1.0)).normalize()
}

impl MotionSolver for LieMidpoint {
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
        Registers::new().dispatch(Drift { rule: *self, configuration, state, bodies, h });
    }

    fn drift_acceleration(&self, body: &BodyProperties, orientation: Quat, angular_velocity: Vec3) -> Vec3 {
        torque_free::acceleration(body, orientation, angular_velocity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_products_are_consistent() {
        let p = 1.0 / (4.0 - 4.0_f64.cbrt());
        assert!((SUZUKI[0] - p).abs() < 1e-16);
        for steps in [PLAIN, SUZUKI, YOSHIDA] {
            assert!((steps.iter().sum::<Real>() - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn a_step_of_many_turns_stays_finite() {
        let inverse = SymmetricMat3::from_diagonal(Vec3::new(1000.0, 1.0, 1.2));
        let q = midpoint(&inverse, Quat::IDENTITY, Vec3::new(3.0, 50.0, -20.0), 0.5);
        assert!(q.is_finite() && (q.length() - 1.0).abs() < 1e-12);
    }
}
