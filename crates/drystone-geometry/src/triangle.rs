//! Closest points of triangles.

use drystone_math::{Real, Vec3};

/// Which part of a triangle a point lies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrianglePart {
    /// The inside.
    Face,
    /// The edge from corner k to the next.
    Edge(usize),
    /// Corner k.
    Corner(usize),
}

/// The point of a triangle nearest to `p`, and the part it lies on.
///
/// # Source
/// Ericson, Real-Time Collision Detection, 5.1.5 (the regions), written anew.
pub fn closest_on_triangle(p: Vec3, a: Vec3, b: Vec3, c: Vec3) -> (Vec3, TrianglePart) {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, TrianglePart::Corner(0));
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, TrianglePart::Corner(1));
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (a + ab * ratio(d1, d1 - d3), TrianglePart::Edge(0));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, TrianglePart::Corner(2));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (a + ac * ratio(d2, d2 - d6), TrianglePart::Edge(2));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return (b + (c - b) * ratio(d4 - d3, (d4 - d3) + (d5 - d6)), TrianglePart::Edge(1));
    }
    let sum = va + vb + vc;
    (a + ab * ratio(vb, sum) + ac * ratio(vc, sum), TrianglePart::Face)
}

fn ratio(n: Real, d: Real) -> Real {
    if d == 0.0 { 0.0 } else { n / d }
}

/// Closest points of two segments.
pub(crate) fn closest_on_segments(p0: Vec3, p1: Vec3, q0: Vec3, q1: Vec3) -> (Vec3, Vec3) {
    let (u, v, w) = (p1 - p0, q1 - q0, p0 - q0);
    let (a, b, c, d, e) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
    let det = u.cross(v).length_squared();
    let s = if det > 1e-16 * a * c { ((b * e - c * d) / det).clamp(0.0, 1.0) } else { 0.0 };
    let t = ratio(b * s + e, c).clamp(0.0, 1.0);
    // s again with t held: correct even if t was clamped
    let s = ratio(b * t - d, a).clamp(0.0, 1.0);
    (p0 + u * s, q0 + v * t)
}

/// The closest points of two triangles; a common point where they cut each other.
pub fn closest_between_triangles(p: [Vec3; 3], q: [Vec3; 3]) -> (Vec3, Vec3) {
    let mut best = (Real::INFINITY, p[0], q[0]);
    let mut take = |x: Vec3, y: Vec3| {
        let d = (y - x).length_squared();
        if d < best.0 {
            best = (d, x, y);
        }
    };
    for i in 0..3 {
        take(p[i], closest_on_triangle(p[i], q[0], q[1], q[2]).0);
        take(closest_on_triangle(q[i], p[0], p[1], p[2]).0, q[i]);
        for j in 0..3 {
            let (x, y) = closest_on_segments(p[i], p[(i + 1) % 3], q[j], q[(j + 1) % 3]);
            take(x, y);
        }
    }
    // an edge of one passes through the interior of the other
    for (s, t) in [(p, q), (q, p)] {
        for i in 0..3 {
            if let Some(x) = cut(s[i], s[(i + 1) % 3], t) {
                take(x, x);
            }
        }
    }
    (best.1, best.2)
}

/// Intersection of a segment with a triangle.
pub fn cut(from: Vec3, to: Vec3, t: [Vec3; 3]) -> Option<Vec3> {
    let n = (t[1] - t[0]).cross(t[2] - t[0]);
    let (d0, d1) = (n.dot(from - t[0]), n.dot(to - t[0]));
    if (d0 > 0.0) == (d1 > 0.0) || d0 == d1 {
        return None;
    }
    let x = from.lerp(to, d0 / (d0 - d1));
    let inside = (0..3).all(|k| n.dot((t[(k + 1) % 3] - t[k]).cross(x - t[k])) >= 0.0);
    inside.then_some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_cuts() {
        let (a, b, c) = (Vec3::ZERO, Vec3::X, Vec3::Y);
        let part = |p: Vec3| closest_on_triangle(p, a, b, c).1;
        assert_eq!(part(Vec3::new(0.2, 0.2, 1.0)), TrianglePart::Face);
        assert_eq!(part(Vec3::new(0.5, -1.0, 0.0)), TrianglePart::Edge(0));
        assert_eq!(part(Vec3::new(1.0, 1.0, 0.0)), TrianglePart::Edge(1));
        assert_eq!(part(Vec3::new(-1.0, 0.5, 0.0)), TrianglePart::Edge(2));
        assert_eq!(part(Vec3::new(2.0, -1.0, 0.0)), TrianglePart::Corner(1));
        let q = [Vec3::new(0.2, 0.2, -1.0), Vec3::new(0.2, 0.2, 1.0), Vec3::new(5.0, 5.0, 0.0)];
        let (x, y) = closest_between_triangles([a, b, c], q);
        assert!((x - y).length() < 1e-15);
        let up = [a, b, c].map(|p| p + Vec3::Z * 0.5);
        let (x, y) = closest_between_triangles([a, b, c], up);
        assert!(((y - x).length() - 0.5).abs() < 1e-15);
    }
}
