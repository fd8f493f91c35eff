//! The angle of a rotation about an axis, with its derivatives.

use drystone_math::elementary::atan2;
use drystone_math::{Quat, Real, Twist, Vec3};

/// The value of a coordinate, and its gradient (what multiplies the velocities of A and B).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evaluated {
    pub(crate) value: Real,
    pub(crate) jacobian: [Twist; 2],
}

/// A gradient that only turns: `g` on B, `-g` on A.
pub(crate) fn turning(g: Vec3) -> [Twist; 2] {
    [Twist::new(Vec3::ZERO, -g), Twist::new(Vec3::ZERO, g)]
}

/// The turn about a unit axis in a rotation (v, w), and its gradient with respect to the angular velocity in the same
/// axes.
///
/// With `dv = (w u + u x v) / 2` and `dw = -u . v / 2` for an angular velocity u, the rate of `2 atan2(v . s, w)` is
/// `u . (w^2 s + w v x s + (v . s) v) / ((v . s)^2 + w^2)`.
pub(crate) fn turn(q: Quat, s: Vec3) -> (Real, Vec3) {
    let (v, w) = (q.xyz(), q.w);
    let y = v.dot(s);
    let size = (y * y + w * w).max(Real::MIN_POSITIVE);
    (2.0 * atan2(y, w), (s * (w * w) + v.cross(s) * w + v * y) / size)
}

/// The second derivative of the turn about s in a rotation that an angular velocity u, itself changing by `du`, drives.
pub(crate) fn turn_bend(q: Quat, s: Vec3, u: Vec3, du: Vec3) -> Real {
    let (v, w) = (q.xyz(), q.w);
    let (dv, dw) = ((u * w + u.cross(v)) * 0.5, -0.5 * u.dot(v));
    let ddv = (du * w + u * dw + du.cross(v) + u.cross(dv)) * 0.5;
    let ddw = -0.5 * (du.dot(v) + u.dot(dv));
    // 2 atan2(y, w)
    2.0 * angle_bend([w, v.dot(s)], [dw, dv.dot(s)], [ddw, ddv.dot(s)])
}

/// The second derivative of `atan2(y, x)` from the values, rates and second derivatives of (x, y).
pub(crate) fn angle_bend([x, y]: [Real; 2], [dx, dy]: [Real; 2], [ddx, ddy]: [Real; 2]) -> Real {
    let square = (x * x + y * y).max(Real::MIN_POSITIVE);
    let rate = (x * dy - y * dx) / square;
    (x * ddy - y * ddx) / square - 2.0 * rate * (x * dx + y * dy) / square
}
