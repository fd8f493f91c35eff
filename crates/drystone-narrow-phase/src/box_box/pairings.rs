use super::coordinate::Coordinate;
use super::distance::Pairing;
use super::segments::closest_points;
use super::separations::Group;
use drystone_math::Real;
use drystone_math::lanes::{Lanes, Vectors, abs, clamped, dot, reversed, select, vectors, write};
use pulp::Simd;

/// The features that were closest last time, for up to `N` pairs of boxes.
pub(super) struct Pairings<const N: usize> {
    /// A corner of each box: on which side of each axis it is.
    sides: [[[Real; N]; 3]; 2],
    /// The axes of edges that begin there.
    along: [[Real; N]; 2],
    /// Which kind of pairing it is: see [`Which`].
    which: [Real; N],
}

/// The kind of closest features, and its code in the lanes.
#[derive(Debug, Clone, Copy)]
enum Which {
    Nothing = 0,
    CornerOfA = 1,
    CornerOfB = 2,
    Edges = 3,
}

/// The sides that a corner is on: see [`super::distance::corner`].
static SIDES: [[Real; 3]; 8] = {
    let mut sides = [[1.0; 3]; 8];
    let mut v = 0;
    while v < 24 {
        if (v / 3) >> (v % 3) & 1 == 1 {
            sides[v / 3][v % 3] = -1.0;
        }
        v += 1;
    }
    sides
};

/// A corner at which edge `side` along `axis` ends.
#[inline(always)]
fn end((axis, side): (usize, usize)) -> usize {
    (side & 1) << ((axis + 1) % 3) | (side >> 1) << ((axis + 2) % 3)
}

impl<const N: usize> Pairings<N> {
    /// None.
    pub(super) const NONE: Self = Self { sides: [[[1.0; N]; 3]; 2], along: [[0.0; N]; 2], which: [0.0; N] };

    /// Notes the pairing of a pair.
    #[inline(always)]
    pub(super) fn note(&mut self, lane: usize, pairing: Option<Pairing>) {
        let (which, corners, along) = match pairing {
            None => (Which::Nothing, [0, 0], [0, 0]),
            Some(Pairing::CornerOfA(v)) => (Which::CornerOfA, [v, 0], [0, 0]),
            Some(Pairing::CornerOfB(v)) => (Which::CornerOfB, [0, v], [0, 0]),
            Some(Pairing::Edges(a, b)) => (Which::Edges, [end(a), end(b)], [a.0, b.0]),
        };
        self.which[lane] = Real::from(which as u8);
        for side in 0..2 {
            write(&mut self.sides[side], lane, SIDES[corners[side] % 8]);
            self.along[side][lane] = along[side] as Real;
        }
    }

    /// The closest points of these features for a group of pairs, on A and on B in A's frame, and a mask of where it is proven that no others are closer, as in
    /// [`super::distance::closest`].
    #[inline(always)]
    pub(super) fn points<S: Simd>(&self, simd: S, group: usize, p: &Group<S>) -> ([Vectors<S>; 2], S::m64s) {
        let (half, more, most) = (Lanes::splat(simd, 0.5), Lanes::splat(simd, 1.5), Lanes::splat(simd, 2.5));
        let which = Lanes::of(simd, &self.which, group);
        let (mut a, mut b) = (vectors(simd, &self.sides[0], group), vectors(simd, &self.sides[1], group));
        for k in 0..3 {
            (a[k], b[k]) = (a[k] * p.ha[k], b[k] * p.hb[k]);
        }
        // a corner of A in front of B, a corner of B in front of A
        let from_b = p.direction_in_b([a[0] - p.t[0], a[1] - p.t[1], a[2] - p.t[2]]);
        let of_a = [a, p.point_in_a(clamped(from_b, p.hb))];
        let corner = p.point_in_a(b);
        let of_b = [clamped(corner, p.ha), corner];
        let is_b = more.less(which);
        let points = [select(is_b, of_b[0], of_a[0]), select(is_b, of_b[1], of_a[1])];

        // an edge of each
        let [i, j] = [Lanes::of(simd, &self.along[0], group), Lanes::of(simd, &self.along[1], group)];
        let (i, j) = (Coordinate::<S>::numbered(simd, i), Coordinate::<S>::numbered(simd, j));
        let ends_of_a = [i.with(a, reversed(p.ha)), i.with(a, p.ha)];
        let ends_of_b = [p.point_in_a(j.with(b, reversed(p.hb))), p.point_in_a(j.with(b, p.hb))];
        let (edges, apart) = closest_points(simd, ends_of_a, ends_of_b);
        let is_edges = most.less(which);
        let points = [select(is_edges, edges[0], points[0]), select(is_edges, edges[1], points[1])];
        let known = simd.and_m64s(half.less(which), simd.or_m64s(apart, simd.not_m64s(is_edges)));
        (points, simd.and_m64s(known, proven(simd, p, points)))
    }
}

/// A mask of where the planes through two points, normal to the line between them, have the boxes on opposite sides: then
/// nothing is nearer.
#[inline(always)]
fn proven<S: Simd>(simd: S, p: &Group<S>, [on_a, on_b]: [Vectors<S>; 2]) -> S::m64s {
    let d = [on_b[0] - on_a[0], on_b[1] - on_a[1], on_b[2] - on_a[2]];
    let beyond_a = dot(d, on_a) - dot(p.ha, abs(d));
    let beyond_b = dot(d, p.t) - dot(p.hb, abs(p.direction_in_b(d))) - dot(d, on_b);
    let (of_sums, of_points) = (Lanes::splat(simd, 1e-14), Lanes::splat(simd, 1e-15));
    let noise = p.size() * (of_sums * dot(d, d).sqrt() + of_points * p.size());
    simd.and_m64s(noise.negated().at_most(beyond_a), noise.negated().at_most(beyond_b))
}
