use crate::{Quat, Vec3};
use core::ops::Mul;

/// A rigid placement: `world = position + orientation * local`.
///
/// It takes 64 bytes in memory, eight more than its numbers: 56 bytes would be copied in two overlapping parts, and copying such a copy would wait until it
/// has left the store buffer.
#[repr(align(16))]
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pose {
    /// Origin of the local frame in the outer frame (m).
    pub position: Vec3,
    /// Rotation from the local to the outer frame, a unit quaternion.
    pub orientation: Quat,
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Pose {
    /// The identity.
    pub const IDENTITY: Self = Self { position: Vec3::ZERO, orientation: Quat::IDENTITY };

    /// A pose from its two parts.
    #[inline]
    pub const fn new(position: Vec3, orientation: Quat) -> Self {
        Self { position, orientation }
    }

    /// A pure translation.
    #[inline]
    pub const fn from_position(position: Vec3) -> Self {
        Self { position, orientation: Quat::IDENTITY }
    }

    /// Maps a point from the local to the outer frame.
    #[inline]
    pub fn point(&self, local: Vec3) -> Vec3 {
        self.position + self.orientation * local
    }

    /// Maps a direction from the local to the outer frame.
    #[inline]
    pub fn direction(&self, local: Vec3) -> Vec3 {
        self.orientation * local
    }

    /// Maps a point from the outer to the local frame.
    #[inline]
    pub fn local_point(&self, outer: Vec3) -> Vec3 {
        self.orientation.conjugate() * (outer - self.position)
    }

    /// Maps a direction from the outer to the local frame.
    #[inline]
    pub fn local_direction(&self, outer: Vec3) -> Vec3 {
        self.orientation.conjugate() * outer
    }

    /// The placement that undoes this one.
    #[must_use]
    #[inline]
    pub fn inverse(&self) -> Self {
        let q = self.orientation.conjugate();
        Self { position: -(q * self.position), orientation: q }
    }

    /// This pose seen from `base`: `base * base.relative(self) == self`.
    #[must_use]
    #[inline]
    pub fn relative_to(&self, base: &Self) -> Self {
        Self { position: base.local_point(self.position), orientation: base.orientation.conjugate() * self.orientation }
    }

    /// Returns true if every component is finite.
    #[inline]
    pub fn is_finite(&self) -> bool {
        self.position.is_finite() && self.orientation.is_finite()
    }
}

impl Mul for Pose {
    type Output = Self;
    #[inline]
    fn mul(self, inner: Self) -> Self {
        Self { position: self.point(inner.position), orientation: self.orientation * inner.orientation }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Real;

    #[test]
    fn directions_turn_and_do_not_move() {
        let a = Pose::new(Vec3::new(1.0, 2.0, 3.0), Quat::from_rotation_z(core::f64::consts::FRAC_PI_2));
        assert!((a.direction(Vec3::X) - Vec3::Y).length() < 1e-15);
        assert!((a.local_direction(Vec3::Y) - Vec3::X).length() < 1e-15);
        let (p, q) = (Vec3::new(0.1, 0.2, 0.3), Vec3::new(-0.5, 0.7, 0.2));
        assert!((a.point(p) - a.point(q) - a.direction(p - q)).length() < 1e-15);
    }

    #[test]
    fn inverse_and_relative_agree() {
        let a = Pose::new(Vec3::new(1.0, 2.0, 3.0), Quat::from_rotation_x(0.3) * Quat::from_rotation_y(1.0));
        let b = Pose::new(Vec3::new(-1.0, 0.5, 2.0), Quat::from_rotation_z(0.7));
        let back = a * b.relative_to(&a);
        assert!((back.position - b.position).length() < 1e-15);
        assert!(back.orientation.angle_between(b.orientation) < 1e-7);
        let p = Vec3::new(0.1, 0.2, 0.3);
        assert!((a.inverse().point(a.point(p)) - p).length() < 1e-15);
        assert!((a.local_point(a.point(p)) - p).length() < 1e-15);
    }

    #[test]
    fn one_number_that_is_not_finite_is_seen() {
        assert!(Pose::IDENTITY.is_finite());
        for bad in [Real::NAN, Real::INFINITY] {
            for k in 0..7 {
                let at = |i: usize| if i == k { bad } else { 0.5 };
                let pose = Pose {
                    position: Vec3::new(at(0), at(1), at(2)),
                    orientation: Quat::from_xyzw(at(3), at(4), at(5), at(6)),
                };
                assert!(!pose.is_finite(), "{pose:?}");
            }
        }
    }
}
