use drystone_math::lanes::{Lanes, Vectors, abs};
use drystone_math::{Real, Vec3};
use pulp::Simd;

/// One of three axes for each of a group of pairs, expressed by selecting between registers, since a branch on it would be
/// mispredicted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis<S: Simd> {
    simd: S,
    /// A mask of where it is the first one.
    first: S::m64s,
    /// A mask of where it is the last one.
    last: S::m64s,
}

impl<S: Simd> Axis<S> {
    /// The axes of the coordinates of largest absolute value; the first of equals, except among the last two.
    #[inline(always)]
    pub(super) fn largest(simd: S, c: Vectors<S>) -> Self {
        let [x, y, z] = abs(c);
        let first = simd.and_m64s(y.at_most(x), z.at_most(x));
        Self { simd, first, last: simd.and_m64s(simd.not_m64s(first), y.less(z)) }
    }

    /// A number for each of the three.
    #[inline(always)]
    pub(super) fn number(self, [first, second, last]: [u64; 3]) -> S::u64s {
        let simd = self.simd;
        let others = simd.select_u64s(self.last, simd.splat_u64s(last), simd.splat_u64s(second));
        simd.select_u64s(self.first, simd.splat_u64s(first), others)
    }

    #[inline(always)]
    fn choose(self, first: Lanes<S>, second: Lanes<S>, last: Lanes<S>) -> Lanes<S> {
        first.where_else(self.first, last.where_else(self.last, second))
    }

    /// Reorders coordinates of vectors to u, v, and along the axis. [`placed`] is the reverse.
    #[inline(always)]
    pub(super) fn turned(self, [x, y, z]: Vectors<S>) -> Vectors<S> {
        [self.choose(y, z, x), self.choose(z, x, y), self.choose(x, y, z)]
    }
}

/// Which of u, v and along are x, y and z, for each axis.
const BACK: [[usize; 3]; 3] = [[2, 0, 1], [1, 2, 0], [0, 1, 2]];

/// The vector whose coordinates are u, v and along an axis. They are read by index: a branch on the axis would be mispredicted.
#[inline(always)]
pub(super) fn placed(c: [Real; 3], axis: usize) -> Vec3 {
    let [x, y, z] = BACK[axis];
    Vec3::new(c[x], c[y], c[z])
}
