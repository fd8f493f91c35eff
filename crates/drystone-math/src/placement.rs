use crate::{Pose, Real, Vec3};

/// A [`Pose`] for mapping many points: the terms that the rotation needs are worked out from the quaternion once. It gives the same
/// bits as the pose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    position: Vec3,
    /// The quaternion's vector u, `w^2 - u u` and `2 w`.
    axis: Vec3,
    along: Real,
    across: Real,
}

impl From<&Pose> for Placement {
    #[inline(always)]
    fn from(pose: &Pose) -> Self {
        let (axis, w) = (pose.orientation.xyz(), pose.orientation.w);
        Self { position: pose.position, axis, along: w * w - axis.dot(axis), across: w * 2.0 }
    }
}

impl Placement {
    /// Maps a point from the local to the outer frame.
    #[inline(always)]
    pub fn point(&self, local: Vec3) -> Vec3 {
        self.position + self.direction(local)
    }

    /// Maps a direction from the local to the outer frame.
    #[inline(always)]
    pub fn direction(&self, local: Vec3) -> Vec3 {
        local * self.along + self.axis * (local.dot(self.axis) * 2.0) + self.axis.cross(local) * self.across
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Quat;

    #[test]
    fn maps_as_the_pose_does_to_the_last_bit() {
        let mut x = 0.1;
        let mut next = || {
            x = (997.0 * x + 0.377) % 1.0;
            2.0 * x - 1.0
        };
        for _ in 0..1000 {
            let mut vector = || Vec3::new(next(), next(), next());
            let turn = Quat::from_scaled_axis(3.0 * vector());
            let (pose, local) = (Pose::new(10.0 * vector(), turn), vector());
            let placed = Placement::from(&pose);
            assert_eq!(placed.point(local), pose.point(local));
            assert_eq!(placed.direction(local), pose.direction(local));
        }
    }
}
