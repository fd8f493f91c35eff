use drystone_math::{Real, Vec3};

/// Closest points of two segments given by their end points; for parallel ones, the middle of the stretch where they
/// run beside each other.
pub(crate) fn closest_points(p0: Vec3, p1: Vec3, q0: Vec3, q1: Vec3) -> (Vec3, Vec3) {
    let (u, v, w) = (p1 - p0, q1 - q0, p0 - q0);
    let (a, b, c, d, e) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
    if a <= Real::MIN_POSITIVE {
        let t = ratio(e, c).clamp(0.0, 1.0);
        return (p0, q0 + v * t);
    }
    if c <= Real::MIN_POSITIVE {
        let s = ratio(-d, a).clamp(0.0, 1.0);
        return (p0 + u * s, q0);
    }
    // the squared sine of the angle times the lengths, from the cross product: a c - b^2 would cancel
    let det = u.cross(v).length_squared();
    if det <= 1e-16 * a * c {
        // parallel: the stretch of p beside q, by the parameters of q's ends on p
        let (s0, s1) = (-d / a, (b - d) / a);
        let lo = s0.min(s1).clamp(0.0, 1.0);
        let hi = s0.max(s1).clamp(0.0, 1.0);
        let s = 0.5 * (lo + hi);
        let on_p = p0 + u * s;
        let t = ((on_p - q0).dot(v) / c).clamp(0.0, 1.0);
        return (on_p, q0 + v * t);
    }
    let mut s = ((b * e - c * d) / det).clamp(0.0, 1.0);
    let t = (b * s + e) / c;
    let t = if t < 0.0 {
        s = (-d / a).clamp(0.0, 1.0);
        0.0
    } else if t > 1.0 {
        s = ((b - d) / a).clamp(0.0, 1.0);
        1.0
    } else {
        t
    };
    (p0 + u * s, q0 + v * t)
}

fn ratio(n: Real, d: Real) -> Real {
    if d <= Real::MIN_POSITIVE { 0.0 } else { n / d }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossing_parallel_and_degenerate() {
        let (x, y, z) = (Vec3::X, Vec3::Y, Vec3::Z);
        let (p, q) = closest_points(-x, x, z - y, z + y);
        assert_eq!((p, q), (Vec3::ZERO, z));
        let (p, q) = closest_points(-x, x, y, y + x * 3.0);
        assert!((p - x * 0.5).length() < 1e-15 && (q - x * 0.5 - y).length() < 1e-15);
        let (p, q) = closest_points(x, x, y, y);
        assert_eq!((p, q), (x, y));
        let (p, q) = closest_points(-x, x, x * 2.0 + y, x * 3.0 + y);
        assert_eq!((p, q), (x, x * 2.0 + y));
    }
}
