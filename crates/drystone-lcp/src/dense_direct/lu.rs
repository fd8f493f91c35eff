use super::BLOCK;
use super::product::{Place, Product};
use crate::buffers::{collect, refill};
use crate::operator::dense::dot;
use crate::vectors::{Work, vectorised};

/// P A = L U with partial pivoting.
///
/// # Source
/// Golub, Van Loan 2013, section 3.4.7 (blocked, right-looking).
#[derive(Debug, Default)]
pub(crate) struct Lu {
    n: usize,
    /// U, and below its diagonal L, whose own diagonal is 1.
    factors: Vec<f64>,
    /// The row of A that became row i.
    rows: Vec<usize>,
    answer: Vec<f64>,
    product: Product,
}

impl Lu {
    /// Factors a square matrix in the memory of the last one; `fill` writes its n^2 entries, row by row, into an empty vector. If the matrix is singular,
    /// a pivot is zero or solutions are not finite.
    ///
    /// # Cost
    /// n^3 / 3 multiplications.
    pub(crate) fn factor(&mut self, n: usize, fill: impl FnOnce(&mut Vec<f64>)) {
        self.n = n;
        self.factors.clear();
        fill(&mut self.factors);
        debug_assert_eq!(self.factors.len(), n * n);
        collect(&mut self.rows, 0..n);
        for top in (0..n).step_by(BLOCK) {
            let end = (top + BLOCK).min(n);
            self.factor_panel(top, end);
            if end == n {
                break;
            }
            let Self { factors, product, .. } = self;
            vectorised(Above { factors: &mut *factors, n, top, end });
            product.take_left(factors, n, end..n, top..end);
            product.take_right(factors, n, top..end, end..n);
            product.subtract_from(factors, Place { stride: n, top: end, left: end, lower: false });
        }
    }

    /// Factors some columns, from their diagonal down.
    fn factor_panel(&mut self, top: usize, end: usize) {
        let n = self.n;
        for k in top..end {
            let mut best = (k, 0.0_f64);
            for i in k..n {
                let size = self.factors[i * n + k].abs();
                if size > best.1 {
                    best = (i, size);
                }
            }
            if best.0 != k {
                let (above, below) = self.factors.split_at_mut(best.0 * n);
                above[k * n..k * n + n].swap_with_slice(&mut below[..n]);
                self.rows.swap(k, best.0);
            }
            vectorised(Column { factors: &mut self.factors, n, k, end });
        }
    }

    /// Smallest and largest |U_ii|; infinity and zero if there are none.
    pub(crate) fn pivots(&self) -> (f64, f64) {
        let pivots = (0..self.n).map(|i| self.factors[i * self.n + i].abs());
        // a NaN must not be ignored
        pivots.fold((f64::INFINITY, 0.0_f64), |(least, most), v| {
            (if least.is_nan() || v.is_nan() { f64::NAN } else { least.min(v) }, most.max(v))
        })
    }

    /// Replaces c by A^-1 c; not finite if A is singular.
    pub(crate) fn solve(&mut self, c: &mut [f64]) {
        let n = self.n;
        let x = &mut self.answer;
        x.clear();
        x.extend(self.rows.iter().map(|&i| c[i]));
        for i in 0..n {
            x[i] -= dot(&self.factors[i * n..i * n + i], &x[..i]);
        }
        for i in (0..n).rev() {
            let row = &self.factors[i * n..(i + 1) * n];
            x[i] = (x[i] - dot(&row[i + 1..], &x[i + 1..])) / row[i];
        }
        c.copy_from_slice(x);
    }

    /// A^-1, row by row.
    pub(crate) fn inverse(&self, inverse: &mut Vec<f64>) {
        let n = self.n;
        refill(inverse, n * n, 0.0);
        for (i, &row) in self.rows.iter().enumerate() {
            inverse[i * n + row] = 1.0;
        }
        vectorised(Inverse { factors: &self.factors, n, x: inverse });
    }
}

/// Divides column k by its pivot and eliminates it from the columns up to `end`.
struct Column<'a> {
    factors: &'a mut [f64],
    n: usize,
    k: usize,
    end: usize,
}

impl Work for Column<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { factors, n, k, end } = self;
        let (above, below) = factors.split_at_mut((k + 1) * n);
        let pivot = &above[k * n + k..k * n + end];
        for row in below.chunks_exact_mut(n) {
            let row = &mut row[k..end];
            let factor = row[0] / pivot[0];
            row[0] = factor;
            for (entry, u) in row[1..].iter_mut().zip(&pivot[1..]) {
                *entry -= factor * u;
            }
        }
    }
}

/// The rows of U right of a factored panel.
struct Above<'a> {
    factors: &'a mut [f64],
    n: usize,
    top: usize,
    end: usize,
}

impl Work for Above<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { factors, n, top, end } = self;
        for i in top + 1..end {
            let (above, below) = factors.split_at_mut(i * n);
            for j in top..i {
                let l = below[j];
                for (entry, u) in below[end..n].iter_mut().zip(&above[j * n + end..(j + 1) * n]) {
                    *entry -= l * u;
                }
            }
        }
    }
}

/// Solves for all columns of the identity at once, with its rows in the order of the pivots.
struct Inverse<'a> {
    factors: &'a [f64],
    n: usize,
    /// Rows of the identity, and of the answer at the end.
    x: &'a mut [f64],
}

impl Work for Inverse<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { factors, n, x } = self;
        for i in 0..n {
            let (above, below) = x.split_at_mut(i * n);
            subtract_rows(&mut below[..n], above, &factors[i * n..i * n + i]);
        }
        for i in (0..n).rev() {
            let (above, below) = x.split_at_mut((i + 1) * n);
            let row = &mut above[i * n..];
            subtract_rows(row, below, &factors[i * n + i + 1..(i + 1) * n]);
            let pivot = factors[i * n + i];
            for entry in row {
                *entry /= pivot;
            }
        }
    }
}

/// Subtracts rows, each times its factor.
#[inline(always)]
fn subtract_rows(target: &mut [f64], rows: &[f64], factors: &[f64]) {
    for (row, factor) in rows.chunks_exact(target.len().max(1)).zip(factors) {
        for (entry, value) in target.iter_mut().zip(row) {
            *entry -= factor * value;
        }
    }
}
