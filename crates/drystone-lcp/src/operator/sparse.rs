use crate::buffers::collect;
use crate::{DenseOperator, LcpError, LcpOperator};

/// A in compressed rows (CSR). Columns ascend within a row and occur once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SparseOperator {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    diagonal: Vec<f64>,
}

impl SparseOperator {
    /// From triplets (row, column, value) in any order; equal positions are added.
    ///
    /// # Errors
    /// [`LcpError::IndexOutOfRange`] where a position lies outside the n x n matrix.
    pub fn from_triplets(n: usize, triplets: &[(usize, usize, f64)]) -> Result<Self, LcpError> {
        for &(i, j, _) in triplets {
            if i >= n {
                return Err(LcpError::IndexOutOfRange { what: "row of a triplet", index: i, limit: n });
            }
            if j >= n {
                return Err(LcpError::IndexOutOfRange { what: "column of a triplet", index: j, limit: n });
            }
        }
        let mut order: Vec<usize> = (0..triplets.len()).collect();
        order.sort_by_key(|&k| (triplets[k].0, triplets[k].1));

        let (mut starts, mut columns, mut values) = (vec![0; n + 1], Vec::<u32>::new(), Vec::<f64>::new());
        let mut last = None;
        for k in order {
            let (i, j, value) = triplets[k];
            if last == Some((i, j)) {
                if let Some(v) = values.last_mut() {
                    *v += value;
                }
                continue;
            }
            last = Some((i, j));
            columns.push(j as u32);
            values.push(value);
            starts[i + 1] = values.len();
        }
        for i in 0..n {
            starts[i + 1] = starts[i + 1].max(starts[i]);
        }
        let mut diagonal = vec![0.0; n];
        for i in 0..n {
            for k in starts[i]..starts[i + 1] {
                if columns[k] as usize == i {
                    diagonal[i] = values[k];
                }
            }
        }
        Ok(Self { starts, columns, values, diagonal })
    }

    /// From a dense matrix, exact zeros left out.
    pub fn from_dense(dense: &DenseOperator) -> Self {
        let mut sparse = Self::default();
        sparse.read_dense(dense);
        sparse
    }

    /// The same, reusing the memory.
    pub(crate) fn read_dense(&mut self, dense: &DenseOperator) {
        let Self { starts, columns, values, diagonal } = self;
        let n = dense.rows();
        collect(starts, [0]);
        columns.clear();
        values.clear();
        for i in 0..n {
            for (j, &value) in dense.row(i).iter().enumerate() {
                if value != 0.0 {
                    columns.push(j as u32);
                    values.push(value);
                }
            }
            starts.push(values.len());
        }
        collect(diagonal, (0..n).map(|i| dense.get(i, i)));
    }

    /// Number of stored entries.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// The stored columns of row i and their values.
    ///
    /// # Panics
    /// If i is not below n.
    #[inline]
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.columns[range.clone()], &self.values[range])
    }
}

impl LcpOperator for SparseOperator {
    fn rows(&self) -> usize {
        self.diagonal.len()
    }

    fn diagonal(&self, i: usize) -> f64 {
        self.diagonal[i]
    }

    fn row_dot(&self, i: usize, x: &[f64], _acc: &[f64]) -> f64 {
        let (columns, values) = self.row(i);
        columns.iter().zip(values).map(|(&j, v)| v * x[j as usize]).sum()
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        let (columns, values) = self.row(i);
        columns.binary_search(&(j as u32)).map_or(0.0, |k| values[k])
    }

    fn to_dense(&self) -> DenseOperator {
        let mut dense = DenseOperator::default();
        self.write_dense(&mut dense);
        dense
    }

    fn write_dense(&self, dense: &mut DenseOperator) {
        dense.reset(self.rows());
        for i in 0..self.rows() {
            let (columns, values) = self.row(i);
            for (&j, &v) in columns.iter().zip(values) {
                dense.set(i, j as usize, v);
            }
        }
    }
}
