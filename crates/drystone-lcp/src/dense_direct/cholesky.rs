use super::BLOCK;
use super::product::{Place, Product};
use crate::operator::dense::dot;
use crate::vectors::{Work, vectorised};

/// Rows that are solved side by side.
const LANES: usize = 8;

/// A = L L^T, of a lower triangle in rows `stride` apart.
///
/// # Source
/// Golub, Van Loan 2013, section 4.2.7 (blocked, right-looking).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lower {
    pub(crate) stride: usize,
    pub(crate) rows: usize,
}

impl Lower {
    /// Replaces A's lower triangle by L; false, with the work partly done, if A is not positive definite to working precision.
    ///
    /// # Cost
    /// n^3 / 6 multiplications.
    pub(crate) fn factor(self, a: &mut [f64], product: &mut Product) -> bool {
        let Self { stride, rows } = self;
        for top in (0..rows).step_by(BLOCK) {
            let end = (top + BLOCK).min(rows);
            if !factor_block(a, stride, top, end) {
                return false;
            }
            if end == rows {
                break;
            }
            vectorised(Strips { l: None, x: &mut *a, stride, top, end, rows: (end, rows) });
            product.take_left(a, stride, end..rows, top..end);
            product.take_transposed(a, stride, end..rows, top..end);
            product.subtract_from(a, Place { stride, top: end, left: end, lower: true });
        }
        true
    }

    /// X <- X L^-T for `count` rows of X, each as long as L: every row x becomes the solution y of L y = x.
    pub(crate) fn solve_rows(self, l: &[f64], x: &mut [f64], count: usize, product: &mut Product) {
        let n = self.rows;
        for top in (0..n).step_by(BLOCK) {
            let end = (top + BLOCK).min(n);
            vectorised(Strips { l: Some((l, self.stride)), x: &mut *x, stride: n, top, end, rows: (0, count) });
            if end < n {
                product.take_left(x, n, 0..count, top..end);
                product.take_transposed(l, self.stride, end..n, top..end);
                product.subtract_from(x, Place { stride: n, top: 0, left: end, lower: false });
            }
        }
    }

    fn row(self, l: &[f64], i: usize) -> &[f64] {
        &l[i * self.stride..=i * self.stride + i]
    }

    /// y <- L^-1 y, for as many rows as y has.
    pub(crate) fn forward(self, l: &[f64], y: &mut [f64]) {
        for i in 0..y.len() {
            let (known, rest) = y.split_at_mut(i);
            let row = self.row(l, i);
            rest[0] = (rest[0] - dot(&row[..i], known)) / row[i];
        }
    }

    /// y <- L^-T y.
    pub(crate) fn backward(self, l: &[f64], y: &mut [f64]) {
        for i in (0..y.len()).rev() {
            let row = self.row(l, i);
            let value = y[i] / row[i];
            y[i] = value;
            for (y, l) in y[..i].iter_mut().zip(row) {
                *y -= l * value;
            }
        }
    }
}

/// The block on the diagonal, row by row.
fn factor_block(a: &mut [f64], stride: usize, top: usize, end: usize) -> bool {
    for i in top..end {
        let (above, below) = a.split_at_mut(i * stride);
        let row = &mut below[top..=i];
        for j in top..i {
            let other = &above[j * stride + top..=j * stride + j];
            let k = j - top;
            row[k] = (row[k] - dot(&row[..k], &other[..k])) / other[k];
        }
        let k = i - top;
        let pivot = row[k] - dot(&row[..k], &row[..k]);
        // also if it is NaN
        if pivot.is_nan() || pivot <= 0.0 || pivot.is_infinite() {
            return false;
        }
        row[k] = pivot.sqrt();
    }
    true
}

/// Rows of x in the columns of a block, times L^-T of that block, eight rows side by side.
struct Strips<'a> {
    /// L and the stride of its rows; `None` if L lies in x itself.
    l: Option<(&'a [f64], usize)>,
    x: &'a mut [f64],
    stride: usize,
    top: usize,
    end: usize,
    rows: (usize, usize),
}

impl Work for Strips<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { l, x, stride, top, end, rows } = self;
        let width = end - top;
        let mut strip = [[0.0; LANES]; BLOCK];
        for first in (rows.0..rows.1).step_by(LANES) {
            let used = LANES.min(rows.1 - first);
            for lane in 0..used {
                let row = (first + lane) * stride;
                for (entry, value) in strip.iter_mut().zip(&x[row + top..row + end]) {
                    entry[lane] = *value;
                }
            }
            let (l, apart) = l.unwrap_or((&*x, stride));
            for j in 0..width {
                let row = &l[(top + j) * apart + top..=(top + j) * apart + top + j];
                let mut sums = [0.0; LANES];
                for (l, known) in row[..j].iter().zip(&strip) {
                    for lane in 0..LANES {
                        sums[lane] += l * known[lane];
                    }
                }
                for lane in 0..LANES {
                    strip[j][lane] = (strip[j][lane] - sums[lane]) / row[j];
                }
            }
            for lane in 0..used {
                let row = (first + lane) * stride;
                for (entry, value) in x[row + top..row + end].iter_mut().zip(&strip) {
                    *entry = value[lane];
                }
            }
        }
    }
}
