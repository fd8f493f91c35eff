use drystone_math::Real;

/// A dense system of equations, solved by elimination with pivots by column; its memory is kept.
///
/// # Cost
/// A third of the cube of the number of unknowns.
#[derive(Debug, Clone, Default)]
pub(super) struct Elimination {
    rows: Vec<Real>,
    /// The right-hand side, then the solution.
    pub(super) rhs: Vec<Real>,
}

impl Elimination {
    /// Makes room for `n` equations, all zero.
    pub(super) fn reset(&mut self, n: usize) {
        self.rows.clear();
        self.rows.resize(n * n, 0.0);
        self.rhs.clear();
        self.rhs.resize(n, 0.0);
    }

    /// The coefficients of an equation.
    pub(super) fn row(&mut self, k: usize) -> &mut [Real] {
        let n = self.rhs.len();
        &mut self.rows[n * k..n * (k + 1)]
    }

    /// Replaces the right-hand side by the solution; not finite where there is none.
    pub(super) fn solve(&mut self) {
        let n = self.rhs.len();
        for c in 0..n {
            let largest = (c..n).max_by(|&a, &b| {
                let [a, b] = [a, b].map(|r| self.rows[n * r + c].abs());
                a.total_cmp(&b)
            });
            let pivot = largest.unwrap_or(c);
            if pivot != c {
                let (upper, lower) = self.rows.split_at_mut(n * pivot);
                upper[n * c..n * (c + 1)].swap_with_slice(&mut lower[..n]);
                self.rhs.swap(c, pivot);
            }
            let (upper, lower) = self.rows.split_at_mut(n * (c + 1));
            let own = &upper[n * c..];
            for (r, row) in lower.chunks_exact_mut(n).enumerate() {
                if row[c] == 0.0 {
                    continue;
                }
                let factor = row[c] / own[c];
                for (entry, o) in row[c + 1..].iter_mut().zip(&own[c + 1..]) {
                    *entry -= factor * o;
                }
                self.rhs[c + 1 + r] -= factor * self.rhs[c];
            }
        }
        for r in (0..n).rev() {
            let (row, rest) = (&self.rows[n * r..n * (r + 1)], &self.rhs[r + 1..]);
            let known: Real = row[r + 1..].iter().zip(rest).map(|(a, x)| a * x).sum();
            self.rhs[r] = (self.rhs[r] - known) / row[r];
        }
    }
}
