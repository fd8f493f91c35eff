use super::coordinate::Coordinate;
use super::distance::ATTAINED;
use super::separations::Group;
use drystone_math::lanes::{Lanes, Vectors, abs, clamped, dot, largest, reversed, select};
use pulp::Simd;

/// The deepest points along the axes of faces for a group of pairs, as [`super::query::on_face`] finds them for one
/// pair.
pub(super) struct Deepest<S: Simd> {
    /// On A and on B in A's frame (m).
    pub points: [Vectors<S>; 2],
    /// Lateral offset between them (m).
    pub off: Lanes<S>,
    /// A mask of where they are opposite each other up to rounding, the separation apart.
    pub attained: S::m64s,
    /// A mask of where this is the whole answer; elsewhere an edge or a face of the other box is level with the face, and more than one point of it may be
    /// the deepest.
    pub known: S::m64s,
    /// Masks of where the face belongs to A, and where to B.
    pub of_a: S::m64s,
    pub of_b: S::m64s,
    /// The face as a feature, by the bits of [`super::FEATURES`].
    pub feature: S::u64s,
}

/// Axes of faces for a group of pairs.
pub(super) struct Faces<S: Simd> {
    /// Unit vectors from A to B in A's frame.
    pub normal: Vectors<S>,
    /// Separations along them (m).
    pub separation: Lanes<S>,
    /// Numbers of the faces: A's from 0 on, B's from 3 on.
    pub number: Lanes<S>,
    /// Cosines below which an edge of the other box counts as level with the face.
    pub level: Lanes<S>,
}

impl<S: Simd> Deepest<S> {
    /// Those of pairs of boxes.
    #[inline(always)]
    pub(super) fn of(simd: S, p: &Group<S>, faces: &Faces<S>) -> Self {
        let Faces { normal, separation, number, level } = *faces;
        let of_b = Lanes::splat(simd, 2.5).less(number);
        let axis = Coordinate::<S>::numbered(simd, (number - Lanes::splat(simd, 3.0)).where_else(of_b, number));

        // the pair seen from the box whose face it is
        let q = seen_from(p, of_b);
        let back = p.direction_in_b(normal);
        let n = select(of_b, reversed(back), normal);
        let c = q.direction_in_b(n);
        let zero = Lanes::splat(simd, 0.0);
        let mut support = [zero; 3];
        let mut leans = axis.masks;
        for k in 0..3 {
            leans[k] = level.less(c[k].abs());
            support[k] = q.hb[k].copysign(c[k]).negated().where_else(leans[k], zero);
        }
        let corner = simd.and_m64s(leans[0], simd.and_m64s(leans[1], leans[2]));
        let on_other = q.point_in_a(support);
        let nearest = axis.with(clamped(on_other, q.ha), on_other);
        let off = largest(abs([nearest[0] - on_other[0], nearest[1] - on_other[1], nearest[2] - on_other[2]]));
        let attained = off.at_most(Lanes::splat(simd, ATTAINED) * p.size());
        let mut side = n;
        let mut opposite = n;
        for k in 0..3 {
            side[k] = q.ha[k].copysign(n[k]);
        }
        let on_face = axis.with(nearest, side);
        for k in 0..3 {
            opposite[k] = on_face[k] + n[k] * separation;
        }
        let on_other = select(attained, opposite, on_other);

        let points = [select(of_b, p.point_in_a(on_other), on_face), select(of_b, p.point_in_a(on_face), on_other)];
        Self {
            points,
            off,
            attained,
            known: simd.or_m64s(attained, corner),
            of_a: simd.not_m64s(of_b),
            of_b,
            feature: axis.face(simd, n),
        }
    }
}

impl<S: Simd> Deepest<S> {
    /// Replaces the points where a mask says so, by points of edges and corners with how far beside each other they are (m), and where
    /// these are the answer.
    #[inline(always)]
    pub(super) fn but_for(
        self,
        simd: S,
        others: S::m64s,
        ([on_a, on_b], off, known): ([Vectors<S>; 2], Lanes<S>, S::m64s),
    ) -> Self {
        let own = simd.not_m64s(others);
        Self {
            points: [select(others, on_a, self.points[0]), select(others, on_b, self.points[1])],
            off: off.where_else(others, self.off),
            known: simd.or_m64s(simd.and_m64s(others, known), simd.and_m64s(own, self.known)),
            of_a: simd.and_m64s(own, self.of_a),
            of_b: simd.and_m64s(own, self.of_b),
            ..self
        }
    }
}

/// Pairs of boxes seen from B where a mask says so.
#[inline(always)]
fn seen_from<S: Simd>(p: &Group<S>, from_b: S::m64s) -> Group<S> {
    let Group { ha, hb, r, t, tb } = *p;
    Group {
        ha: select(from_b, hb, ha),
        hb: select(from_b, ha, hb),
        r: [
            select(from_b, [r[0][0], r[1][0], r[2][0]], r[0]),
            select(from_b, [r[0][1], r[1][1], r[2][1]], r[1]),
            select(from_b, [r[0][2], r[1][2], r[2][2]], r[2]),
        ],
        t: select(from_b, reversed(tb), t),
        tb,
    }
}

impl<S: Simd> Group<S> {
    /// Points of B's frame in A's.
    #[inline(always)]
    pub(super) fn point_in_a(&self, p: Vectors<S>) -> Vectors<S> {
        let Self { r, t, .. } = self;
        [
            t[0] + r[0][0] * p[0] + r[1][0] * p[1] + r[2][0] * p[2],
            t[1] + r[0][1] * p[0] + r[1][1] * p[1] + r[2][1] * p[2],
            t[2] + r[0][2] * p[0] + r[1][2] * p[1] + r[2][2] * p[2],
        ]
    }

    /// Directions of A's frame in B's.
    #[inline(always)]
    pub(super) fn direction_in_b(&self, d: Vectors<S>) -> Vectors<S> {
        [dot(self.r[0], d), dot(self.r[1], d), dot(self.r[2], d)]
    }

    /// Lengths to measure noise by (m).
    #[inline(always)]
    pub(super) fn size(&self) -> Lanes<S> {
        largest(self.ha).max(largest(self.hb))
    }
}
