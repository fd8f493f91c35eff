use super::frame::BoxPair;
use crate::segment::closest_points;
use drystone_math::{Real, Vec3};

/// Cosine below which an edge of the support counts as parallel to the reference face.
const LEVEL: Real = 1e-10;

/// Points this close to being opposite each other (part of the size) attain the separation.
const ATTAINED: Real = 1e-12;

/// The deepest point of B along A's face `axis` and the nearest point of the face, on A and on B in A's frame, and how far beside
/// each other they are (m): zero where they attain the separation `s`, and always the separation apart along the normal. `n` is the face's outward normal in A's frame, and `level` tells which edges
/// of B run along the face.
pub(super) fn beside_face(p: &BoxPair, axis: usize, n: Vec3, s: Real, level: Real) -> (Vec3, Vec3, Real) {
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
    let mut off = 0.0;
    for _ in 0..32 {
        on_a = on_b.clamp(-p.ha, p.ha);
        on_a[axis] = on_b[axis];
        off = (on_a - on_b).abs().max_element();
        if off <= ATTAINED * p.size() {
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
    let opposite = on_a + n * s;
    (on_a, if off <= ATTAINED * p.size() { opposite } else { on_b }, off)
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
            let (on_a, on_b, off) = beside_face(p, axis, n, s, LEVEL);
            if off <= ATTAINED * p.size() {
                return (on_a, on_b);
            }
        }
        3..6 => {
            let f = p.flipped();
            let (on_b, on_a, off) = beside_face(&f, axis - 3, -p.direction_in_b(n), s, LEVEL);
            if off <= ATTAINED * p.size() {
                return (p.point_in_a(on_a), p.point_in_a(on_b));
            }
        }
        _ => {}
    }
    let c = p.direction_in_b(n);
    let (reach_a, reach_b) = (p.ha.dot(n.abs()), p.hb.dot(c.abs()));
    let (front_a, front_b) = (foremost(n), foremost(-c));
    let mut best = Best { squared: Real::INFINITY, on_a: Vec3::ZERO, on_b: Vec3::ZERO };
    if axis >= 6 {
        // the two edges that the axis belongs to
        let (i, j) = ((axis - 6) / 3, (axis - 6) % 3);
        let (a0, a1) = edge(i, edge_side(front_a, i), p.ha);
        let (b0, b1) = edge(j, edge_side(front_b, j), p.hb);
        let (x, y) = closest_points(a0, a1, p.point_in_a(b0), p.point_in_a(b1));
        if best.take(x, y) && best.proven(p) {
            return (x, y);
        }
    }

    // vertices of one before the other, the foremost first; none is nearer than its gap behind the support plane
    let f = p.flipped();
    for v in 0..8 {
        let local = corner(front_b ^ v, p.hb);
        if best.reaches(s + reach_b + c.dot(local)) {
            let q = p.point_in_a(local);
            if best.take(q.clamp(-p.ha, p.ha), q) && best.proven(p) {
                return (best.on_a, best.on_b);
            }
        }
        let q = corner(front_a ^ v, p.ha);
        if best.reaches(s + reach_a - n.dot(q)) {
            let in_b = f.point_in_a(q).clamp(-p.hb, p.hb);
            if best.take(q, p.point_in_a(in_b)) && best.proven(p) {
                return (best.on_a, best.on_b);
            }
        }
    }

    // edges: a pair is at least as far apart as the separation and its gaps behind the two support planes
    for (i, ka) in edges(front_a) {
        let (a0, a1) = edge(i, ka, p.ha);
        let behind_a = reach_a - n.dot(a0).max(n.dot(a1));
        if !best.reaches(s + behind_a) {
            continue;
        }
        for (j, kb) in edges(front_b) {
            let (b0, b1) = edge(j, kb, p.hb);
            let behind_b = reach_b + c.dot(b0).min(c.dot(b1));
            if best.reaches(s + behind_a + behind_b) {
                let (x, y) = closest_points(a0, a1, p.point_in_a(b0), p.point_in_a(b1));
                if best.take(x, y) && best.proven(p) {
                    return (best.on_a, best.on_b);
                }
            }
        }
    }
    (best.on_a, best.on_b)
}

/// The number of the corner that lies foremost along `n`.
fn foremost(n: Vec3) -> usize {
    usize::from(n.x < 0.0) | usize::from(n.y < 0.0) << 1 | usize::from(n.z < 0.0) << 2
}

/// The side of the edge along `axis` that ends in corner `v`.
fn edge_side(v: usize, axis: usize) -> usize {
    v >> ((axis + 1) % 3) & 1 | (v >> ((axis + 2) % 3) & 1) << 1
}

/// All edges as (axis, side), those at the corner `front` first.
fn edges(front: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..4).flat_map(move |k| (0..3).map(move |axis| (axis, edge_side(front, axis) ^ k)))
}

struct Best {
    squared: Real,
    on_a: Vec3,
    on_b: Vec3,
}

impl Best {
    /// Whether something at least `bound` (m) away may be nearer.
    fn reaches(&self, bound: Real) -> bool {
        bound * bound < self.squared
    }

    fn take(&mut self, on_a: Vec3, on_b: Vec3) -> bool {
        let squared = (on_b - on_a).length_squared();
        // a tie within rounding keeps the first found
        let better = squared < self.squared * (1.0 - 1e-14);
        if better {
            *self = Self { squared, on_a, on_b };
        }
        better
    }

    /// Whether the planes through the two points, square to the line between them, have the boxes on either side:
    /// then nothing is nearer.
    fn proven(&self, p: &BoxPair) -> bool {
        let d = self.on_b - self.on_a;
        let beyond_a = d.dot(self.on_a) - p.ha.dot(d.abs());
        let c = p.direction_in_b(d);
        let beyond_b = d.dot(p.t) - p.hb.dot(c.abs()) - d.dot(self.on_b);
        let noise = 1e-14 * p.size() * self.squared.sqrt();
        beyond_a >= -noise && beyond_b >= -noise
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
