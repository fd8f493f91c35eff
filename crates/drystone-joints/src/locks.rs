//! Shortcuts for joints, such as balls, in which every row locks a coordinate along an axis of A: what can be computed
//! without building rows.

use crate::coordinate_joint::{CoordinateJoint, Lock, locked_along};
use crate::located::{Located, Seats};
use drystone_core::{BodyFrame, GroupRow};
use drystone_math::{Mat3, Real, Registers, Twist, Vec3};
use pulp::{Simd, WithSimd};

/// Anchors of such a joint, world frame.
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
    /// The errors of its rows.
    pub(crate) fn locked_errors(&self, frames: [&BodyFrame; 2], mut each: impl FnMut(Real)) -> bool {
        let Some(locks) = &self.locks else { return false };
        let Anchors { axes_a, gap, .. } = Anchors::new(&self.seats, frames);
        locks.iter().for_each(|lock| each(lock.direction(&axes_a).dot(gap)));
        true
    }

    /// Their rates at the bodies' velocities.
    pub(crate) fn locked_rates(&self, frames: [&BodyFrame; 2], mut each: impl FnMut(Real)) -> bool {
        let Some(locks) = &self.locks else { return false };
        let Anchors { axes_a, arm_a, arm_b, gap } = Anchors::new(&self.seats, frames);
        let [u, v] = [frames[0].velocity, frames[1].velocity];
        let rate = |j: Twist, u: Twist| j.linear.dot(u.linear) + j.angular.dot(u.angular);
        for lock in locks {
            let e = lock.direction(&axes_a);
            let [a, b] = [Twist::new(-e, e.cross(arm_a + gap)), Twist::new(e, arm_b.cross(e))];
            each(rate(a, u) + rate(b, v));
        }
        true
    }

    /// Updates its rows to new frames.
    pub(crate) fn renew_locked_rows(&self, frames: [&BodyFrame; 2], rows: &mut [GroupRow]) -> bool {
        let Some(locks) = self.locks.as_deref().filter(|locks| locks.len() == rows.len()) else { return false };
        Registers::new().dispatch(Renewal { seats: &self.seats, locks, frames, rows });
        true
    }
}

/// Rows of locks, to be updated to new frames with whatever registers the processor has. Nothing is reordered or fused: the bits are the same on all of them.
struct Renewal<'a> {
    seats: &'a Seats,
    locks: &'a [Lock],
    frames: [&'a BodyFrame; 2],
    rows: &'a mut [GroupRow],
}

impl WithSimd for Renewal<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { seats, locks, frames, rows } = self;
        let located = Located::new(seats, frames);
        for (GroupRow { row, .. }, lock) in rows.iter_mut().zip(locks) {
            let now = locked_along(&located, lock.direction(&located.axes_a), lock.softness);
            (row.jacobian, row.target) = (now.jacobian, now.target);
            (row.error, row.curvature) = (now.error, now.curvature);
        }
    }
}
