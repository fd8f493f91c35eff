use core::ops::{Add, Mul, Sub};
use drystone_math::Real;
use pulp::Simd;

/// One number of each of the pairs that are worked out by one instruction. Nothing is fused: the bits of a pair are those that it has alone.
#[derive(Clone, Copy)]
pub(super) struct Lanes<S: Simd> {
    simd: S,
    value: S::f64s,
}

impl<S: Simd> Add for Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { value: self.simd.add_f64s(self.value, other.value), ..self }
    }
}

impl<S: Simd> Sub for Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { value: self.simd.sub_f64s(self.value, other.value), ..self }
    }
}

impl<S: Simd> Mul for Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self { value: self.simd.mul_f64s(self.value, other.value), ..self }
    }
}

impl<S: Simd> Lanes<S> {
    /// The same number for all.
    #[inline(always)]
    pub(super) fn splat(simd: S, value: Real) -> Self {
        Self { simd, value: simd.splat_f64s(value) }
    }

    /// Those of a group of pairs.
    #[inline(always)]
    pub(super) fn of<const N: usize>(simd: S, numbers: &[Real; N], group: usize) -> Self {
        Self { simd, value: S::as_simd_f64s(numbers).0[group] }
    }

    /// Writes them where those of their group are.
    #[inline(always)]
    pub(super) fn put<const N: usize>(self, numbers: &mut [Real; N], group: usize) {
        S::as_mut_simd_f64s(numbers).0[group] = self.value;
    }

    #[inline(always)]
    pub(super) fn abs(self) -> Self {
        Self { value: self.simd.abs_f64s(self.value), ..self }
    }

    /// With the other sign.
    #[inline(always)]
    pub(super) fn negated(self) -> Self {
        Self { value: self.simd.neg_f64s(self.value), ..self }
    }

    /// The larger ones.
    #[inline(always)]
    pub(super) fn max(self, other: Self) -> Self {
        Self { value: self.simd.max_f64s(self.value, other.value), ..self }
    }

    /// Where these are less.
    #[inline(always)]
    pub(super) fn less(self, other: Self) -> S::m64s {
        self.simd.less_than_f64s(self.value, other.value)
    }

    /// Where these are not more.
    #[inline(always)]
    pub(super) fn at_most(self, other: Self) -> S::m64s {
        self.simd.less_than_or_equal_f64s(self.value, other.value)
    }

    /// These where the mask says so, others elsewhere.
    #[inline(always)]
    pub(super) fn where_else(self, mask: S::m64s, other: Self) -> Self {
        Self { value: self.simd.select_f64s(mask, self.value, other.value), ..self }
    }
}

/// A vector of each of these pairs.
pub(super) type Vectors<S> = [Lanes<S>; 3];

/// A quaternion of each.
pub(super) type Quaternions<S> = [Lanes<S>; 4];

#[inline(always)]
pub(super) fn dot<S: Simd>(a: Vectors<S>, b: Vectors<S>) -> Lanes<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(super) fn cross<S: Simd>(a: Vectors<S>, b: Vectors<S>) -> Vectors<S> {
    [a[1] * b[2] - b[1] * a[2], a[2] * b[0] - b[2] * a[0], a[0] * b[1] - b[0] * a[1]]
}

#[inline(always)]
pub(super) fn abs<S: Simd>(a: Vectors<S>) -> Vectors<S> {
    [a[0].abs(), a[1].abs(), a[2].abs()]
}

#[inline(always)]
pub(super) fn conjugate<S: Simd>([x, y, z, w]: Quaternions<S>) -> Quaternions<S> {
    [x.negated(), y.negated(), z.negated(), w]
}

/// Vectors turned by unit quaternions, rounded as [`drystone_math::Quat`] does it.
#[inline(always)]
pub(super) fn turn<S: Simd>([x, y, z, w]: Quaternions<S>, v: Vectors<S>) -> Vectors<S> {
    let b = [x, y, z];
    let two = Lanes::splat(w.simd, 2.0);
    let (own, along, c) = (w * w - dot(b, b), dot(v, b) * two, cross(b, v));
    let across = w * two;
    [
        v[0] * own + b[0] * along + c[0] * across,
        v[1] * own + b[1] * along + c[1] * across,
        v[2] * own + b[2] * along + c[2] * across,
    ]
}

/// Products of quaternions, likewise.
#[inline(always)]
pub(super) fn product<S: Simd>([x0, y0, z0, w0]: Quaternions<S>, [x1, y1, z1, w1]: Quaternions<S>) -> Quaternions<S> {
    [
        w0 * x1 + x0 * w1 + y0 * z1 - z0 * y1,
        w0 * y1 - x0 * z1 + y0 * w1 + z0 * x1,
        w0 * z1 + x0 * y1 - y0 * x1 + z0 * w1,
        w0 * w1 - x0 * x1 - y0 * y1 - z0 * z1,
    ]
}

/// The axes of frames that are turned so, rounded as [`drystone_math::Mat3`] does it.
#[inline(always)]
pub(super) fn axes<S: Simd>([x, y, z, w]: Quaternions<S>) -> [Vectors<S>; 3] {
    let one = Lanes::splat(w.simd, 1.0);
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz) = (x * x2, x * y2, x * z2);
    let (yy, yz, zz) = (y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    [[one - (yy + zz), xy + wz, xz - wy], [xy - wz, one - (xx + zz), yz + wx], [xz + wy, yz - wx, one - (xx + yy)]]
}
