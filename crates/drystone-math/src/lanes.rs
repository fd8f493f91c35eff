//! Numbers, vectors and quaternions of several pairs side by side, so that one instruction handles all of them.
//!
//! They are stored coordinate by coordinate in arrays `[Real; N]`, one number for each of `N` pairs, which form `N / S::F64_LANES` groups. Nothing is fused or reordered:
//! each pair gets the same bits as on its own, on any processor.

use crate::Real;
use core::ops::{Add, Div, Mul, Sub};
use pulp::{Arch, Simd, WithSimd};

/// One number for each pair of a group.
#[must_use]
#[derive(Debug, Clone, Copy)]
pub struct Lanes<S: Simd> {
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

impl<S: Simd> Div for Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self { value: self.simd.div_f64s(self.value, other.value), ..self }
    }
}

impl<S: Simd> Lanes<S> {
    /// The same number for all.
    #[inline(always)]
    pub fn splat(simd: S, value: Real) -> Self {
        Self { simd, value: simd.splat_f64s(value) }
    }

    /// The numbers of a group of pairs.
    #[inline(always)]
    pub fn of<const N: usize>(simd: S, numbers: &[Real; N], group: usize) -> Self {
        Self { simd, value: S::as_simd_f64s(numbers).0[group] }
    }

    /// Writes the numbers back to their group's place.
    #[inline(always)]
    pub fn put<const N: usize>(self, numbers: &mut [Real; N], group: usize) {
        S::as_mut_simd_f64s(numbers).0[group] = self.value;
    }

    /// Absolute values.
    #[inline(always)]
    pub fn abs(self) -> Self {
        Self { value: self.simd.abs_f64s(self.value), ..self }
    }

    /// Negated.
    #[inline(always)]
    pub fn negated(self) -> Self {
        Self { value: self.simd.neg_f64s(self.value), ..self }
    }

    /// Square roots.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self { value: self.simd.sqrt_f64s(self.value), ..self }
    }

    /// Absolute values with the signs of others.
    #[inline(always)]
    pub fn copysign(self, other: Self) -> Self {
        let simd = self.simd;
        let sign = simd.and_f64s(simd.splat_f64s(-0.0), other.value);
        Self { value: simd.or_f64s(self.abs().value, sign), ..self }
    }

    /// The larger ones.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        Self { value: self.simd.max_f64s(self.value, other.value), ..self }
    }

    /// The smaller ones.
    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        Self { value: self.simd.min_f64s(self.value, other.value), ..self }
    }

    /// A mask of where these are less.
    #[inline(always)]
    pub fn less(self, other: Self) -> S::m64s {
        self.simd.less_than_f64s(self.value, other.value)
    }

    /// A mask of where these are not more.
    #[inline(always)]
    pub fn at_most(self, other: Self) -> S::m64s {
        self.simd.less_than_or_equal_f64s(self.value, other.value)
    }

    /// These where the mask says so, others elsewhere.
    #[inline(always)]
    pub fn where_else(self, mask: S::m64s, other: Self) -> Self {
        Self { value: self.simd.select_f64s(mask, self.value, other.value), ..self }
    }
}

/// Runs side-by-side work on the widest registers that the processor has.
#[inline(always)]
pub fn widest<W: WithSimd>(work: W) -> W::Output {
    Arch::new().dispatch(work)
}

/// Returns true if a mask is set for any pair of a group.
#[inline(always)]
pub fn any<S: Simd>(simd: S, mask: S::m64s) -> bool {
    simd.first_true_m64s(mask) < S::F64_LANES
}

/// Four numbers of each pair of a group, from rows that each hold those of one pair.
#[inline(always)]
pub fn columns<S: Simd>(simd: S, rows: &[[Real; 4]]) -> [Lanes<S>; 4] {
    if S::F64_LANES > IN_ORDER {
        let mut numbers = [[0.0; MOST]; 4];
        for (lane, row) in rows.iter().enumerate() {
            write(&mut numbers, lane, *row);
        }
        return quaternions(simd, &numbers, 0);
    }
    let rows = S::as_simd_f64s(rows.as_flattened()).0;
    let [a, b, c, d] = simd.deinterleave_shfl_f64s([rows[0], rows[1], rows[2], rows[3]]);
    [Lanes { simd, value: a }, Lanes { simd, value: b }, Lanes { simd, value: c }, Lanes { simd, value: d }]
}

/// The reverse of [`columns`].
#[inline(always)]
pub fn put_rows<S: Simd>(simd: S, columns: [Lanes<S>; 4], rows: &mut [[Real; 4]]) {
    if S::F64_LANES > IN_ORDER {
        let mut numbers = [[0.0; MOST]; 4];
        put(columns, &mut numbers, 0);
        for (lane, row) in rows.iter_mut().enumerate() {
            *row = read(&numbers, lane);
        }
        return;
    }
    let [a, b, c, d] = columns;
    let all = simd.interleave_shfl_f64s([a.value, b.value, c.value, d.value]);
    S::as_mut_simd_f64s(rows.as_flattened_mut()).0.copy_from_slice(&all);
}

/// Up to this many lanes, shuffles leave the pairs in order; wider registers permute them.
const IN_ORDER: usize = 4;
/// Lanes of the widest registers.
const MOST: usize = 8;

/// One vector for each pair.
pub type Vectors<S> = [Lanes<S>; 3];

/// One quaternion for each pair.
pub type Quaternions<S> = [Lanes<S>; 4];

/// Scalar products.
#[inline(always)]
pub fn dot<S: Simd>(a: Vectors<S>, b: Vectors<S>) -> Lanes<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Cross products.
#[inline(always)]
pub fn cross<S: Simd>(a: Vectors<S>, b: Vectors<S>) -> Vectors<S> {
    [a[1] * b[2] - b[1] * a[2], a[2] * b[0] - b[2] * a[0], a[0] * b[1] - b[0] * a[1]]
}

/// Absolute values of coordinates.
#[inline(always)]
pub fn abs<S: Simd>(a: Vectors<S>) -> Vectors<S> {
    [a[0].abs(), a[1].abs(), a[2].abs()]
}

/// Negated vectors.
#[inline(always)]
pub fn reversed<S: Simd>(a: Vectors<S>) -> Vectors<S> {
    [a[0].negated(), a[1].negated(), a[2].negated()]
}

/// The nearest points of boxes about the origin, given their half extents.
#[inline(always)]
pub fn clamped<S: Simd>(a: Vectors<S>, half: Vectors<S>) -> Vectors<S> {
    [
        a[0].max(half[0].negated()).min(half[0]),
        a[1].max(half[1].negated()).min(half[1]),
        a[2].max(half[2].negated()).min(half[2]),
    ]
}

/// The largest coordinates.
#[inline(always)]
pub fn largest<S: Simd>([x, y, z]: Vectors<S>) -> Lanes<S> {
    x.max(y).max(z)
}

/// Some coordinates where the mask says so, others elsewhere.
#[inline(always)]
pub fn select<S: Simd, const C: usize>(mask: S::m64s, these: [Lanes<S>; C], others: [Lanes<S>; C]) -> [Lanes<S>; C] {
    let mut chosen = others;
    for (chosen, these) in chosen.iter_mut().zip(&these) {
        *chosen = these.where_else(mask, *chosen);
    }
    chosen
}

/// The reverse rotations.
#[inline(always)]
pub fn conjugate<S: Simd>([x, y, z, w]: Quaternions<S>) -> Quaternions<S> {
    [x.negated(), y.negated(), z.negated(), w]
}

/// Vectors turned by unit quaternions, with the rounding of [`crate::Quat`].
#[inline(always)]
pub fn turn<S: Simd>([x, y, z, w]: Quaternions<S>, v: Vectors<S>) -> Vectors<S> {
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

/// Products of quaternions, with the same rounding.
#[inline(always)]
pub fn product<S: Simd>([x0, y0, z0, w0]: Quaternions<S>, [x1, y1, z1, w1]: Quaternions<S>) -> Quaternions<S> {
    [
        w0 * x1 + x0 * w1 + y0 * z1 - z0 * y1,
        w0 * y1 - x0 * z1 + y0 * w1 + z0 * x1,
        w0 * z1 + x0 * y1 - y0 * x1 + z0 * w1,
        w0 * w1 - x0 * x1 - y0 * y1 - z0 * z1,
    ]
}

/// The axes of frames turned by these quaternions, with the rounding of [`crate::Mat3`].
#[inline(always)]
pub fn axes<S: Simd>([x, y, z, w]: Quaternions<S>) -> [Vectors<S>; 3] {
    let one = Lanes::splat(w.simd, 1.0);
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz) = (x * x2, x * y2, x * z2);
    let (yy, yz, zz) = (y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    [[one - (yy + zz), xy + wz, xz - wy], [xy - wz, one - (xx + zz), yz + wx], [xz + wy, yz - wx, one - (xx + yy)]]
}

/// The vectors of a group of pairs.
#[inline(always)]
pub fn vectors<S: Simd, const N: usize>(simd: S, [x, y, z]: &[[Real; N]; 3], group: usize) -> Vectors<S> {
    [Lanes::of(simd, x, group), Lanes::of(simd, y, group), Lanes::of(simd, z, group)]
}

/// The quaternions of a group of pairs.
#[inline(always)]
pub fn quaternions<S: Simd, const N: usize>(simd: S, [x, y, z, w]: &[[Real; N]; 4], group: usize) -> Quaternions<S> {
    [Lanes::of(simd, x, group), Lanes::of(simd, y, group), Lanes::of(simd, z, group), Lanes::of(simd, w, group)]
}

/// Writes coordinates back to their group's place.
#[inline(always)]
pub fn put<S: Simd, const N: usize, const C: usize>(values: [Lanes<S>; C], lanes: &mut [[Real; N]; C], group: usize) {
    for (lanes, value) in lanes.iter_mut().zip(&values) {
        value.put(lanes, group);
    }
}

/// Reads the coordinates of one pair.
#[inline(always)]
pub fn read<const N: usize, const C: usize>(lanes: &[[Real; N]; C], lane: usize) -> [Real; C] {
    let mut numbers = [0.0; C];
    for (number, lanes) in numbers.iter_mut().zip(lanes) {
        *number = lanes[lane];
    }
    numbers
}

/// Writes the coordinates of one pair.
#[inline(always)]
pub fn write<const N: usize, const C: usize>(lanes: &mut [[Real; N]; C], lane: usize, numbers: [Real; C]) {
    for (lanes, number) in lanes.iter_mut().zip(&numbers) {
        lanes[lane] = *number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pulp::{Arch, Scalar, Scalar128b, Scalar256b, Scalar512b, WithSimd};

    /// Rows to columns and back.
    struct Turned<'a>(&'a [[Real; 4]; MOST]);

    impl WithSimd for Turned<'_> {
        type Output = ();

        fn with_simd<S: Simd>(self, simd: S) {
            let mut back = [[0.0; 4]; MOST];
            for first in (0..MOST).step_by(S::F64_LANES) {
                let own = first..first + S::F64_LANES;
                let turned = columns(simd, &self.0[own.clone()]);
                let mut numbers = [[0.0; MOST]; 4];
                put(turned, &mut numbers, 0);
                for lane in 0..S::F64_LANES {
                    assert_eq!(read(&numbers, lane), self.0[first + lane], "lane {lane} of {}", S::F64_LANES);
                }
                put_rows(simd, turned, &mut back[own]);
            }
            assert_eq!(back, *self.0);
        }
    }

    #[test]
    fn rows_become_columns_in_their_order_in_registers_of_any_width() {
        let rows = core::array::from_fn(|row| core::array::from_fn(|i| (10 * row + i) as Real));
        Turned(&rows).with_simd(Scalar);
        Turned(&rows).with_simd(Scalar128b);
        Turned(&rows).with_simd(Scalar256b);
        Turned(&rows).with_simd(Scalar512b);
        Arch::new().dispatch(Turned(&rows));
    }
}
