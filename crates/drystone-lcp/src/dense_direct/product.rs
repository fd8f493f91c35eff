use super::BLOCK;
use crate::vectors::{Work, vectorised};
use std::ops::Range;

/// Rows and columns of a tile, whose sums stay in registers.
const ROWS: usize = 4;
const COLUMNS: usize = 8;

/// C <- C - A B: both factors are copied into tiles first, so that they may be parts of the matrix that C is a part of.
#[derive(Debug, Default)]
pub(crate) struct Product {
    /// Entry p of row i of A, four rows side by side.
    left: Vec<f64>,
    /// Entry p of column j of B, eight columns side by side.
    right: Vec<f64>,
    depth: usize,
    rows: usize,
    columns: usize,
}

/// Position of C in a matrix of rows `stride` apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) stride: usize,
    pub(crate) top: usize,
    pub(crate) left: usize,
    /// True if tiles above the diagonal may be left out.
    pub(crate) lower: bool,
}

impl Product {
    /// Takes some columns of rows of A.
    pub(crate) fn take_left(&mut self, a: &[f64], stride: usize, rows: Range<usize>, columns: Range<usize>) {
        (self.rows, self.depth) = (rows.len(), columns.len());
        pack::<ROWS>(&mut self.left, a, stride, rows, columns);
    }

    /// Takes the transpose of B: its rows are the columns of the product.
    pub(crate) fn take_transposed(&mut self, b: &[f64], stride: usize, rows: Range<usize>, columns: Range<usize>) {
        debug_assert_eq!(self.depth, columns.len());
        self.columns = rows.len();
        pack::<COLUMNS>(&mut self.right, b, stride, rows, columns);
    }

    /// Takes B.
    pub(crate) fn take_right(&mut self, b: &[f64], stride: usize, rows: Range<usize>, columns: Range<usize>) {
        debug_assert_eq!(self.depth, rows.len());
        self.columns = columns.len();
        let depth = rows.len();
        self.right.clear();
        self.right.resize(self.columns.div_ceil(COLUMNS) * COLUMNS * depth, 0.0);
        for (tile, left) in columns.clone().step_by(COLUMNS).enumerate() {
            let used = COLUMNS.min(columns.end - left);
            for (p, row) in rows.clone().enumerate() {
                let target = (tile * depth + p) * COLUMNS;
                self.right[target..target + used].copy_from_slice(&b[row * stride + left..row * stride + left + used]);
            }
        }
    }

    /// Subtracts what was taken.
    pub(crate) fn subtract_from(&self, c: &mut [f64], place: Place) {
        if self.rows > 0 && self.columns > 0 && self.depth > 0 {
            vectorised(Subtraction { product: self, c, place });
        }
    }
}

/// C <- C - F F^T for rows f of length `length`, c square of as many rows.
pub(crate) fn subtract_gram(product: &mut Product, c: &mut [f64], f: &[f64], length: usize, rows: usize) {
    for begin in (0..length).step_by(BLOCK) {
        let columns = begin..(begin + BLOCK).min(length);
        product.take_left(f, length, 0..rows, columns.clone());
        product.take_transposed(f, length, 0..rows, columns);
        product.subtract_from(c, Place { stride: rows, top: 0, left: 0, lower: false });
    }
}

/// Rows in groups of `N`, entry by entry; zeros where there are no more rows.
fn pack<const N: usize>(target: &mut Vec<f64>, a: &[f64], stride: usize, rows: Range<usize>, columns: Range<usize>) {
    let depth = columns.len();
    target.clear();
    target.resize(rows.len().div_ceil(N) * N * depth, 0.0);
    for (k, row) in rows.enumerate() {
        let (tile, lane) = (k / N, k % N);
        let source = &a[row * stride + columns.start..row * stride + columns.end];
        let tiles = &mut target[tile * depth * N..(tile + 1) * depth * N];
        for (group, value) in tiles.chunks_exact_mut(N).zip(source) {
            group[lane] = *value;
        }
    }
}

struct Subtraction<'a> {
    product: &'a Product,
    c: &'a mut [f64],
    place: Place,
}

impl Work for Subtraction<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { product, c, place } = self;
        let depth = product.depth;
        for (top, left) in product.left.chunks_exact(ROWS * depth).enumerate().map(|(k, tile)| (k * ROWS, tile)) {
            let rows = ROWS.min(product.rows - top);
            for (side, right) in product.right.chunks_exact(COLUMNS * depth).enumerate() {
                let side = side * COLUMNS;
                if place.lower && place.left + side > place.top + top + rows - 1 {
                    break;
                }
                let columns = COLUMNS.min(product.columns - side);
                let sums = tile(left, right);
                for (i, sums) in sums.iter().enumerate().take(rows) {
                    let start = (place.top + top + i) * place.stride + place.left + side;
                    for (entry, sum) in c[start..start + columns].iter_mut().zip(sums) {
                        *entry -= sum;
                    }
                }
            }
        }
    }
}

/// One tile of the product.
#[inline(always)]
fn tile(left: &[f64], right: &[f64]) -> [[f64; COLUMNS]; ROWS] {
    let mut sums = [[0.0; COLUMNS]; ROWS];
    let (left, right) = (left.as_chunks::<ROWS>().0, right.as_chunks::<COLUMNS>().0);
    for (a, b) in left.iter().zip(right) {
        for i in 0..ROWS {
            for j in 0..COLUMNS {
                sums[i][j] += a[i] * b[j];
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SplitMix64;

    fn numbers(count: usize, seed: u64) -> Vec<f64> {
        let mut random = SplitMix64::new(seed);
        (0..count).map(|_| random.range(-1.0, 1.0)).collect()
    }

    #[test]
    fn entries_are_sums_in_order_of_the_depth_to_the_last_bit() {
        for (m, n, depth) in [(1, 1, 1), (4, 8, 3), (5, 9, 32), (13, 7, 31)] {
            let (a, b, mut c) = (numbers(m * depth, 1), numbers(depth * n, 2), numbers(m * n, 3));
            let mut product = Product::default();
            product.take_left(&a, depth, 0..m, 0..depth);
            product.take_right(&b, n, 0..depth, 0..n);
            let before = c.clone();
            product.subtract_from(&mut c, Place { stride: n, top: 0, left: 0, lower: false });
            for i in 0..m {
                for j in 0..n {
                    let sum = (0..depth).fold(0.0, |sum, p| sum + a[i * depth + p] * b[p * n + j]);
                    assert_eq!(
                        c[i * n + j].to_bits(),
                        (before[i * n + j] - sum).to_bits(),
                        "{m} x {n} x {depth}: {i}, {j}"
                    );
                }
            }
        }
    }
}
