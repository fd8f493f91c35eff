use drystone_math::Real;

/// A system of equations, solved by elimination with pivots by column; its memory is reused.
///
/// Rows are stored in full, and processed from their first nonzero entry to their last.
///
/// # Cost
/// The number of unknowns times the square of the distance between coupled ones, which is small for the contacts of a pile in the order of its bodies.
#[derive(Debug, Clone, Default)]
pub(super) struct Elimination {
    rows: Vec<Real>,
    /// The right-hand side, then the solution.
    pub(super) rhs: Vec<Real>,
    /// For each row: its first and its last nonzero entry.
    spans: Vec<[usize; 2]>,
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

    /// Finds where the rows begin and end; returns the approximate number of multiplications of the elimination.
    pub(super) fn cost(&mut self) -> Real {
        let n = self.rhs.len();
        self.spans.clear();
        self.spans.extend(self.rows.chunks_exact(n.max(1)).map(|row| {
            let first = row.iter().position(|e| *e != 0.0).unwrap_or(n);
            [first, row.iter().rposition(|e| *e != 0.0).unwrap_or(0)]
        }));
        self.spans.iter().map(|[first, last]| (last + 1).saturating_sub(*first) as Real).map(|w| w * w).sum()
    }

    /// Replaces the right-hand side by the solution, after [`Elimination::cost`]; not finite if there is none.
    pub(super) fn solve(&mut self) {
        let n = self.rhs.len();
        let Self { rows, rhs, spans } = self;
        for c in 0..n {
            let candidates = (c..n).filter(|&r| spans[r][0] <= c);
            let largest = candidates.max_by(|&a, &b| {
                let [a, b] = [a, b].map(|r| rows[n * r + c].abs());
                a.total_cmp(&b)
            });
            let pivot = largest.unwrap_or(c);
            if pivot != c {
                let (upper, lower) = rows.split_at_mut(n * pivot);
                upper[n * c..n * (c + 1)].swap_with_slice(&mut lower[..n]);
                rhs.swap(c, pivot);
                spans.swap(c, pivot);
            }
            let end = spans[c][1] + 1;
            let (upper, lower) = rows.split_at_mut(n * (c + 1));
            let own = &upper[n * c..];
            for (r, row) in lower.chunks_exact_mut(n).enumerate() {
                let r = c + 1 + r;
                if spans[r][0] > c || row[c] == 0.0 {
                    continue;
                }
                let factor = row[c] / own[c];
                if end > c + 1 {
                    for (entry, o) in row[c + 1..end].iter_mut().zip(&own[c + 1..end]) {
                        *entry -= factor * o;
                    }
                    spans[r][1] = spans[r][1].max(end - 1);
                }
                rhs[r] -= factor * rhs[c];
            }
        }
        for r in (0..n).rev() {
            let end = spans[r][1].max(r) + 1;
            let known: Real = rows[n * r + r + 1..n * r + end].iter().zip(&rhs[r + 1..end]).map(|(a, x)| a * x).sum();
            rhs[r] = (rhs[r] - known) / rows[n * r + r];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_testkit::Random;

    #[test]
    fn bands_and_whole_matrices_are_solved() {
        let mut random = Random::new(8);
        for (n, band) in [(1, 1), (9, 9), (40, 4), (60, 13)] {
            let mut system = Elimination::default();
            system.reset(n);
            let x: Vec<Real> = (0..n).map(|_| random.range(-1.0, 1.0)).collect();
            for r in 0..n {
                for c in r.saturating_sub(band)..(r + band).min(n) {
                    system.row(r)[c] = random.range(-1.0, 1.0);
                }
                system.rhs[r] = system.row(r).iter().zip(&x).map(|(a, x)| a * x).sum();
            }
            let cost = system.cost();
            assert!(cost <= (n * (2 * band + 1) * (2 * band + 1)) as Real);
            system.solve();
            let worst = system.rhs.iter().zip(&x).map(|(a, b)| (a - b).abs()).fold(0.0, Real::max);
            assert!(worst < 1e-9, "{n} {band}: {worst}");
        }
    }
}
