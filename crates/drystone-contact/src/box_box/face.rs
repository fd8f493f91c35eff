use super::Faces;
use super::axis::Axis;
use drystone_math::Real;
use drystone_math::lanes::{Lanes, Quaternions, Vectors, abs, axes, conjugate, largest, product, put, select, turn};
use pulp::Simd;

/// Cosine of the angle up to which a normal belongs to a face.
const ALIGNED: Real = 0.995;

/// B's face is the reference only if it is better aligned by this difference in cosine.
const PREFERENCE: Real = 1e-6;

/// A corner this far outside (as a fraction of the size) still counts as inside.
const CORNER: Real = 1e-5;

/// Half extents (m) and placements of both boxes of a group of pairs, and the normals from A to B in the world.
pub(super) struct Group<S: Simd> {
    pub half: [Vectors<S>; 2],
    pub position: [Vectors<S>; 2],
    pub orientation: [Quaternions<S>; 2],
    pub normal: Vectors<S>,
}

/// A face of one of two boxes that meet, the reference box, and the other box, for each of a group of pairs.
pub(super) struct Face<S: Simd> {
    /// A mask of where a face meets the normal at all; elsewhere the rest is meaningless.
    pub meets: S::m64s,
    /// A mask of where the face is one of B's.
    pub is_b: S::m64s,
    /// The box's axis that is normal to it.
    pub axis: Axis<S>,
    /// Outwards along the axis.
    pub sign: Lanes<S>,
    /// Outward position of the plane along the axis (m).
    pub level: Lanes<S>,
    /// Half the sides of the face (m).
    pub half: [Lanes<S>; 2],
    /// Half extents of the other box (m).
    pub other: Vectors<S>,
    /// The other box's frame seen from the reference box.
    pub position: Vectors<S>,
    pub axes: [Vectors<S>; 3],
    /// Distances up to this in the plane of the face count as zero (m).
    pub tolerance: Lanes<S>,
    /// Lengths below this are noise (m).
    pub noise: Lanes<S>,
    /// The common beginning of the names of all corners.
    pub key: S::u64s,
}

impl<S: Simd> Face<S> {
    /// The faces at which pairs of boxes meet, if one meets the normal: that of the better aligned box.
    #[inline(always)]
    pub(super) fn of(simd: S, pairs: &Group<S>) -> Self {
        let Group { half: [ha, hb], position: [pa, pb], orientation: [qa, qb], normal: [x, y, z] } = *pairs;
        let n_a = turn(conjugate(qa), [x, y, z]);
        let n_b = turn(conjugate(qb), [x.negated(), y.negated(), z.negated()]);
        let (best_a, best_b) = (largest(abs(n_a)), largest(abs(n_b)));
        let meets = Lanes::splat(simd, ALIGNED).at_most(best_a.max(best_b));
        let is_b = (best_a + Lanes::splat(simd, PREFERENCE)).less(best_b);
        let (h, other, n) = (select(is_b, hb, ha), select(is_b, ha, hb), select(is_b, n_b, n_a));
        let (p, p_other) = (select(is_b, pb, pa), select(is_b, pa, pb));
        let (q, q_other) = (select(is_b, qb, qa), select(is_b, qa, qb));

        // the other box seen from the reference box, as in `Pose::relative_to`
        let back = conjugate(q);
        let position = turn(back, [p_other[0] - p[0], p_other[1] - p[1], p_other[2] - p[2]]);
        let axes = axes(product(back, q_other));

        let axis = Axis::largest(simd, n);
        let sign = Lanes::splat(simd, 1.0).copysign(axis.turned(n)[2]);
        let [u, v, level] = axis.turned(h);
        let none = simd.splat_u64s(0);
        let of_b = simd.select_u64s(is_b, simd.splat_u64s(1 << 40), none);
        let below = simd.select_u64s(sign.less(Lanes::splat(simd, 0.0)), simd.splat_u64s(1 << 35), none);
        Self {
            meets,
            is_b,
            axis,
            sign,
            level,
            half: [u, v],
            other,
            position,
            axes,
            tolerance: Lanes::splat(simd, CORNER) * largest(h).max(largest(other)),
            noise: Lanes::splat(simd, 1e-6) * largest(h),
            key: simd.or_u64s(simd.or_u64s(of_b, below), axis.number([0, 1 << 36, 2 << 36])),
        }
    }

    /// The corners of the face: u and v of each.
    #[inline(always)]
    pub(super) fn corners(&self) -> ([Lanes<S>; 4], [Lanes<S>; 4]) {
        let [h, k] = self.half;
        ([h, h.negated(), h.negated(), h], [k, k, k.negated(), k.negated()])
    }

    /// Writes the data needed afterwards to the place of their group.
    #[inline(always)]
    pub(super) fn note<const N: usize>(&self, simd: S, faces: &mut Faces<N>, group: usize) {
        let (one, none) = (simd.splat_u64s(1), simd.splat_u64s(0));
        S::as_mut_simd_u64s(&mut faces.is_b).0[group] = simd.select_u64s(self.is_b, one, none);
        S::as_mut_simd_u64s(&mut faces.axis).0[group] = self.axis.number([0, 1, 2]);
        self.sign.put(&mut faces.sign, group);
        self.level.put(&mut faces.level, group);
        self.tolerance.put(&mut faces.tolerance, group);
        self.noise.put(&mut faces.noise, group);
        put(self.position, &mut faces.position, group);
        put(self.axes[0], &mut faces.axes[0], group);
        put(self.axes[1], &mut faces.axes[1], group);
        put(self.axes[2], &mut faces.axes[2], group);
    }
}
