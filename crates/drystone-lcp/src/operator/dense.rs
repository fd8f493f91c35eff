use crate::LcpError;

/// A with all its entries, row by row.
#[derive(Debug, PartialEq, Default)]
pub struct DenseOperator {
    pub(super) rows: usize,
    entries: Vec<f64>,
}

impl Clone for DenseOperator {
    fn clone(&self) -> Self {
        Self { rows: self.rows, entries: self.entries.clone() }
    }

    /// Keeps the memory.
    fn clone_from(&mut self, other: &Self) {
        self.rows = other.rows;
        self.entries.clone_from(&other.entries);
    }
}

impl DenseOperator {
    /// The zero matrix, n x n.
    pub fn zeros(n: usize) -> Self {
        Self { rows: n, entries: vec![0.0; n * n] }
    }

    /// Turns it into the zero matrix, n x n, keeping the memory.
    pub fn reset(&mut self, n: usize) {
        self.rows = n;
        self.entries.clear();
        self.entries.resize(n * n, 0.0);
    }

    /// Multiplies all entries by a factor.
    pub(crate) fn scale(&mut self, by: f64) {
        for entry in &mut self.entries {
            *entry *= by;
        }
    }

    /// From n^2 entries in row order.
    ///
    /// # Errors
    /// [`LcpError::Size`] if there are not n^2 of them.
    pub fn from_row_major(n: usize, entries: Vec<f64>) -> Result<Self, LcpError> {
        if entries.len() != n * n {
            return Err(LcpError::Size { what: "entries of A", expected: n * n, found: entries.len() });
        }
        Ok(Self { rows: n, entries })
    }

    /// From an array of rows.
    pub fn from_rows<const N: usize>(rows: [[f64; N]; N]) -> Self {
        Self { rows: N, entries: rows.as_flattened().to_vec() }
    }

    /// A_ij.
    ///
    /// # Panics
    /// If i or j is not below n.
    #[inline]
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.row(i)[j]
    }

    /// Sets A_ij.
    ///
    /// # Panics
    /// If i or j is not below n.
    #[inline]
    pub fn set(&mut self, i: usize, j: usize, value: f64) {
        self.row_mut(i)[j] = value;
    }

    /// Row i, n entries.
    ///
    /// # Panics
    /// If i is not below n.
    #[inline]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.entries[i * self.rows..(i + 1) * self.rows]
    }

    /// Row i, n entries.
    ///
    /// # Panics
    /// If i is not below n.
    #[inline]
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.entries[i * self.rows..(i + 1) * self.rows]
    }

    /// All entries in row order.
    pub fn entries(&self) -> &[f64] {
        &self.entries
    }

    /// Turns it into another matrix, reusing the memory; `fill` writes the n^2 entries, in row order, into an empty
    /// vector.
    pub(crate) fn refill(&mut self, n: usize, fill: impl FnOnce(&mut Vec<f64>)) {
        self.rows = n;
        self.entries.clear();
        fill(&mut self.entries);
        debug_assert_eq!(self.entries.len(), n * n);
    }

    /// Returns true if A_ij and A_ji have equal values everywhere. In tiles, so that it costs little compared with a
    /// factorisation.
    pub fn is_symmetric(&self) -> bool {
        const TILE: usize = 32;
        let n = self.rows;
        for top in (0..n).step_by(TILE) {
            for left in (0..=top).step_by(TILE) {
                for i in top..(top + TILE).min(n) {
                    for j in left..(left + TILE).min(i) {
                        if self.entries[i * n + j] != self.entries[j * n + i] {
                            return false;
                        }
                    }
                }
            }
        }
        true
    }

    /// Largest |A_ij - A_ji| over the largest |A_ij|; 0 for a symmetric matrix.
    pub fn asymmetry(&self) -> f64 {
        let scale = self.entries.iter().fold(0.0_f64, |m, a| m.max(a.abs()));
        let mut worst = 0.0_f64;
        for i in 0..self.rows {
            for j in 0..i {
                worst = worst.max((self.get(i, j) - self.get(j, i)).abs());
            }
        }
        if scale > 0.0 { worst / scale } else { 0.0 }
    }
}

/// Sum of products in four independent partial sums, a fixed order that vectorises.
#[inline]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a4, a_rest) = a.as_chunks::<4>();
    let (b4, b_rest) = b.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (a, b) in a4.iter().zip(b4) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}
