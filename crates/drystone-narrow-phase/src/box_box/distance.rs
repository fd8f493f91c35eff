use super::frame::BoxPair;
use crate::segment::closest_points;
use drystone_math::{Real, Vec3};

/// Cosine below which an edge of the support counts as parallel to the reference face.
pub(super) const LEVEL: Real = 1e-10;

/// Points this close to being opposite each other (as a fraction of the size) attain the separation.
pub(super) const ATTAINED: Real = 1e-12;

/// The deepest point of B along A's face `axis` and the nearest point of the face, on A and on B in A's frame, and how far beside each other they are (m): zero if they attain the
/// separation `s`. Along the normal they are always the separation apart. `n` is the face's outward normal in A's frame, and `level` tells which edges of B run along the face.
#[inline(always)]
pub(super) fn beside_face(p: &BoxPair, axis: usize, n: Vec3, s: Real, level: Real) -> (Vec3, Vec3, Real) {
    let c = p.direction_in_b(n);
    let mut support = Vec3::ZERO;
    for k in 0..3 {
        if c[k].abs() > level {
            support[k] = -p.hb[k].copysign(c[k]);
        }
    }
    // B's support, a vertex, edge or face, and A's face: alternate between the nearest points of the two
    let base = p.point_in_a(support);
    let mut on_b = base;
    let mut on_a = base;
    let mut off = 0.0;
    for _ in 0..32 {
        on_a = with(on_b.clamp(-p.ha, p.ha), axis, on_b);
        off = (on_a - on_b).abs().max_element();
        if off <= ATTAINED * p.size() {
            break;
        }
        let local = p.direction_in_b(on_a - base);
        let mut next = base;
        for k in 0..3 {
            if support[k] == 0.0 {
                next += p.r[k] * local[k].clamp(-p.hb[k], p.hb[k]);
            }
        }
        if next == on_b {
            break;
        }
        on_b = next;
    }
    on_a = with(on_a, axis, p.ha.copysign(n));
    let opposite = on_a + n * s;
    (on_a, if off <= ATTAINED * p.size() { opposite } else { on_b }, off)
}

/// The closest points of two boxes that are apart, on A and on B in A's frame.
///
/// `axis` is the axis that separates them the most, by `s` > 0 (m). If a vertex in front of a face attains the separation, that is the answer.
/// Otherwise the two features that were closest last time are tried (`last`, which is updated), and after that the 16 vertices and those of
/// the 144 edge pairs that the axis does not rule out.
#[inline(always)]
pub(super) fn closest(p: &BoxPair, axis: usize, s: Real, last: &mut Option<Pairing>) -> (Vec3, Vec3) {
    let n = p.direction(axis);
    if let Some(found) = attained(p, axis, n, s) {
        return found;
    }
    if let Some(pairing) = *last {
        let mut best = Best::NONE;
        let (on_a, on_b) = pairing.points(p);
        if best.take(on_a, on_b) && best.proven(p) {
            return (on_a, on_b);
        }
    }
    searched(p, axis, n, s, last)
}

/// The closest points by a search among all features: seldom needed, so not inlined.
#[inline(never)]
fn searched(p: &BoxPair, axis: usize, n: Vec3, s: Real, last: &mut Option<Pairing>) -> (Vec3, Vec3) {
    let mut search = Search::new(p, n, s);
    let _ = search.axis_edges(axis) || search.vertices() || search.edges();
    *last = search.closest;
    (search.best.on_a, search.best.on_b)
}

/// Two features whose points may be the closest of two boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pairing {
    /// A corner of A, in front of B.
    CornerOfA(usize),
    /// A corner of B, in front of A.
    CornerOfB(usize),
    /// An edge of each, as (axis, side).
    Edges((usize, usize), (usize, usize)),
}

impl Pairing {
    /// The closest points of the two, on A and on B in A's frame.
    #[inline(always)]
    fn points(self, p: &BoxPair) -> (Vec3, Vec3) {
        match self {
            Self::CornerOfA(v) => {
                let q = corner(v, p.ha);
                let in_b = p.direction_in_b(q - p.t).clamp(-p.hb, p.hb);
                (q, p.point_in_a(in_b))
            }
            Self::CornerOfB(v) => {
                let q = p.point_in_a(corner(v, p.hb));
                (q.clamp(-p.ha, p.ha), q)
            }
            Self::Edges((i, ka), (j, kb)) => {
                let ((a0, a1), (b0, b1)) = (edge(i, ka, p.ha), edge(j, kb, p.hb));
                closest_points(a0, a1, p.point_in_a(b0), p.point_in_a(b1))
            }
        }
    }

    /// As a number below 256, zero standing for none.
    pub(super) fn to_bits(pairing: Option<Self>) -> u32 {
        match pairing {
            None => 0,
            Some(Self::CornerOfA(v)) => 1 + v as u32,
            Some(Self::CornerOfB(v)) => 9 + v as u32,
            Some(Self::Edges((i, ka), (j, kb))) => 17 + (12 * (4 * i + ka) + 4 * j + kb) as u32,
        }
    }

    /// The reverse; `None` for a number that encodes no pairing.
    pub(super) fn from_bits(bits: u32) -> Option<Self> {
        let bits = bits as usize;
        match bits {
            1..9 => Some(Self::CornerOfA(bits - 1)),
            9..17 => Some(Self::CornerOfB(bits - 9)),
            17..161 => {
                let (a, b) = ((bits - 17) / 12, (bits - 17) % 12);
                Some(Self::Edges((a / 4, a % 4), (b / 4, b % 4)))
            }
            _ => None,
        }
    }
}

/// The closest points if a vertex lies in front of the face that the axis belongs to: they are the separation apart.
#[inline(always)]
fn attained(p: &BoxPair, axis: usize, n: Vec3, s: Real) -> Option<(Vec3, Vec3)> {
    let ((on_a, on_b), off) = match axis {
        0..3 => {
            let (on_a, on_b, off) = beside_face(p, axis, n, s, LEVEL);
            ((on_a, on_b), off)
        }
        3..6 => {
            let f = p.flipped();
            let (on_b, on_a, off) = beside_face(&f, axis - 3, -p.direction_in_b(n), s, LEVEL);
            ((p.point_in_a(on_a), p.point_in_a(on_b)), off)
        }
        _ => return None,
    };
    (off <= ATTAINED * p.size()).then_some((on_a, on_b))
}

/// A search for the closest points among vertices and edges, behind the two support planes of an axis that separates.
struct Search<'a> {
    p: &'a BoxPair,
    /// The axis in A's frame and in B's, and how far the boxes are apart along it (m).
    n: Vec3,
    c: Vec3,
    s: Real,
    /// Half extent of each box along the axis (m).
    reach_a: Real,
    reach_b: Real,
    /// The corners that lie foremost.
    front_a: usize,
    front_b: usize,
    best: Best,
    /// The features that carry the closest points.
    closest: Option<Pairing>,
}

impl<'a> Search<'a> {
    fn new(p: &'a BoxPair, n: Vec3, s: Real) -> Self {
        let c = p.direction_in_b(n);
        Self {
            p,
            n,
            c,
            s,
            reach_a: p.ha.dot(n.abs()),
            reach_b: p.hb.dot(c.abs()),
            front_a: foremost(n),
            front_b: foremost(-c),
            best: Best::NONE,
            closest: None,
        }
    }

    /// Tries the points of two features; returns whether nothing can be nearer.
    fn take(&mut self, pairing: Pairing) -> bool {
        let (on_a, on_b) = pairing.points(self.p);
        if !self.best.take(on_a, on_b) {
            return false;
        }
        self.closest = Some(pairing);
        self.best.proven(self.p)
    }

    /// The two edges that the axis belongs to, if it is an edge axis.
    fn axis_edges(&mut self, axis: usize) -> bool {
        if axis < 6 {
            return false;
        }
        let (i, j) = ((axis - 6) / 3, (axis - 6) % 3);
        self.take(Pairing::Edges((i, edge_side(self.front_a, i)), (j, edge_side(self.front_b, j))))
    }

    /// Vertices of one box in front of the other, the foremost first; none is nearer than the separation plus its gap
    /// behind the support plane.
    fn vertices(&mut self) -> bool {
        let p = self.p;
        for v in 0..8 {
            let (of_a, of_b) = (self.front_a ^ v, self.front_b ^ v);
            let behind_b = self.reach_b + self.c.dot(corner(of_b, p.hb));
            if self.best.reaches(self.s + behind_b) && self.take(Pairing::CornerOfB(of_b)) {
                return true;
            }
            let behind_a = self.reach_a - self.n.dot(corner(of_a, p.ha));
            if self.best.reaches(self.s + behind_a) && self.take(Pairing::CornerOfA(of_a)) {
                return true;
            }
        }
        false
    }

    /// Edges: a pair is at least as far apart as the separation and its gaps behind the two support planes.
    fn edges(&mut self) -> bool {
        let p = self.p;
        for (i, ka) in edges(self.front_a) {
            let (a0, a1) = edge(i, ka, p.ha);
            let behind_a = self.reach_a - self.n.dot(a0).max(self.n.dot(a1));
            if !self.best.reaches(self.s + behind_a) {
                continue;
            }
            for (j, kb) in edges(self.front_b) {
                let (b0, b1) = edge(j, kb, p.hb);
                let behind_b = self.reach_b + self.c.dot(b0).min(self.c.dot(b1));
                if self.best.reaches(self.s + behind_a + behind_b) && self.take(Pairing::Edges((i, ka), (j, kb))) {
                    return true;
                }
            }
        }
        false
    }
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
    const NONE: Self = Self { squared: Real::INFINITY, on_a: Vec3::ZERO, on_b: Vec3::ZERO };

    /// Returns true if something at least `bound` (m) away may be nearer.
    fn reaches(&self, bound: Real) -> bool {
        bound * bound < self.squared
    }

    #[inline(always)]
    fn take(&mut self, on_a: Vec3, on_b: Vec3) -> bool {
        let squared = (on_b - on_a).length_squared();
        // a tie within rounding keeps the first found
        let better = squared < self.squared * (1.0 - 1e-14);
        if better {
            *self = Self { squared, on_a, on_b };
        }
        better
    }

    /// Returns true if the planes through the two points, normal to the line between them, have the boxes on opposite
    /// sides: then nothing is nearer.
    #[inline(always)]
    fn proven(&self, p: &BoxPair) -> bool {
        let d = self.on_b - self.on_a;
        let beyond_a = d.dot(self.on_a) - p.ha.dot(d.abs());
        let c = p.direction_in_b(d);
        let beyond_b = d.dot(p.t) - p.hb.dot(c.abs()) - d.dot(self.on_b);
        // noise of the sums and of the direction, from the rounding of the points' coordinates over the size
        let noise = p.size() * (1e-14 * self.squared.sqrt() + 1e-15 * p.size());
        beyond_a >= -noise && beyond_b >= -noise
    }
}

/// Corner `v` of a box: bit k set is the negative side of axis k.
#[inline(always)]
pub(super) fn corner(v: usize, h: Vec3) -> Vec3 {
    let side = |k: usize| if v >> k & 1 == 1 { -h[k] } else { h[k] };
    Vec3::new(side(0), side(1), side(2))
}

/// The ends of edge `k` (0..4) along `axis`.
#[inline(always)]
fn edge(axis: usize, k: usize, h: Vec3) -> (Vec3, Vec3) {
    let v = (k & 1) << ((axis + 1) % 3) | (k >> 1) << ((axis + 2) % 3);
    (corner(v | 1 << axis, h), corner(v, h))
}

/// A vector with only the coordinate `axis` of another. Indexing by the number would be a branch that is often
/// mispredicted.
#[inline(always)]
pub(super) fn with(v: Vec3, axis: usize, other: Vec3) -> Vec3 {
    let pick = |k: usize, own: Real, other: Real| if k == axis { other } else { own };
    Vec3::new(pick(0, v.x, other.x), pick(1, v.y, other.y), pick(2, v.z, other.z))
}
