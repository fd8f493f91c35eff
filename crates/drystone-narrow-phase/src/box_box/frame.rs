use drystone_math::{Real, Vec3};

/// Two boxes in the frame of the first.
///
/// Symbols: `ha`, `hb` half extents; `r[j]` axis j of B in A's frame; `t` centre of B in A's frame, `tb` the same
/// vector in B's axes.
///
/// Axes are numbered: 0..3 are A's face normals, 3..6 are B's, and `6 + 3 i + j` is the cross product of edges `i` of A and `j` of
/// B.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoxPair {
    pub ha: Vec3,
    pub hb: Vec3,
    pub r: [Vec3; 3],
    pub t: Vec3,
    pub tb: Vec3,
}

impl BoxPair {
    /// The same pair seen from B.
    #[inline(always)]
    pub(super) fn flipped(&self) -> Self {
        let r = &self.r;
        let row = |k: usize| Vec3::new(r[0][k], r[1][k], r[2][k]);
        Self { ha: self.hb, hb: self.ha, r: [row(0), row(1), row(2)], t: -self.tb, tb: -self.t }
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

    /// Separation along any unit vector from A to B in A's frame (m).
    #[inline(always)]
    pub(super) fn separation_along(&self, n: Vec3) -> Real {
        n.dot(self.t) - self.ha.dot(n.abs()) - self.hb.dot(self.direction_in_b(n).abs())
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

    /// The axis as a unit vector from A to B, in A's frame.
    #[inline(always)]
    pub(super) fn direction(&self, axis: usize) -> Vec3 {
        let n = self.axis(axis);
        // `t` is along or against it; if B's centre is exactly beside, the positive side is kept
        if n.dot(self.t) < 0.0 { -n } else { n }
    }
}
