//! Joints of which every row locks a coordinate along an axis of A, such as balls: what is asked of them without their rows.

use crate::coordinate::Coordinate;
use crate::coordinate_joint::{CoordinateJoint, Role};
use crate::located::Seats;
use drystone_core::BodyFrame;
use drystone_math::{Mat3, Real, Twist, Vec3};

/// Where the anchors of such a joint are, world frame.
#[derive(Debug, Clone, Copy)]
struct Anchors {
    axes_a: Mat3,
    arm_a: Vec3,
    arm_b: Vec3,
    gap: Vec3,
}

impl Anchors {
    #[inline]
    fn new(seats: &Seats, [a, b]: [&BodyFrame; 2]) -> Self {
        let axes_a = Mat3::from_quat(a.pose.orientation);
        let (arm_a, arm_b) = (axes_a * seats.anchor_a, Mat3::from_quat(b.pose.orientation) * seats.anchor_b);
        let gap = (b.pose.position - a.pose.position) + (arm_b - arm_a);
        Self { axes_a, arm_a, arm_b, gap }
    }
}

impl CoordinateJoint {
    /// The axes of A along which it is locked, where that is all it does; in the order of its rows.
    pub(crate) fn locked_axes(&self) -> Option<impl Iterator<Item = Vec3> + '_> {
        let axis = |part: &crate::coordinate_joint::Part| match (&part.coordinate, part.roles.as_slice()) {
            (Coordinate::Along(axis), [Role::Lock { softness }]) if !softness.is_soft() => Some(*axis),
            _ => None,
        };
        let parts = || self.parts.iter().filter(|p| !p.roles.is_empty());
        parts().all(|p| axis(p).is_some()).then(|| parts().filter_map(axis))
    }

    /// The errors of its rows.
    pub(crate) fn locked_errors(&self, frames: [&BodyFrame; 2], mut each: impl FnMut(Real)) -> bool {
        let Some(axes) = self.locked_axes() else { return false };
        let Anchors { axes_a, gap, .. } = Anchors::new(&self.seats, frames);
        axes.for_each(|axis| each((axes_a * axis).dot(gap)));
        true
    }

    /// Their rates at the bodies' velocities.
    pub(crate) fn locked_rates(&self, frames: [&BodyFrame; 2], mut each: impl FnMut(Real)) -> bool {
        let Some(axes) = self.locked_axes() else { return false };
        let Anchors { axes_a, arm_a, arm_b, gap } = Anchors::new(&self.seats, frames);
        let [u, v] = [frames[0].velocity, frames[1].velocity];
        let rate = |j: Twist, u: Twist| j.linear.dot(u.linear) + j.angular.dot(u.angular);
        for axis in axes {
            let e = axes_a * axis;
            let [a, b] = [Twist::new(-e, e.cross(arm_a + gap)), Twist::new(e, arm_b.cross(e))];
            each(rate(a, u) + rate(b, v));
        }
        true
    }
}
