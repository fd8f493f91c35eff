//! The matrix A behind one small interface.
pub(crate) mod dense;
pub(crate) mod factored;
pub(crate) mod factored_row;
mod rows;
pub(crate) mod sparse;

use crate::{DenseOperator, FactoredOperator, SparseOperator};
pub use rows::{Colours, LcpOperator};

/// An owned operator of any kind. The variants exist so that solvers can be trait objects and still run their inner
/// loop on a known type.
#[derive(Debug)]
pub enum Operator {
    /// All entries.
    Dense(DenseOperator),
    /// Compressed rows.
    Sparse(SparseOperator),
    /// J W J^T + diag(cfm).
    Factored(FactoredOperator),
    /// Anything else, at the price of a virtual call per row.
    Custom(Box<dyn LcpOperator>),
}

impl Operator {
    /// Borrows the operator.
    pub fn view(&self) -> OperatorRef<'_> {
        match self {
            Self::Dense(a) => OperatorRef::Dense(a),
            Self::Sparse(a) => OperatorRef::Sparse(a),
            Self::Factored(a) => OperatorRef::Factored(a),
            Self::Custom(a) => OperatorRef::Custom(a.as_ref()),
        }
    }
}

impl From<DenseOperator> for Operator {
    fn from(a: DenseOperator) -> Self {
        Self::Dense(a)
    }
}

impl From<SparseOperator> for Operator {
    fn from(a: SparseOperator) -> Self {
        Self::Sparse(a)
    }
}

impl From<FactoredOperator> for Operator {
    fn from(a: FactoredOperator) -> Self {
        Self::Factored(a)
    }
}

/// A borrowed operator of any kind.
#[derive(Debug, Clone, Copy)]
pub enum OperatorRef<'a> {
    /// All entries.
    Dense(&'a DenseOperator),
    /// Compressed rows.
    Sparse(&'a SparseOperator),
    /// J W J^T + diag(cfm).
    Factored(&'a FactoredOperator),
    /// Anything else.
    Custom(&'a dyn LcpOperator),
}

/// Runs an expression with `$op` bound to the concrete operator: one copy of the code for each kind.
macro_rules! with_operator {
    ($operator:expr, $op:ident => $body:expr) => {
        match $operator {
            $crate::OperatorRef::Dense($op) => $body,
            $crate::OperatorRef::Sparse($op) => $body,
            $crate::OperatorRef::Factored($op) => $body,
            $crate::OperatorRef::Custom($op) => $body,
        }
    };
}
pub(crate) use with_operator;

impl<'a> OperatorRef<'a> {
    /// Number of rows n.
    pub fn rows(&self) -> usize {
        with_operator!(*self, op => op.rows())
    }

    /// Length of the accumulator.
    pub fn accumulator_len(&self) -> usize {
        with_operator!(*self, op => op.accumulator_len())
    }

    /// A_ii.
    pub fn diagonal(&self, i: usize) -> f64 {
        with_operator!(*self, op => op.diagonal(i))
    }

    /// A_ij.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        with_operator!(*self, op => op.entry(i, j))
    }

    /// Sets the accumulator for x.
    pub fn start(&self, x: &[f64], acc: &mut [f64]) {
        with_operator!(*self, op => op.start(x, acc));
    }

    /// y = A x; `acc` is overwritten.
    pub fn apply(&self, x: &[f64], acc: &mut [f64], y: &mut [f64]) {
        with_operator!(*self, op => op.apply(x, acc, y));
    }

    /// The matrix, entry by entry.
    pub fn to_dense(&self) -> DenseOperator {
        with_operator!(*self, op => op.to_dense())
    }

    /// The same into an existing matrix, reusing its memory.
    pub fn write_dense(&self, dense: &mut DenseOperator) {
        with_operator!(*self, op => op.write_dense(dense));
    }

    /// The matrix itself if it is dense, otherwise written into `kept`.
    pub(crate) fn dense_in(self, kept: &'a mut DenseOperator) -> &'a DenseOperator {
        match self {
            Self::Dense(a) => a,
            other => {
                other.write_dense(kept);
                kept
            }
        }
    }
}
