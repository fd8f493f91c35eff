use drystone_geometry::Cuboid;
use drystone_math::{Mat3, Pose, Real, Vec3};

/// Two boxes in the frame of the first.
///
/// Symbols: `ha`, `hb` half extents; `r[j]` axis j of B in A's frame; `t` centre of B in A's frame, `tb` the same
/// vector in B's axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoxPair {
    pub ha: Vec3,
    pub hb: Vec3,
    pub r: [Vec3; 3],
    pub ar: [Vec3; 3],
    pub t: Vec3,
    pub tb: Vec3,
}

/// Squared sine of the angle below which two edges count as parallel: their cross product is no axis of its own.
const PARALLEL_EDGES: Real = 1e-14;

/// The number of the axis that is the cross product of edges `i` of A and `j` of B; 0..3 are A's face normals, 3..6
/// those of B.
pub(super) const fn edge_axis(i: usize, j: usize) -> usize {
    6 + 3 * i + j
}

impl BoxPair {
    #[inline(always)]
    pub(super) fn new(a: &Cuboid, pose_a: &Pose, b: &Cuboid, pose_b: &Pose) -> Self {
        let rel = pose_b.relative_to(pose_a);
        let m = Mat3::from_quat(rel.orientation);
        let r = [m.x_axis, m.y_axis, m.z_axis];
        let t = rel.position;
        Self {
            ha: a.half_extents(),
            hb: b.half_extents(),
            r,
            ar: [r[0].abs(), r[1].abs(), r[2].abs()],
            t,
            tb: Vec3::new(r[0].dot(t), r[1].dot(t), r[2].dot(t)),
        }
    }

    /// The same pair seen from B.
    #[inline(always)]
    pub(super) fn flipped(&self) -> Self {
        let r = &self.r;
        let row = |k: usize| Vec3::new(r[0][k], r[1][k], r[2][k]);
        let r = [row(0), row(1), row(2)];
        Self { ha: self.hb, hb: self.ha, r, ar: [r[0].abs(), r[1].abs(), r[2].abs()], t: -self.tb, tb: -self.t }
    }

    /// A point of B's frame in A's.
    #[inline(always)]
    pub(super) fn point_in_a(&self, p: Vec3) -> Vec3 {
        self.t + self.r[0] * p.x + self.r[1] * p.y + self.r[2] * p.z
    }

    /// A direction of A's frame in B's.
    #[inline(always)]
    pub(super) fn direction_in_b(&self, d: Vec3) -> Vec3 {
        Vec3::new(self.r[0].dot(d), self.r[1].dot(d), self.r[2].dot(d))
    }

    /// A length to measure noise by (m).
    #[inline(always)]
    pub(super) fn size(&self) -> Real {
        self.ha.max_element().max(self.hb.max_element())
    }

    /// Separations along A's face normals (m), as a vector.
    #[inline(always)]
    pub(super) fn faces_a(&self) -> Vec3 {
        self.t.abs() - self.ha - self.ar[0] * self.hb.x - self.ar[1] * self.hb.y - self.ar[2] * self.hb.z
    }

    /// Separations along B's face normals (m).
    #[inline(always)]
    pub(super) fn faces_b(&self) -> Vec3 {
        let spread = Vec3::new(self.ar[0].dot(self.ha), self.ar[1].dot(self.ha), self.ar[2].dot(self.ha));
        self.tb.abs() - self.hb - spread
    }

    /// Separations along the cross products of A's edges and edge `j` of B, times their lengths, and the lengths squared: all three of A's edges at once.
    #[inline(always)]
    fn edges_with(&self, j: usize) -> (Vec3, Vec3) {
        let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
        let next = |v: Vec3| Vec3::new(v.y, v.z, v.x);
        let last = |v: Vec3| Vec3::new(v.z, v.x, v.y);
        let (b, ar) = (self.r[j], self.ar[j]);
        let spread_a = next(self.ha) * last(ar) + last(self.ha) * next(ar);
        let spread_b = self.ar[j2] * self.hb[j1] + self.ar[j1] * self.hb[j2];
        let squares = b * b;
        (b.cross(self.t).abs() - spread_a - spread_b, next(squares) + last(squares))
    }

    /// Separation along the cross product of edge `i` of A and `j` of B, times its length, and the length squared.
    #[inline(always)]
    pub(super) fn edge(&self, i: usize, j: usize) -> (Real, Real) {
        let (separations, lengths) = self.edges_with(j);
        (separations.to_array()[i], lengths.to_array()[i])
    }

    /// Separation along any of the 15 axes (m); minus infinity where edges are parallel.
    #[inline(always)]
    pub(super) fn separation(&self, axis: usize) -> Real {
        match axis {
            0..3 => self.faces_a().to_array()[axis],
            3..6 => self.faces_b().to_array()[axis - 3],
            _ => {
                let (e, l2) = self.edge((axis - 6) / 3, (axis - 6) % 3);
                if l2 > PARALLEL_EDGES { e / l2.sqrt() } else { Real::NEG_INFINITY }
            }
        }
    }

    /// Separation along any unit vector from A to B in A's frame (m).
    #[inline(always)]
    pub(super) fn separation_along(&self, n: Vec3) -> Real {
        n.dot(self.t) - self.ha.dot(n.abs()) - self.hb.dot(self.direction_in_b(n).abs())
    }

    /// The edge pair whose axis separates the most, with its separation (m); only those above `floor` count.
    #[inline(always)]
    pub(super) fn best_edges(&self, floor: Real) -> (Real, Option<usize>) {
        let with = |j: usize| {
            let (separations, lengths) = self.edges_with(j);
            (separations.to_array(), lengths.to_array())
        };
        let all = [with(0), with(1), with(2)];
        // not e > best sqrt(l2), without the root where it cannot be
        let below = |e: Real, l2: Real, best: Real| {
            (e < 0.0 && best < 0.0 && e * e >= best * best * l2) || (e <= 0.0 && best >= 0.0) || l2 <= PARALLEL_EDGES
        };
        // which may be above the floor is asked of all at once, and only those are looked at one by one
        let squared = if floor < 0.0 { floor * floor } else { -1.0 };
        let mut above = 0_u32;
        for (j, (separations, lengths)) in all.iter().enumerate() {
            for i in 0..3 {
                let (e, l2) = (separations[i], lengths[i]);
                let (deeper, parallel) = (e * e >= squared * l2, l2 <= PARALLEL_EDGES);
                above |= u32::from(!((e < 0.0) & deeper | parallel)) << (3 * i + j);
            }
        }
        let (mut best, mut axis) = (floor, None);
        while above != 0 {
            let pair = above.trailing_zeros() as usize;
            above &= above - 1;
            let (separations, lengths) = all[pair % 3];
            let (e, l2) = (separations[pair / 3], lengths[pair / 3]);
            if !below(e, l2, best) {
                let s = e / l2.sqrt();
                if s > best {
                    (best, axis) = (s, Some(edge_axis(pair / 3, pair % 3)));
                }
            }
        }
        (best, axis)
    }

    /// The axis as a unit vector in A's frame: a box's own axis, or the cross product of two.
    #[inline(always)]
    pub(super) fn axis(&self, axis: usize) -> Vec3 {
        match axis {
            0..3 => Vec3::AXES[axis],
            3..6 => self.r[axis - 3],
            _ => {
                let (i, j) = ((axis - 6) / 3, (axis - 6) % 3);
                Vec3::AXES[i].cross(self.r[j]).normalize()
            }
        }
    }

    /// Sine of the angle between the edges of an edge axis.
    #[inline(always)]
    pub(super) fn sine(&self, axis: usize) -> Real {
        self.edge((axis - 6) / 3, (axis - 6) % 3).1.sqrt()
    }

    /// The axis as a unit vector from A to B, in A's frame.
    #[inline(always)]
    pub(super) fn direction(&self, axis: usize) -> Vec3 {
        let n = self.axis(axis);
        // `t` is along or against it; a box exactly beside keeps the positive side
        if n.dot(self.t) < 0.0 { -n } else { n }
    }
}
