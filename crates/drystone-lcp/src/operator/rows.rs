//! Interface of A for a solver: rows against x.
use super::dense::{DenseOperator, dot};
use std::fmt::Debug;

/// A square matrix A (n x n) as an iterative solver sees it: rows against x, with an accumulator kept up to date.
///
/// An operator may keep a running product in an *accumulator*, so that a row costs less than n multiplications
/// ([`crate::FactoredOperator`] keeps W J^T x). One without an accumulator reports length 0 and reads x instead. The contract:
/// after `start(x, acc)`, and after any number of `x[i] += dx; bump(i, dx, acc)`, `row_dot(i, x, acc)` is (A x)_i up to rounding.
pub trait LcpOperator: Debug + Send + Sync {
    /// Number of rows n.
    fn rows(&self) -> usize;

    /// Length of the accumulator; 0 if none is kept.
    fn accumulator_len(&self) -> usize {
        0
    }

    /// A_ii.
    fn diagonal(&self, i: usize) -> f64;

    /// The part of A_ii that is regularisation (constraint force mixing), 0 if not known.
    fn compliance(&self, _i: usize) -> f64 {
        0.0
    }

    /// Sets the accumulator for x (length n). `acc` has length [`Self::accumulator_len`].
    fn start(&self, _x: &[f64], _acc: &mut [f64]) {}

    /// (A x)_i.
    fn row_dot(&self, i: usize, x: &[f64], acc: &[f64]) -> f64;

    /// Tells the accumulator that x_i has grown by dx.
    fn bump(&self, _i: usize, _dx: f64, _acc: &mut [f64]) {}

    /// A_ij.
    ///
    /// # Cost
    /// A row product and memory for x unless the operator knows better.
    fn entry(&self, i: usize, j: usize) -> f64 {
        let (mut x, mut acc) = (vec![0.0; self.rows()], vec![0.0; self.accumulator_len()]);
        x[j] = 1.0;
        self.start(&x, &mut acc);
        self.row_dot(i, &x, &acc)
    }

    /// Writes a colour for each row, so that A_ij = 0 between different rows of one colour, greedily in row order. A row
    /// whose `after[i]` is another row (not `u32::MAX`) gets a larger colour than that one, which must come earlier in
    /// `order`.
    ///
    /// # Cost
    /// All entries of A unless the operator knows better.
    fn colour(&self, order: &[u32], after: &[u32], colours: &mut Colours) {
        let n = self.rows();
        let Colours { of_row, taken, .. } = colours;
        of_row.clear();
        of_row.resize(n, u32::MAX);
        for &i in order {
            let i = i as usize;
            taken.clear();
            taken.resize(n + 1, false);
            for j in 0..n {
                let coupled = self.entry(i, j) != 0.0 || self.entry(j, i) != 0.0;
                if j != i && of_row[j] != u32::MAX && coupled {
                    taken[of_row[j] as usize] = true;
                }
            }
            let least = parent_colour(i, after, of_row);
            of_row[i] = (least..=n).find(|&c| !taken[c]).unwrap_or(n) as u32;
        }
    }

    /// y = A x; `acc` is overwritten.
    fn apply(&self, x: &[f64], acc: &mut [f64], y: &mut [f64]) {
        self.start(x, acc);
        for (i, y) in y.iter_mut().enumerate() {
            *y = self.row_dot(i, x, acc);
        }
    }

    /// The matrix, entry by entry.
    ///
    /// # Cost
    /// n products unless the operator knows better.
    fn to_dense(&self) -> DenseOperator {
        let n = self.rows();
        let mut dense = DenseOperator::zeros(n);
        let (mut x, mut y, mut acc) = (vec![0.0; n], vec![0.0; n], vec![0.0; self.accumulator_len()]);
        for j in 0..n {
            x[j] = 1.0;
            self.apply(&x, &mut acc, &mut y);
            x[j] = 0.0;
            for i in 0..n {
                dense.set(i, j, y[i]);
            }
        }
        dense
    }

    /// The same into an existing matrix; the operators of this crate reuse its memory.
    fn write_dense(&self, dense: &mut DenseOperator) {
        *dense = self.to_dense();
    }
}

/// Colours of rows, with the memory needed to find them; if kept between calls, it is allocated once.
#[derive(Debug, Clone, Default)]
pub struct Colours {
    /// The colour of each row.
    pub of_row: Vec<u32>,
    /// For each body the colours in use, as bit words.
    pub(crate) used: Vec<Vec<u64>>,
    /// For each colour, whether a coupled row has it.
    pub(crate) taken: Vec<bool>,
}

/// The least colour that row i may have: above that of the row it depends on.
pub(crate) fn parent_colour(i: usize, after: &[u32], colours: &[u32]) -> usize {
    match after.get(i) {
        Some(&parent) if parent != u32::MAX => colours[parent as usize] as usize + 1,
        _ => 0,
    }
}

impl LcpOperator for DenseOperator {
    fn rows(&self) -> usize {
        self.rows
    }

    fn diagonal(&self, i: usize) -> f64 {
        self.get(i, i)
    }

    fn row_dot(&self, i: usize, x: &[f64], _acc: &[f64]) -> f64 {
        dot(self.row(i), x)
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        self.get(i, j)
    }

    fn to_dense(&self) -> DenseOperator {
        self.clone()
    }

    fn write_dense(&self, dense: &mut DenseOperator) {
        dense.clone_from(self);
    }
}
