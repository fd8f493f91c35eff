use core::ops::{AddAssign, Mul};
use drystone_math::{Real, Vec3};

/// The impulse of a contact point on its second body; the first body gets the opposite (N s).
///
/// A force over a step and a blow are the same here: an impulse is the integral of the force.
///
/// Friction is a vector, not a pair of multipliers: tangents are made anew in every step and may turn about the normal, by
/// as much as a quarter turn if two normals differ by rounding alone.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContactImpulse {
    /// Along the normal; at least zero, contacts do not pull.
    pub normal: Real,
    /// Across it, world axes.
    pub friction: Vec3,
}

impl ContactImpulse {
    /// None at all.
    pub const ZERO: Self = Self { normal: 0.0, friction: Vec3::ZERO };

    /// From multipliers along the normal and along two tangents.
    #[inline]
    pub fn of_multipliers([normal, first, second]: [Real; 3], tangents: [Vec3; 2]) -> Self {
        Self { normal, friction: tangents[0] * first + tangents[1] * second }
    }

    /// From the whole impulse, given the unit normal.
    #[inline]
    pub fn of_impulse(impulse: Vec3, normal: Vec3) -> Self {
        let along = impulse.dot(normal);
        Self { normal: along, friction: impulse - normal * along }
    }

    /// Multipliers along two orthogonal unit tangents.
    #[inline]
    pub fn along(&self, tangents: [Vec3; 2]) -> [Real; 2] {
        tangents.map(|t| t.dot(self.friction))
    }

    /// The whole impulse, given the unit normal.
    #[inline]
    pub fn total(&self, normal: Vec3) -> Vec3 {
        normal * self.normal + self.friction
    }

    /// Returns true if every number is finite.
    #[inline]
    pub fn is_finite(&self) -> bool {
        self.normal.is_finite() && self.friction.is_finite()
    }
}

impl AddAssign for ContactImpulse {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.normal += other.normal;
        self.friction += other.friction;
    }
}

impl Mul<Real> for ContactImpulse {
    type Output = Self;

    #[inline]
    fn mul(self, s: Real) -> Self {
        Self { normal: self.normal * s, friction: self.friction * s }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::tangent_basis;

    #[test]
    fn does_not_depend_on_the_tangents() {
        let normal = Vec3::new(1e-17, -2e-17, 1.0);
        let (t1, t2) = tangent_basis(normal);
        let impulse = ContactImpulse::of_multipliers([2.0, 0.3, -0.4], [t1, t2]);
        let turned = [t2, -t1];
        let again = impulse.along(turned);
        assert_eq!(again, [-0.4, -0.3]);
        assert_eq!(ContactImpulse::of_multipliers([2.0, again[0], again[1]], turned), impulse);
        assert_eq!(impulse.total(normal), normal * 2.0 + impulse.friction);
    }
}
