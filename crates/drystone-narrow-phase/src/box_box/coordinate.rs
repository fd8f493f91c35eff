use drystone_math::lanes::{Lanes, Vectors, select};
use pulp::Simd;

/// Which coordinate of a vector to take, for each of a group of pairs.
pub(super) struct Coordinate<S: Simd> {
    /// Masks of where it is x, y and z.
    pub masks: [S::m64s; 3],
}

impl<S: Simd> Coordinate<S> {
    /// Those with a number from 0 to 2.
    #[inline(always)]
    pub(super) fn numbered(simd: S, number: Lanes<S>) -> Self {
        let (first, last) = (number.less(Lanes::splat(simd, 0.5)), Lanes::splat(simd, 1.5).less(number));
        Self { masks: [first, simd.not_m64s(simd.or_m64s(first, last)), last] }
    }

    /// For axes of pairs of boxes, given their numbers: the axis of A and the axis of B that belong to them, if there is one. See
    /// [`super::frame::BoxPair`].
    #[inline(always)]
    pub(super) fn of_axis(simd: S, number: Lanes<S>) -> (Self, Self) {
        let (one, three, six) = (Lanes::splat(simd, 1.0), Lanes::splat(simd, 3.0), Lanes::splat(simd, 6.0));
        let is_face = number.less(Lanes::splat(simd, 5.5));
        let pair = number - six;
        // a third below i at the first of three, a third above it at the last
        let i = Self::numbered(simd, number.where_else(is_face, (pair - one) / three));
        let [_, second, third] = i.masks;
        let j = (pair - three).where_else(second, (pair - six).where_else(third, pair));
        (i, Self::numbered(simd, (number - three).where_else(is_face, j)))
    }

    /// Those of three vectors.
    #[inline(always)]
    pub(super) fn choose(&self, [x, y, z]: [Vectors<S>; 3]) -> Vectors<S> {
        select(self.masks[0], x, select(self.masks[1], y, z))
    }

    /// Vectors with these coordinates of others.
    #[inline(always)]
    pub(super) fn with(&self, v: Vectors<S>, other: Vectors<S>) -> Vectors<S> {
        let [x, y, z] = self.masks;
        [other[0].where_else(x, v[0]), other[1].where_else(y, v[1]), other[2].where_else(z, v[2])]
    }

    /// The face across this axis on the side where the coordinate of a vector points, by the bits of [`super::FEATURES`].
    #[inline(always)]
    pub(super) fn face(&self, simd: S, v: Vectors<S>) -> S::u64s {
        let (zero, none) = (Lanes::splat(simd, 0.0), simd.splat_u64s(0));
        let mut bits = none;
        for (k, v) in v.iter().enumerate() {
            let side = simd.select_u64s(v.less(zero), simd.splat_u64s(9 << k), simd.splat_u64s(1 << k));
            bits = simd.or_u64s(bits, simd.select_u64s(self.masks[k], side, none));
        }
        bits
    }
}
