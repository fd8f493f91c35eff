use drystone_math::Real;
use drystone_math::lanes::{Lanes, Vectors, abs, cross, dot, largest};
use pulp::Simd;

/// Squared sine of the angle below which two edges count as parallel: their cross product gives no separate axis.
const PARALLEL_EDGES: Real = 1e-14;

/// Gaps of the boxes of `N` pairs along their fifteen axes, stored axis by axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Separations<const N: usize> {
    /// Along A's face normals, B's, and the cross products of edges, times the lengths of these (m).
    axes: [[Real; N]; 15],
    /// The lengths squared: one for the faces.
    squares: [[Real; N]; 15],
    /// Along the axis of last time (m).
    last: [Real; N],
    /// The face along whose normal the boxes are farthest apart.
    face: [u64; N],
    /// The separation along it (m).
    floor: [Real; N],
    /// A bit for each pair of edges that may separate the boxes by more than that.
    above: [u64; N],
}

/// Half extents of a group of pairs of boxes, axes of B and the middle of B in A's frame, and the latter in B's axes: see [`super::frame::BoxPair`].
pub(super) struct Group<S: Simd> {
    pub ha: Vectors<S>,
    pub hb: Vectors<S>,
    pub r: [Vectors<S>; 3],
    pub t: Vectors<S>,
    pub tb: Vectors<S>,
}

impl<const N: usize> Separations<N> {
    /// None are known yet.
    pub(super) const UNKNOWN: Self = Self {
        axes: [[0.0; N]; 15],
        squares: [[1.0; N]; 15],
        last: [Real::NEG_INFINITY; N],
        face: [0; N],
        floor: [0.0; N],
        above: [0; N],
    };

    /// Notes the separations of a group of pairs. B's face must beat A's by `face_margin`, as a fraction of the size.
    #[inline(always)]
    pub(super) fn set<S: Simd>(&mut self, simd: S, group: usize, p: &Group<S>, face_margin: Real) {
        let ar = [abs(p.r[0]), abs(p.r[1]), abs(p.r[2])];
        let margin = Lanes::splat(simd, face_margin) * largest(p.ha).max(largest(p.hb));

        // the six faces, and the best of them
        let Group { ha, hb, t, tb, .. } = *p;
        let of_a = [
            t[0].abs() - ha[0] - ar[0][0] * hb[0] - ar[1][0] * hb[1] - ar[2][0] * hb[2],
            t[1].abs() - ha[1] - ar[0][1] * hb[0] - ar[1][1] * hb[1] - ar[2][1] * hb[2],
            t[2].abs() - ha[2] - ar[0][2] * hb[0] - ar[1][2] * hb[1] - ar[2][2] * hb[2],
        ];
        let of_b = [
            tb[0].abs() - hb[0] - dot(ar[0], ha),
            tb[1].abs() - hb[1] - dot(ar[1], ha),
            tb[2].abs() - hb[2] - dot(ar[2], ha),
        ];
        for k in 0..3 {
            of_a[k].put(&mut self.axes[k], group);
            of_b[k].put(&mut self.axes[3 + k], group);
        }
        let ((face_a, s_a), (face_b, s_b)) = (best(simd, of_a, 0), best(simd, of_b, 3));
        let is_b = (s_a + margin).less(s_b);
        let floor = s_b.where_else(is_b, s_a);
        floor.put(&mut self.floor, group);
        S::as_mut_simd_u64s(&mut self.face).0[group] = simd.select_u64s(is_b, face_b, face_a);

        // the nine edge pairs: all are tested at once for being above the floor, and only those that may be are examined one
        // by one
        let zero = Lanes::splat(simd, 0.0);
        let squared = (floor * floor).where_else(floor.less(zero), Lanes::splat(simd, -1.0));
        let first = self.set_edges(simd, group, (p, &ar), 0, squared);
        let second = self.set_edges(simd, group, (p, &ar), 1, squared);
        let third = self.set_edges(simd, group, (p, &ar), 2, squared);
        let above = simd.or_u64s(simd.or_u64s(first, second), third);
        S::as_mut_simd_u64s(&mut self.above).0[group] = above;
    }

    /// Notes the separations along the cross products of A's edges and edge `j` of B; returns which of them may be above the floor, which is passed as its square, or as a
    /// negative number if it is not below zero.
    #[inline(always)]
    fn set_edges<S: Simd>(
        &mut self,
        simd: S,
        group: usize,
        (p, ar): (&Group<S>, &[Vectors<S>; 3]),
        j: usize,
        squared: Lanes<S>,
    ) -> S::u64s {
        let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
        let (b, across) = (p.r[j], cross(p.r[j], p.t));
        let (zero, parallel) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, PARALLEL_EDGES));
        let none = simd.splat_u64s(0);
        let mut above = none;
        for i in 0..3 {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            let spread_a = p.ha[i1] * ar[j][i2] + p.ha[i2] * ar[j][i1];
            let spread_b = ar[j2][i] * p.hb[j1] + ar[j1][i] * p.hb[j2];
            let e = across[i].abs() - spread_a - spread_b;
            let l2 = b[i1] * b[i1] + b[i2] * b[i2];
            e.put(&mut self.axes[6 + 3 * i + j], group);
            l2.put(&mut self.squares[6 + 3 * i + j], group);
            let deeper = simd.and_m64s(e.less(zero), (squared * l2).at_most(e * e));
            let out = simd.or_m64s(deeper, l2.at_most(parallel));
            let bit = simd.splat_u64s(1 << (3 * i + j));
            above = simd.or_u64s(above, simd.select_u64s(out, none, bit));
        }
        above
    }

    /// The face along whose normal a pair's boxes are farthest apart, with the separation along it (m).
    #[inline(always)]
    pub(super) fn best_face(&self, lane: usize) -> (usize, Real) {
        (self.face[lane] as usize, self.floor[lane])
    }

    /// Separation of a pair along any of the 15 axes (m); minus infinity if the edges are parallel.
    #[inline(always)]
    pub(super) fn along(&self, lane: usize, axis: usize) -> Real {
        let (e, l2) = (self.axes[axis][lane], self.squares[axis][lane]);
        if l2 > PARALLEL_EDGES { e / l2.sqrt() } else { Real::NEG_INFINITY }
    }

    /// Notes the separation along each pair's axis of last time, if it had one, for all pairs before any answer is used.
    #[inline(always)]
    pub(super) fn set_last(&mut self, lane: usize, axis: Option<usize>) {
        let separation = self.along(lane, axis.unwrap_or(0));
        self.last[lane] = if axis.is_some() { separation } else { Real::NEG_INFINITY };
    }

    /// Separation along the axis of last time (m); minus infinity if there was none, or if its edges are parallel.
    #[inline(always)]
    pub(super) fn last(&self, lane: usize) -> Real {
        self.last[lane]
    }

    /// Sine of the angle between the edges of an edge axis.
    #[inline(always)]
    pub(super) fn sine(&self, lane: usize, axis: usize) -> Real {
        self.squares[axis][lane].sqrt()
    }

    /// The edge pair along whose axis a pair's boxes are farthest apart, with that separation (m), if it exceeds that of every face.
    #[inline(always)]
    pub(super) fn best_edges(&self, lane: usize) -> Option<(usize, Real)> {
        // not e > best sqrt(l2), without taking the root if it cannot be
        let below = |e: Real, l2: Real, best: Real| {
            (e < 0.0 && best < 0.0 && e * e >= best * best * l2) || (e <= 0.0 && best >= 0.0) || l2 <= PARALLEL_EDGES
        };
        let (mut best, mut axis) = (self.floor[lane], None);
        let mut above = self.above[lane];
        while above != 0 {
            let pair = above.trailing_zeros() as usize;
            above &= above - 1;
            let (e, l2) = (self.axes[6 + pair][lane], self.squares[6 + pair][lane]);
            if !below(e, l2, best) {
                let s = e / l2.sqrt();
                if s > best {
                    (best, axis) = (s, Some(6 + pair));
                }
            }
        }
        axis.map(|axis| (axis, best))
    }
}

/// The indices of the largest coordinates (the first of equals, except among the last two), counted from a number on, and how
/// large they are.
#[inline(always)]
fn best<S: Simd>(simd: S, [x, y, z]: Vectors<S>, from: u64) -> (S::u64s, Lanes<S>) {
    let first = simd.and_m64s(y.at_most(x), z.at_most(x));
    let last = y.less(z);
    let number = |k: u64| simd.splat_u64s(from + k);
    let of_two = simd.select_u64s(last, number(2), number(1));
    (simd.select_u64s(first, number(0), of_two), x.where_else(first, z.where_else(last, y)))
}
