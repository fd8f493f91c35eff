use drystone_math::Real;
use drystone_math::lanes::{Lanes, Vectors, cross, dot};
use pulp::Simd;

/// The closest points of segments given by their ends, as [`crate::segment::closest_points`] finds them, and a mask of where the segments are not parallel; if they are,
/// other points come out.
#[inline(always)]
pub(super) fn closest_points<S: Simd>(
    simd: S,
    [p0, p1]: [Vectors<S>; 2],
    [q0, q1]: [Vectors<S>; 2],
) -> ([Vectors<S>; 2], S::m64s) {
    let (mut u, mut v, mut w) = (p0, q0, p0);
    for k in 0..3 {
        (u[k], v[k], w[k]) = (p1[k] - p0[k], q1[k] - q0[k], p0[k] - q0[k]);
    }
    let (a, b, c, d, e) = (dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w));
    let normal = cross(u, v);
    let det = dot(normal, normal);
    let (least, parallel) = (Lanes::splat(simd, Real::MIN_POSITIVE), Lanes::splat(simd, 1e-16) * a * c);
    let known = simd.and_m64s(parallel.less(det), simd.and_m64s(least.less(a), least.less(c)));
    let (zero, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
    let s = within(simd, (b * e - c * d) / det);
    let t = (b * s + e) / c;
    let (before, beyond) = (t.less(zero), one.less(t));
    let at_first = within(simd, d.negated() / a);
    let at_last = within(simd, (b - d) / a);
    let s = at_first.where_else(before, at_last.where_else(beyond, s));
    let t = zero.where_else(before, one.where_else(beyond, t));
    let (mut on_p, mut on_q) = (p0, q0);
    for k in 0..3 {
        (on_p[k], on_q[k]) = (p0[k] + u[k] * s, q0[k] + v[k] * t);
    }
    ([on_p, on_q], known)
}

/// Numbers clamped between zero and one, with the signs of zeros as [`f64::clamp`] leaves them.
#[inline(always)]
fn within<S: Simd>(simd: S, number: Lanes<S>) -> Lanes<S> {
    let (zero, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
    let number = zero.where_else(number.less(zero), number);
    one.where_else(one.less(number), number)
}
