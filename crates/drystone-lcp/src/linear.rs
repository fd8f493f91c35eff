use crate::buffers::{collect, copy, refill};
use crate::dense_direct::cholesky::Lower;
use crate::dense_direct::lu::Lu;
use crate::dense_direct::product::Product;
use crate::{DenseOperator, LcpOperator};

/// A square matrix factored as P A Q = L U by Gaussian elimination with complete pivoting, stopped at the numerical rank.
///
/// A singular compatible system has a line (or more) of solutions; [`Self::solve`] takes the values of the `n - rank` free
/// unknowns from its argument, so that a caller can continue from the last solution instead of jumping to another one.
///
/// # Source
/// Baraff 1995, (9)-(10): R A_11 = U, permuted so that U = [U_1 U_2; 0 0]; x_2 free, U_1 x_1 = c_1 - U_2 x_2 (E-12, F-35).
#[derive(Debug, Clone, Default)]
pub struct RankRevealingFactors {
    n: usize,
    rank: usize,
    lu: Vec<f64>,
    rows: Vec<usize>,
    columns: Vec<usize>,
}

impl RankRevealingFactors {
    /// Factors A; a pivot at most `tolerance` times the largest entry of A counts as zero.
    ///
    /// # Cost
    /// 2/3 n^3 multiplications and additions, and as many comparisons.
    pub fn new(a: &DenseOperator, tolerance: f64) -> Self {
        let mut factors = Self::default();
        factors.factor(a, tolerance);
        factors
    }

    /// Factors another matrix in the memory of the last one, see [`Self::new`].
    pub fn factor(&mut self, a: &DenseOperator, tolerance: f64) {
        let n = a.rows();
        let Self { lu, rows, columns, .. } = self;
        copy(lu, a.entries());
        collect(rows, 0..n);
        collect(columns, 0..n);
        let limit = tolerance * lu.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let mut rank = 0;
        let mut best = largest(lu, n, 0);
        while rank < n {
            let (value, pi, pj) = best;
            if value.is_nan() || value <= limit {
                break;
            }
            // Exchange rows, then columns.
            if pi != rank {
                let (top, bottom) = lu.split_at_mut(pi * n);
                top[rank * n..rank * n + n].swap_with_slice(&mut bottom[..n]);
                rows.swap(rank, pi);
            }
            if pj != rank {
                for i in 0..n {
                    lu.swap(i * n + rank, i * n + pj);
                }
                columns.swap(rank, pj);
            }
            // Eliminate below, and look for the next pivot on the way.
            let (top, bottom) = lu.split_at_mut((rank + 1) * n);
            let pivot_row = &top[rank * n..];
            let pivot = pivot_row[rank];
            best = (0.0, rank + 1, rank + 1);
            for (k, row) in bottom.chunks_exact_mut(n).enumerate() {
                let factor = row[rank] / pivot;
                row[rank] = factor;
                for j in rank + 1..n {
                    if factor != 0.0 {
                        row[j] -= factor * pivot_row[j];
                    }
                    if row[j].abs() > best.0 {
                        best = (row[j].abs(), rank + 1 + k, j);
                    }
                }
            }
            rank += 1;
        }
        (self.n, self.rank) = (n, rank);
    }

    /// The numerical rank.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Solves A x = c. On entry x (length n) holds the values that free unknowns keep; on return it holds the solution.
    /// Returns the largest |c_2|, which reveals an incompatible system: it is 0 up to rounding for a compatible one.
    pub fn solve(&self, c: &[f64], x: &mut [f64]) -> f64 {
        self.solve_with(c, x, &mut Vec::new())
    }

    /// The same, with memory for intermediate values of c.
    pub fn solve_with(&self, c: &[f64], x: &mut [f64], y: &mut Vec<f64>) -> f64 {
        let (n, rank) = (self.n, self.rank);
        collect(y, self.rows.iter().map(|&i| c[i]));
        for i in 0..n {
            let mut sum = y[i];
            for (j, known) in y.iter().enumerate().take(i.min(rank)) {
                sum -= self.lu[i * n + j] * known;
            }
            y[i] = sum;
        }
        let incompatible = y[rank..].iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        for i in (0..rank).rev() {
            let mut sum = y[i];
            for j in i + 1..n {
                sum -= self.lu[i * n + j] * x[self.columns[j]];
            }
            x[self.columns[i]] = sum / self.lu[i * n + i];
        }
        incompatible
    }
}

/// Largest entry of the trailing block, and its place.
fn largest(lu: &[f64], n: usize, from: usize) -> (f64, usize, usize) {
    let mut best = (0.0, from, from);
    for i in from..n {
        for j in from..n {
            if lu[i * n + j].abs() > best.0 {
                best = (lu[i * n + j].abs(), i, j);
            }
        }
    }
    best
}

/// A solution larger than this times the right-hand side's scale indicates a singular system.
const LARGEST_GROWTH: f64 = 1e14;

/// A Cholesky pivot below this, relative to the largest, indicates a dependent row.
const SMALLEST_PIVOT: f64 = 1e-7;

/// The same for a pivot of LU.
const SMALLEST_LU_PIVOT: f64 = 1e-12;

/// Dense systems A x = c, one after the other, with the memory of their factors.
///
/// Each method writes the solution to x if it returns true; otherwise x is arbitrary.
#[derive(Debug, Default)]
pub(crate) struct DenseSystems {
    lu: Lu,
    ranked: RankRevealingFactors,
    /// The lower triangle of A, then of its factor.
    lower: Vec<f64>,
    product: Product,
    /// Intermediate right-hand sides.
    column: Vec<f64>,
}

impl DenseSystems {
    /// By LU with partial pivoting; false if A is singular to working precision.
    pub(crate) fn solve(&mut self, a: &DenseOperator, c: &[f64], x: &mut Vec<f64>) -> bool {
        copy(x, c);
        let n = a.rows();
        if n == 0 {
            return true;
        }
        self.lu.factor(n, |entries| entries.extend_from_slice(a.entries()));
        self.lu.solve(x);
        let size = |v: &[f64]| v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let scale = size(a.entries());
        x.iter().all(|v| v.is_finite()) && size(x) * scale <= LARGEST_GROWTH * size(c).max(f64::MIN_POSITIVE)
    }

    /// As [`Self::solve`], but false also if a pivot of U shows that rows depend on each other.
    pub(crate) fn solve_regular(&mut self, a: &DenseOperator, c: &[f64], x: &mut Vec<f64>) -> bool {
        copy(x, c);
        let n = a.rows();
        if n == 0 {
            return true;
        }
        self.lu.factor(n, |entries| entries.extend_from_slice(a.entries()));
        let (least, most) = self.lu.pivots();
        if least.is_nan() || least <= SMALLEST_LU_PIVOT * most {
            return false;
        }
        self.lu.solve(x);
        true
    }

    /// By Cholesky's factorisation of A's lower triangle; false if A is not positive definite to working precision.
    pub(crate) fn solve_positive_definite(&mut self, a: &DenseOperator, c: &[f64], x: &mut Vec<f64>) -> bool {
        copy(&mut self.lower, a.entries());
        self.solve_lower(c, x)
    }

    /// The same for the block of some rows of A.
    pub(crate) fn solve_principal(&mut self, a: &DenseOperator, rows: &[usize], c: &[f64], x: &mut Vec<f64>) -> bool {
        if rows.len() == a.rows() && rows.iter().enumerate().all(|(k, &i)| k == i) {
            return self.solve_positive_definite(a, c, x);
        }
        let n = rows.len();
        refill(&mut self.lower, n * n, 0.0);
        for (k, &i) in rows.iter().enumerate() {
            let source = a.row(i);
            for (target, &j) in self.lower[k * n..=k * n + k].iter_mut().zip(rows) {
                *target = source[j];
            }
        }
        self.solve_lower(c, x)
    }

    /// The same with the lower triangle already in place.
    fn solve_lower(&mut self, c: &[f64], x: &mut Vec<f64>) -> bool {
        let Self { lower: l, product, .. } = self;
        let n = c.len();
        copy(x, c);
        if n == 0 {
            return true;
        }
        let lower = Lower { stride: n, rows: n };
        if !lower.factor(l, product) {
            return false;
        }
        // The smallest pivot tells whether the rows are independent beyond rounding.
        let pivots = l.iter().step_by(n + 1);
        let (least, most) = pivots.fold((f64::INFINITY, 0.0_f64), |(least, most), v| (least.min(*v), most.max(*v)));
        if least <= SMALLEST_PIVOT * most {
            return false;
        }
        lower.forward(l, x);
        lower.backward(l, x);
        true
    }

    /// By [`RankRevealingFactors`]: on entry x holds the values that free unknowns keep.
    pub(crate) fn solve_ranked(&mut self, a: &DenseOperator, tolerance: f64, c: &[f64], x: &mut [f64]) {
        self.ranked.factor(a, tolerance);
        self.ranked.solve_with(c, x, &mut self.column);
    }

    /// For a singular A: solves the least-squares problem damped by `damping` (relative to the largest entry of A^T A).
    pub(crate) fn solve_damped(&mut self, a: &DenseOperator, c: &[f64], damping: f64, x: &mut Vec<f64>) {
        let n = a.rows();
        refill(x, n, 0.0);
        self.lu.factor(n, |normal| {
            normal.resize(n * n, 0.0);
            for (row, c) in (0..n).map(|i| a.row(i)).zip(c) {
                for (left, target) in row.iter().zip(normal.chunks_exact_mut(n)) {
                    target.iter_mut().zip(row).for_each(|(entry, right)| *entry += left * right);
                }
                x.iter_mut().zip(row).for_each(|(x, a)| *x += a * c);
            }
            let scale = normal.iter().step_by(n + 1).fold(0.0_f64, |m, v| m.max(*v));
            for entry in normal.iter_mut().step_by(n + 1) {
                *entry += damping * scale.max(f64::MIN_POSITIVE);
            }
        });
        self.lu.solve(x);
        for x in x.iter_mut().filter(|x| !x.is_finite()) {
            *x = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seeds_singular_system_keeps_its_free_unknown() {
        // O-06: the leading 3x3 block is singular; from the last f_2 the same solution is found.
        let a = DenseOperator::from_rows([[2.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 2.0]]);
        let factors = RankRevealingFactors::new(&a, 1e-12);
        assert_eq!(factors.rank(), 2);
        for last in [[1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0], [0.5, 0.0, 0.5]] {
            let mut f = last;
            assert!(factors.solve(&[1.0, 1.0, 1.0], &mut f) < 1e-12);
            assert!(f.iter().zip(&last).all(|(f, l)| (f - l).abs() < 1e-12), "{f:?}");
        }
    }
}
