use super::frame::BoxPair;
use crate::segment::closest_points;
use drystone_math::{Real, Vec3};

/// Cosine below which an edge of the support counts as parallel to the reference face.
const LEVEL: Real = 1e-10;

/// The deepest point of B along A's face `axis` that lies beside the face, on A and on B in A's frame, and whether it
/// attains the separation `s` exactly. `n` is the face's outward normal in A's frame, and `level` tells which edges
/// of B run along the face.
pub(super) fn beside_face(p: &BoxPair, axis: usize, n: Vec3, s: Real, level: Real) -> (Vec3, Vec3, bool) {
    let c = p.direction_in_b(n);
    let mut support = Vec3::ZERO;
    for k in 0..3 {
        if c[k].abs() > level {
            support[k] = -p.hb[k].copysign(c[k]);
        }
    }
    // B's support, a vertex, edge or face, and A's face: alternate the nearest points of the two
    let base = p.point_in_a(support);
    let mut on_b = base;
    let mut on_a = base;
    let mut attained = false;
    for _ in 0..4 {
        on_a = on_b.clamp(-p.ha, p.ha);
        on_a[axis] = on_b[axis];
        attained = (on_a - on_b).abs().max_element() <= 1e-12 * p.size();
        if attained {
            break;
        }
        let local = p.direction_in_b(on_a - base);
        on_b = base;
        for k in 0..3 {
            if support[k] == 0.0 {
                on_b += p.r[k] * local[k].clamp(-p.hb[k], p.hb[k]);
            }
        }
    }
    on_a[axis] = p.ha[axis].copysign(n[axis]);
    (on_a, on_a + n * s, attained)
}

/// The closest points of two boxes that are apart, on A and on B in A's frame.
///
/// `axis` is the axis that separates them the most, by `s` > 0 (m). Where the separation is attained by a vertex
/// before a face the answer is at hand; else the 16 vertices and those of the 144 edge pairs that the axis does
/// not rule out are looked at.
pub(super) fn closest(p: &BoxPair, axis: usize, s: Real) -> (Vec3, Vec3) {
    let n = p.direction(axis);
    match axis {
        0..3 => {
            let (on_a, on_b, attained) = beside_face(p, axis, n, s, LEVEL);
            if attained {
                return (on_a, on_b);
            }
        }
        3..6 => {
            let f = p.flipped();
            let (on_b, on_a, attained) = beside_face(&f, axis - 3, -p.direction_in_b(n), s, LEVEL);
            if attained {
                return (p.point_in_a(on_a), p.point_in_a(on_b));
            }
        }
        _ => {}
    }
    let mut best = Best { squared: Real::INFINITY, on_a: Vec3::ZERO, on_b: Vec3::ZERO };

    // vertices of one before the other
    let f = p.flipped();
    let reach_a = p.ha.dot(n.abs());
    for v in 0..8 {
        let q = p.point_in_a(corner(v, p.hb));
        let ahead = n.dot(q) - reach_a;
        if ahead * ahead < best.squared {
            best.take(q.clamp(-p.ha, p.ha), q);
        }
        let q = corner(v, p.ha);
        let in_b = f.point_in_a(q);
        best.take(q, p.point_in_a(in_b.clamp(-p.hb, p.hb)));
    }

    // edges: a pair is at least as far apart as its gaps behind the two support planes and the separation
    let c = p.direction_in_b(n);
    for i in 0..3 {
        for ka in 0..4 {
            let (a0, a1) = edge(i, ka, p.ha);
            let behind_a = reach_a - n.dot(a0).max(n.dot(a1));
            if (s + behind_a).powi(2) >= best.squared {
                continue;
            }
            for j in 0..3 {
                for kb in 0..4 {
                    let (b0, b1) = edge(j, kb, p.hb);
                    let behind_b = p.hb.dot(c.abs()) + c.dot(b0).min(c.dot(b1));
                    if (s + behind_a + behind_b).powi(2) >= best.squared {
                        continue;
                    }
                    let (x, y) = closest_points(a0, a1, p.point_in_a(b0), p.point_in_a(b1));
                    best.take(x, y);
                }
            }
        }
    }
    (best.on_a, best.on_b)
}

struct Best {
    squared: Real,
    on_a: Vec3,
    on_b: Vec3,
}

impl Best {
    fn take(&mut self, on_a: Vec3, on_b: Vec3) {
        let squared = (on_b - on_a).length_squared();
        // a tie within rounding keeps the first found
        if squared < self.squared * (1.0 - 1e-14) {
            *self = Self { squared, on_a, on_b };
        }
    }
}

/// Corner `v` of a box: bit k set is the negative side of axis k.
pub(super) fn corner(v: usize, h: Vec3) -> Vec3 {
    let side = |k: usize| if v >> k & 1 == 1 { -h[k] } else { h[k] };
    Vec3::new(side(0), side(1), side(2))
}

/// The ends of edge `k` (0..4) along `axis`.
fn edge(axis: usize, k: usize, h: Vec3) -> (Vec3, Vec3) {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut p = Vec3::ZERO;
    p[u] = if k & 1 == 1 { -h[u] } else { h[u] };
    p[v] = if k & 2 == 2 { -h[v] } else { h[v] };
    let mut q = p;
    p[axis] = -h[axis];
    q[axis] = h[axis];
    (p, q)
}
