use super::axis::Axis;
use super::corners::Corners;
use super::face::Face;
use drystone_math::Real;
use drystone_math::lanes::{Lanes, any};
use pulp::Simd;

/// A number for each of four corners or edges.
type Four<S> = [Lanes<S>; 4];

/// A mask for each of four corners or edges.
type Marks<S> = [<S as Simd>::m64s; 4];

/// The face of the other box that most nearly faces the reference face, by its four corners, for each of a group of pairs: coordinates (u, v) in the plane of the
/// reference face, the coordinate along its axis, and heights above it.
pub(super) struct Facing<S: Simd> {
    simd: S,
    u: Four<S>,
    v: Four<S>,
    along: Four<S>,
    height: Four<S>,
    /// Height of the face: `slope . (u, v) + base`.
    slope: [Lanes<S>; 2],
    base: Lanes<S>,
    key: S::u64s,
}

/// One coordinate of the corners of a rectangle about `middle` with the half axes `a` and `b`: + a + b, - a + b, - a - b, + a - b.
#[inline(always)]
fn rectangle<S: Simd>(middle: Lanes<S>, a: Lanes<S>, b: Lanes<S>) -> Four<S> {
    [middle + a + b, middle - a + b, middle - a - b, middle + a - b]
}

impl<S: Simd> Facing<S> {
    /// The faces opposite reference faces.
    #[inline(always)]
    pub(super) fn new(simd: S, face: &Face<S>) -> Self {
        // the other box's axes, and its middle, in coordinates of the face
        let [x, y, z] =
            [face.axis.turned(face.axes[0]), face.axis.turned(face.axes[1]), face.axis.turned(face.axes[2])];
        let along = [x[2] * face.sign, y[2] * face.sign, z[2] * face.sign];
        let [mut at_u, mut at_v, at] = face.axis.turned(face.position);
        let mut at = at * face.sign;
        // the other's axes reordered too, that of its face last
        let own = Axis::largest(simd, along);
        let (u, v) = (own.turned([x[0], y[0], z[0]]), own.turned([x[1], y[1], z[1]]));
        let (along, [g1, g2, g]) = (own.turned(along), own.turned(face.other));
        let out = g.copysign(along[2]);
        at_u = at_u - u[2] * out;
        at_v = at_v - v[2] * out;
        at = at - along[2] * out;
        let u4 = rectangle(at_u, u[0] * g1, u[1] * g2);
        let v4 = rectangle(at_v, v[0] * g1, v[1] * g2);
        let along4 = rectangle(at, along[0] * g1, along[1] * g2);
        let mut height = along4;
        for i in 0..4 {
            height[i] = along4[i] - face.level;
        }
        let steep = Lanes::splat(simd, -1.0) / along[2];
        let slope = [u[2] * steep, v[2] * steep];
        let downwards = along[2].less(Lanes::splat(simd, 0.0));
        let below = simd.select_u64s(downwards, simd.splat_u64s(1 << 32), simd.splat_u64s(0));
        let name = simd.or_u64s(own.number([0, 1 << 33, 2 << 33]), below);
        Self {
            simd,
            base: height[0] - (slope[0] * u4[0] + slope[1] * v4[0]),
            u: u4,
            v: v4,
            along: along4,
            height,
            slope,
            key: simd.or_u64s(face.key, name),
        }
    }

    /// Records the corners of the overlap of the face and the reference face; for crossings of their edges, only which exist and where along the edges. There are none if no face
    /// meets the normal.
    ///
    /// # Source
    /// Thesis 6.3 (K-11): corners of both faces first; a crossing of two edges only where not both ends of one of them
    /// are contacts already, and the ends of each lie on opposite sides of the other.
    #[inline(always)]
    pub(super) fn cut<const N: usize>(
        &self,
        face: &Face<S>,
        envelope: &[Real; N],
        (corners, group): (&mut Corners<N>, usize),
    ) {
        let simd = self.simd;
        let envelope = Lanes::of(simd, envelope, group);
        let none = simd.splat_u64s(0);
        let inside = self.inside(face);
        let own = self.note_own(&inside, envelope, (corners, group));
        let (mut of_reference, mut crossings) = (none, none);
        // this mostly settles small faces on large ones, and a single pair whose boxes meet edge to edge
        let open = self.but_where_all(face.meets, &inside);
        if any(simd, open) {
            let covered = self.covers(face);
            of_reference = self.note_covered(face, (&inside, &covered, open), envelope, (corners, group));
            let open = self.but_where_all(open, &covered);
            if any(simd, open) {
                crossings = self.note_crossings(face, (&inside, &covered, open), (corners, group));
            }
        }
        let kept = simd.or_u64s(simd.select_u64s(face.meets, own, none), of_reference);
        S::as_mut_simd_u64s(&mut corners.kept).0[group] = kept;
        S::as_mut_simd_u64s(&mut corners.crossings).0[group] = crossings;
        S::as_mut_simd_u64s(&mut corners.name).0[group] = self.key;
    }

    /// A mask, cleared where all four are set.
    #[inline(always)]
    fn but_where_all(&self, mask: S::m64s, [a, b, c, d]: &Marks<S>) -> S::m64s {
        let simd = self.simd;
        simd.and_m64s(mask, simd.not_m64s(simd.and_m64s(simd.and_m64s(*a, *b), simd.and_m64s(*c, *d))))
    }

    /// Bit `step i + from` is set where mask i of the four is.
    #[inline(always)]
    fn bits(&self, marks: &Marks<S>, step: usize, from: usize) -> S::u64s {
        let simd = self.simd;
        let none = simd.splat_u64s(0);
        let mut bits = none;
        for (i, &mark) in marks.iter().enumerate() {
            bits = simd.or_u64s(bits, simd.select_u64s(mark, simd.splat_u64s(1 << (step * i + from)), none));
        }
        bits
    }

    /// Which corners of the face are over the rectangle of the reference face.
    #[inline(always)]
    fn inside(&self, face: &Face<S>) -> Marks<S> {
        let simd = self.simd;
        let [h, k] = face.half;
        let nowhere = simd.less_than_f64s(simd.splat_f64s(0.0), simd.splat_f64s(0.0));
        let mut inside = [nowhere; 4];
        for (i, inside) in inside.iter_mut().enumerate() {
            let across = (self.u[i].abs() - h).at_most(face.tolerance);
            let along = (self.v[i].abs() - k).at_most(face.tolerance);
            *inside = simd.and_m64s(across, along);
        }
        inside
    }

    /// Records the corners of the face; returns which are kept.
    #[inline(always)]
    fn note_own<const N: usize>(
        &self,
        inside: &Marks<S>,
        envelope: Lanes<S>,
        (corners, group): (&mut Corners<N>, usize),
    ) -> S::u64s {
        let simd = self.simd;
        let mut kept = *inside;
        for i in 0..4 {
            kept[i] = simd.and_m64s(inside[i], self.height[i].at_most(envelope));
            corners.note(simd, (i, group), [self.u[i], self.v[i], self.along[i], self.height[i]], inside[i]);
        }
        self.bits(&kept, 1, 0)
    }

    /// Records the corners of the rectangle that the face covers, unless a corner is already there; returns which are
    /// kept.
    #[inline(always)]
    fn note_covered<const N: usize>(
        &self,
        face: &Face<S>,
        (inside, covered, open): (&Marks<S>, &Marks<S>, S::m64s),
        envelope: Lanes<S>,
        (corners, group): (&mut Corners<N>, usize),
    ) -> S::u64s {
        let simd = self.simd;
        let (u, v) = face.corners();
        let mut kept = *covered;
        let twice = Lanes::splat(simd, 2.0) * face.tolerance;
        for m in 0..4 {
            let mut found = simd.and_m64s(covered[m], open);
            for (i, &inside) in inside.iter().enumerate() {
                let across = (self.u[i] - u[m]).abs().at_most(twice);
                let along = (self.v[i] - v[m]).abs().at_most(twice);
                let held = simd.and_m64s(inside, simd.and_m64s(across, along));
                found = simd.and_m64s(found, simd.not_m64s(held));
            }
            let separation = self.slope[0] * u[m] + self.slope[1] * v[m] + self.base;
            kept[m] = simd.and_m64s(found, separation.at_most(envelope));
            corners.note(simd, (4 + m, group), [u[m], v[m], face.level + separation, separation], found);
        }
        self.bits(&kept, 1, 4)
    }

    /// Which corners of the rectangle lie within the face.
    #[inline(always)]
    fn covers(&self, face: &Face<S>) -> Marks<S> {
        let simd = self.simd;
        let (u, v) = face.corners();
        let zero = Lanes::splat(simd, 0.0);
        let [ax, ay] = [self.u[1] - self.u[0], self.v[1] - self.v[0]];
        let [bx, by] = [self.u[2] - self.u[1], self.v[2] - self.v[1]];
        let turn = Lanes::splat(simd, 1.0).copysign(ax * by - ay * bx);
        let mut within = [simd.equal_f64s(simd.splat_f64s(0.0), simd.splat_f64s(0.0)); 4];
        for i in 0..4 {
            let j = (i + 1) % 4;
            let (x, y) = (self.u[j] - self.u[i], self.v[j] - self.v[i]);
            let slack = face.tolerance * (x * x + y * y).sqrt();
            for m in 0..4 {
                let reach = turn * (x * (v[m] - self.v[i]) - y * (u[m] - self.u[i])) + slack;
                within[m] = simd.and_m64s(within[m], zero.at_most(reach));
            }
        }
        within
    }

    /// Records where along the edges of the face they cross the sides of the rectangle; sets bit `4 i + side` if edge `i` crosses that side, except for edges and sides with both
    /// ends found. The sides are u = +h, v = +h, u = -h, v = -h; the ends of a side are corners `side - 1` and `side` of the rectangle.
    #[inline(always)]
    fn note_crossings<const N: usize>(
        &self,
        face: &Face<S>,
        (inside, covered, open): (&Marks<S>, &Marks<S>, S::m64s),
        (corners, group): (&mut Corners<N>, usize),
    ) -> S::u64s {
        let simd = self.simd;
        let ([h, k], (u, v)) = (face.half, (&self.u, &self.v));
        let sides = [(u, v, h, k), (v, u, k, h), (u, v, h.negated(), k), (v, u, k.negated(), h)];
        let (zero, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
        let mut crossed = simd.splat_u64s(0);
        for side in 0..4 {
            let (across, along, wall, half) = sides[side];
            let mut off = *across;
            for i in 0..4 {
                off[i] = across[i] - wall;
            }
            let held = simd.and_m64s(covered[(side + 3) % 4], covered[side]);
            let mut marks = *inside;
            for i in 0..4 {
                let j = (i + 1) % 4;
                let part = off[i] / (off[i] - off[j]);
                part.put(&mut corners.parts[4 * i + side], group);
                let at = along[i] * (one - part) + along[j] * part;
                let crosses = simd.and_m64s((off[i] * off[j]).less(zero), at.abs().less(half));
                let held = simd.or_m64s(held, simd.and_m64s(inside[i], inside[j]));
                marks[i] = simd.and_m64s(crosses, simd.not_m64s(held));
            }
            crossed = simd.or_u64s(crossed, self.bits(&marks, 4, side));
        }
        simd.select_u64s(open, crossed, simd.splat_u64s(0))
    }
}
