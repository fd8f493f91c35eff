use super::coordinate::Coordinate;
use super::segments::closest_points;
use super::separations::Group;
use drystone_math::Real;
use drystone_math::lanes::{Lanes, Vectors, abs, largest, reversed, select};
use pulp::Simd;

/// Points are opposite each other up to rounding if they attain the axis's separation up to this fraction of the size.
pub(super) const ATTAINED: Real = 1e-10;

/// The deepest points along cross products of edges for a group of pairs of boxes that overlap, as [`super::least_depth`] finds them for one
/// pair.
pub(super) struct Crossing<S: Simd> {
    /// On A and on B in A's frame (m).
    pub points: [Vectors<S>; 2],
    /// Lateral offset between them (m).
    pub off: Lanes<S>,
    /// A mask of where this is the whole answer; elsewhere the edges are parallel.
    pub known: S::m64s,
}

impl<S: Simd> Crossing<S> {
    /// Those along unit vectors from A to B in A's frame, given the separations along them (m) and the numbers of the axes.
    #[inline(always)]
    pub(super) fn of(simd: S, p: &Group<S>, (normal, separation): (Vectors<S>, Lanes<S>), number: Lanes<S>) -> Self {
        // the edges that face each other
        let (i, j) = Coordinate::<S>::of_axis(simd, number);
        let c = p.direction_in_b(normal);
        let (mut a, mut b) = (normal, c);
        for k in 0..3 {
            a[k] = p.ha[k].copysign(normal[k]);
            b[k] = p.hb[k].copysign(c[k]).negated();
        }
        let ends_of_a = [a, i.with(a, reversed(a))];
        let ends_of_b = [p.point_in_a(b), p.point_in_a(j.with(b, reversed(b)))];

        let (points, known) = closest_points(simd, ends_of_a, ends_of_b);
        let [on_a, on_b] = points;
        let mut opposite = on_a;
        let mut beside = on_a;
        for k in 0..3 {
            opposite[k] = on_a[k] + normal[k] * separation;
            beside[k] = on_b[k] - opposite[k];
        }
        let off = largest(abs(beside));
        let attained = off.at_most(Lanes::splat(simd, ATTAINED) * p.size());
        Self { points: [on_a, select(attained, opposite, on_b)], off, known }
    }
}
