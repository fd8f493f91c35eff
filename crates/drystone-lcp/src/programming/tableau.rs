use super::Relation;
use super::standard_form::StandardForm;
use crate::DenseOperator;
use crate::buffers::{collect, copy, refill};
use crate::linear::RankRevealingFactors;
use crate::pivoting::lemke::eliminate;

/// Entries of a column of at most this cannot be pivots; rows are scaled to one.
const PIVOT: f64 = 1e-9;
/// A reduced cost above minus this, relative to the costs, counts as zero.
const COST: f64 = 1e-10;
/// Ratios closer than this are a tie.
const TIE: f64 = 1e-12;
/// Steps of length zero in a row before the smallest index decides.
const PATIENCE: usize = 8;

/// Which column enters, and which row leaves if several limit it equally.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// The steepest column, the largest pivot.
    Steepest,
    /// The first column, the first row.
    Bland,
}

/// End of a phase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Phase {
    Optimal,
    /// This column improves the objective for ever.
    Unbounded(usize),
    Limit,
}

/// Rows of [A | b] over p, slacks and artificials, in terms of a basis, and one row of reduced costs. It keeps its memory from one program to the next.
#[derive(Debug, Default)]
pub(crate) struct Tableau {
    pub(crate) rows: usize,
    /// Columns of p; slacks follow, then artificials.
    pub(crate) structural: usize,
    pub(crate) artificial: usize,
    width: usize,
    cells: Vec<f64>,
    /// The original rows.
    original: Vec<f64>,
    pub(crate) basis: Vec<usize>,
    /// -1 for rows that were negated.
    pub(crate) sign: Vec<f64>,
    pub(crate) pivots: usize,
    /// The basis as a matrix, and its factors.
    block: DenseOperator,
    factors: RankRevealingFactors,
    right: Vec<f64>,
    /// Intermediate right-hand sides.
    permuted: Vec<f64>,
    /// Recomputed columns of the rows.
    solved: Vec<f64>,
}

impl Tableau {
    /// Begins with a program.
    pub(crate) fn begin(&mut self, form: &StandardForm) {
        let Self { cells, original, basis, sign, .. } = self;
        let (m, n) = (form.rows(), form.columns.len());
        let slacks = form.relations.iter().filter(|r| **r != Relation::Equal).count();
        // Right sides >= 0; a row whose slack is then positive begins with it, the others begin with an artificial.
        let turned = |i: usize| match form.relations[i] {
            Relation::AtLeast => form.right[i] <= 0.0,
            _ => form.right[i] < 0.0,
        };
        collect(sign, (0..m).map(|i| if turned(i) { -1.0 } else { 1.0 }));
        let has_slack = |i: usize| match form.relations[i] {
            Relation::AtMost => sign[i] > 0.0,
            Relation::AtLeast => sign[i] < 0.0,
            Relation::Equal => false,
        };
        let artificials = (0..m).filter(|&i| !has_slack(i)).count();
        let artificial = n + slacks;
        let width = artificial + artificials + 1;
        // One more row for the reduced costs.
        refill(cells, (m + 1) * width, 0.0);
        basis.clear();
        let (mut slack, mut made) = (n, artificial);
        for i in 0..m {
            let row = &mut cells[i * width..(i + 1) * width];
            for (cell, a) in row.iter_mut().zip(form.row(i)) {
                *cell = sign[i] * a;
            }
            row[width - 1] = sign[i] * form.right[i];
            if form.relations[i] != Relation::Equal {
                row[slack] = if form.relations[i] == Relation::AtMost { sign[i] } else { -sign[i] };
                slack += 1;
            }
            if has_slack(i) {
                basis.push(slack - 1);
            } else {
                row[made] = 1.0;
                basis.push(made);
                made += 1;
            }
        }
        copy(original, &cells[..m * width]);
        (self.rows, self.structural, self.artificial, self.width, self.pivots) = (m, n, artificial, width, 0);
    }

    pub(crate) fn columns(&self) -> usize {
        self.width - 1
    }

    fn cell(&self, i: usize, j: usize) -> f64 {
        self.cells[i * self.width + j]
    }

    pub(crate) fn right(&self, i: usize) -> f64 {
        self.cell(i, self.width - 1)
    }

    /// Computes the reduced costs from these costs (by column) for the present basis.
    pub(crate) fn price(&mut self, cost: &[f64]) {
        let (rows, width) = (self.rows, self.width);
        let (body, last) = self.cells.split_at_mut(rows * width);
        last.fill(0.0);
        last[..width - 1].copy_from_slice(cost);
        for (row, &b) in body.chunks_exact(width).zip(&self.basis) {
            let c = cost[b];
            if c != 0.0 {
                for (cell, a) in last.iter_mut().zip(row) {
                    *cell -= c * a;
                }
            }
        }
    }

    pub(crate) fn pivot(&mut self, row: usize, column: usize) {
        eliminate(&mut self.cells, self.width, row, column);
        self.basis[row] = column;
        self.pivots += 1;
    }

    /// Pivots until no column below `end` improves; `scale` is the size of the costs.
    pub(crate) fn improve(&mut self, end: usize, scale: f64, limit: usize) -> Phase {
        let small = COST * scale.max(f64::MIN_POSITIVE);
        let mut still = 0;
        loop {
            // The steepest column, or after steps without progress the first: Bland's rule cannot cycle.
            let rule = if still >= PATIENCE { Rule::Bland } else { Rule::Steepest };
            let mut entering: Option<(usize, f64)> = None;
            for j in 0..end {
                let reduced = self.cell(self.rows, j);
                if reduced < -small && entering.is_none_or(|(_, least)| reduced < least) {
                    entering = Some((j, reduced));
                    if rule == Rule::Bland {
                        break;
                    }
                }
            }
            let Some((column, _)) = entering else { return Phase::Optimal };
            let Some((row, step)) = self.leaving(column, rule) else { return Phase::Unbounded(column) };
            if self.pivots >= limit {
                return Phase::Limit;
            }
            still = if step > 0.0 { 0 } else { still + 1 };
            self.pivot(row, column);
        }
    }

    /// The row that limits a column's growth, and by how much it may grow.
    fn leaving(&self, column: usize, rule: Rule) -> Option<(usize, f64)> {
        let mut best: Option<(usize, f64)> = None;
        for i in 0..self.rows {
            let entry = self.cell(i, column);
            // An artificial that stayed behind at zero must not grow: it leaves at once.
            let stays = self.basis[i] >= self.artificial && entry < -PIVOT && self.right(i) <= TIE;
            if entry <= PIVOT && !stays {
                continue;
            }
            let ratio = if stays { 0.0 } else { (self.right(i) / entry).max(0.0) };
            let better = best.is_none_or(|(k, least)| {
                let tie = TIE * least.max(1.0);
                let wins = match rule {
                    Rule::Steepest => entry.abs() > self.cell(k, column).abs(),
                    Rule::Bland => self.basis[i] < self.basis[k],
                };
                ratio < least - tie || (ratio <= least + tie && wins)
            });
            if better {
                best = Some((i, ratio));
            }
        }
        best
    }

    /// Pivots artificials at zero out of the basis if their row has another entry to pivot on; rows without one are
    /// redundant.
    pub(crate) fn drop_artificials(&mut self) {
        for i in 0..self.rows {
            if self.basis[i] < self.artificial {
                continue;
            }
            let largest = (0..self.artificial).map(|j| (self.cell(i, j).abs(), j));
            let (size, column) = largest.fold((0.0, 0), |best, next| if next.0 > best.0 { next } else { best });
            if size > PIVOT {
                self.pivot(i, column);
            }
        }
    }

    /// Recomputes the rows from the basis, without accumulated rounding; false if the basis is singular.
    pub(crate) fn refresh(&mut self) -> bool {
        let (m, width) = (self.rows, self.width);
        if m == 0 {
            return true;
        }
        self.factor(|i, k| (i, k));
        let Self { original, factors, right, permuted, solved, .. } = self;
        if factors.rank() < m {
            return false;
        }
        refill(solved, m * width, 0.0);
        for (j, column) in solved.chunks_exact_mut(m).enumerate() {
            collect(right, (0..m).map(|i| original[i * width + j]));
            factors.solve_with(right, column, permuted);
        }
        if solved.iter().any(|v| !v.is_finite()) {
            return false;
        }
        for i in 0..m {
            for j in 0..width {
                self.cells[i * width + j] = self.solved[j * m + i];
            }
            for k in 0..m {
                self.cells[i * width + self.basis[k]] = f64::from(u8::from(i == k));
            }
        }
        true
    }

    /// Factors the basis, rearranged by `place`, in plain loops: library kernels depend on the processor's instructions, fused
    /// products round differently, and which corner of a polytope is best may depend on that.
    fn factor(&mut self, place: impl Fn(usize, usize) -> (usize, usize)) {
        let Self { rows, width, original, basis, block, factors, .. } = self;
        block.refill(*rows, |entries| {
            for i in 0..*rows {
                entries.extend((0..*rows).map(|k| {
                    let (row, column) = place(i, k);
                    original[row * *width + basis[column]]
                }));
            }
        });
        factors.factor(block, 0.0);
    }

    /// p at the basis.
    pub(crate) fn point(&self, p: &mut Vec<f64>) {
        refill(p, self.structural, 0.0);
        for (i, &b) in self.basis.iter().enumerate() {
            if b < self.structural {
                p[b] = self.right(i).max(0.0);
            }
        }
    }

    /// The direction of p as a column enters.
    pub(crate) fn direction(&self, column: usize, p: &mut Vec<f64>) {
        refill(p, self.structural, 0.0);
        if column < self.structural {
            p[column] = 1.0;
        }
        for (i, &b) in self.basis.iter().enumerate() {
            if b < self.structural {
                p[b] = -self.cell(i, column);
            }
        }
    }

    /// y from B^T y = c_B, in the rows' original signs.
    pub(crate) fn multipliers(&mut self, cost: &[f64], y: &mut Vec<f64>) {
        self.factor(|i, k| (k, i));
        let Self { rows, basis, sign, factors, right, permuted, .. } = self;
        collect(right, basis.iter().map(|&b| cost[b]));
        refill(y, *rows, 0.0);
        factors.solve_with(right, y, permuted);
        for (y, sign) in y.iter_mut().zip(sign) {
            *y = if y.is_finite() { *sign * *y } else { 0.0 };
        }
    }
}
