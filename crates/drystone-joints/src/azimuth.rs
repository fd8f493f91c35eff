//! Angles of directions about an axis.

use crate::turn::angle_bend;
use drystone_math::elementary::atan2;
use drystone_math::{Real, Vec3};
use std::f64::consts::{PI, TAU};

/// An angle next to `middle`.
pub(crate) fn wrapped(angle: Real, middle: Real) -> Real {
    let off = angle - middle;
    if off > -PI && off <= PI { angle } else { middle + (off - TAU * (off / TAU).round()) }
}

/// The second derivative of the angle of t in the frame of u1 and u2: t is given with its rate and its second derivative, and the frame turns with an
/// angular velocity.
pub(crate) fn azimuth_bend([t, dt, ddt]: [Vec3; 3], [u1, u2]: [Vec3; 2], of_frame: Vec3) -> Real {
    let along = |u: Vec3| {
        let du = of_frame.cross(u);
        let ddu = of_frame.cross(du);
        (t.dot(u), dt.dot(u) + t.dot(du), ddt.dot(u) + 2.0 * dt.dot(du) + t.dot(ddu))
    };
    let ((x, dx, ddx), (y, dy, ddy)) = (along(u1), along(u2));
    angle_bend([x, y], [dx, dy], [ddx, ddy])
}

/// The angle of `x u1 + y u2` and the factor of its rate.
pub(crate) fn azimuth(x: Real, y: Real) -> (Real, Real) {
    (atan2(y, x), 1.0 / (x * x + y * y).max(Real::MIN_POSITIVE))
}
