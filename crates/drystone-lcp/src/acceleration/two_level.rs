use crate::bounds::project;
use crate::budget::WORK;
use crate::operator::with_operator;
use crate::solver::{Setting, SolverMemory, check_dense, check_start, memory_methods};
use crate::splitting::projected_gauss_seidel::{Rows, steps};
use crate::step_test::{largest_change, largest_magnitude};
use crate::{
    DenseOperator, LcpError, LcpOperator, LcpReport, LcpSolver, LcpStatus, Measure, ProblemView, StepTest,
    natural_residual,
};

const NAME: &str = "two-level-gauss-seidel";
/// Sweeps before each coarse correction.
const SWEEPS: usize = 3;
/// Pivots at most this, relative to the largest, count as zero in the coarse system, which may be singular.
const RANK_TOLERANCE: f64 = 1e-12;
/// Halvings of a coarse correction that makes the residual larger.
const HALVINGS: usize = 4;

/// Gauss-Seidel with a coarse correction that removes what sweeps cannot: the slow modes of large mass ratios and tall stacks.
///
/// Rows are gathered in aggregates of strongly coupled neighbours. The change of the last sweep is, after a few sweeps, the slowest
/// mode; cut into its pieces on the aggregates, together with the constant on each, it spans a coarse space over the free rows, in which the
/// equation is solved by Galerkin's principle and added, as far as the energy falls. Frictions that slide follow their normals in that; the residual then decides. With one aggregate and two rows this is exact for F-36.
///
/// # Cost
/// One iteration is three sweeps, n^2 to form the coarse matrix from the dense A, and a dense solve of 2 n / `aggregate` unknowns.
///
/// # When it fails
/// Where the free set changes from sweep to sweep the correction is refused and sweeps are left: with frictions that slide it needs tens of rounds before it settles
/// (a stack of six boxes that is pushed: 1e-3 after 50 rounds, 1e-15 after 104); unsymmetric A.
///
/// # Source
/// Smoothed aggregation after Vanek, Mandel, Brezina 1996, with an adaptive mode; answers seed 004, 4651 and 5372-5380 (catalogue P-01, F-36).
#[derive(Debug, Clone)]
pub struct TwoLevelGaussSeidel {
    /// Largest number of iterations.
    pub iterations: usize,
    /// Most multiplications of a solve.
    pub work: f64,
    /// Stops when the residual is at most this.
    pub tolerance: f64,
    /// Rows of an aggregate.
    pub aggregate: usize,
    /// Tests on the step; off by default.
    pub step: StepTest,
    /// When the residual is reported; it is always computed.
    pub measure: Measure,
    /// Memory between solves.
    pub memory: SolverMemory,
}

impl Default for TwoLevelGaussSeidel {
    fn default() -> Self {
        Self {
            iterations: 20,
            work: WORK,
            tolerance: 1e-12,
            aggregate: 2,
            step: StepTest::default(),
            measure: Measure::AtEnd,
            memory: SolverMemory::default(),
        }
    }
}

/// Aggregates grown greedily from the first row that has none, each time by the row most strongly coupled to the aggregate.
fn aggregates(a: &DenseOperator, size: usize) -> Vec<usize> {
    let n = a.rows();
    let mut aggregate = vec![usize::MAX; n];
    let mut count = 0;
    let mut strength = vec![0.0; n];
    for seed in 0..n {
        if aggregate[seed] != usize::MAX {
            continue;
        }
        strength.fill(0.0);
        let mut newest = seed;
        for _ in 0..size.max(1) {
            aggregate[newest] = count;
            let mut best = (0.0, usize::MAX);
            for j in 0..n {
                if aggregate[j] == usize::MAX {
                    let scale = (a.get(newest, newest) * a.get(j, j)).sqrt();
                    strength[j] += if scale > 0.0 { a.get(newest, j).abs() / scale } else { 0.0 };
                    if strength[j] > best.0 {
                        best = (strength[j], j);
                    }
                }
            }
            if best.1 == usize::MAX {
                break;
            }
            newest = best.1;
        }
        count += 1;
    }
    aggregate
}

impl TwoLevelGaussSeidel {
    fn run<O: LcpOperator + ?Sized>(&mut self, op: &O, problem: &ProblemView<'_>, x: &mut [f64]) -> LcpReport {
        let n = x.len();
        let mut report = self.memory.begin_best(problem, x, self.measure);
        let budget = &mut self.memory.budget;
        budget.begin(self.work);
        let rows = n as f64;
        if !(budget.pays_for_dense(&problem.operator) && budget.pays(2.0 * rows * rows)) {
            return report;
        }
        let a = op.to_dense();
        let aggregate = aggregates(&a, self.aggregate);
        let coarse = aggregate.iter().max().map_or(0, |m| m + 1);
        let mut step = Vec::new();
        steps(op, 1.0, false, &mut step);
        let (mut before, mut mode, mut ones, mut trial) = (vec![0.0; n], vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        let mut follows = vec![(usize::MAX, 0.0); n];
        let (mut product, mut begun) = (vec![0.0; n], x.to_vec());
        let coarse_rows = 2.0 * coarse as f64;
        while report.iterations < self.iterations && self.memory.best.residual > self.tolerance {
            if !self.memory.budget.pays(4.0 * rows * rows + 2.0 / 3.0 * coarse_rows * coarse_rows * coarse_rows) {
                break;
            }
            begun.copy_from_slice(x);
            op.start(x, &mut self.memory.accumulator);
            let mut rows = Rows { op, problem, step: &step, coupling: &[], lambda: 1.0 };
            for _ in 0..SWEEPS {
                before.copy_from_slice(x);
                rows.visit(0..n, x, &mut self.memory.accumulator);
            }
            report.iterations += 1;
            let mut value = natural_residual(problem, x, &mut self.memory.residual);

            // The mode: what the last sweep still changed, on the rows within their bounds; and ones, on such rows without a parent.
            for i in 0..n {
                let (lo, hi) = problem.bounds(i, x);
                let free = x[i] > lo && x[i] < hi;
                mode[i] = if free { x[i] - before[i] } else { 0.0 };
                ones[i] = if free && problem.parent(i).is_none() { 1.0 } else { 0.0 };
            }
            // A row that slides at a bound of its own keeps to it as its parent moves.
            let mut slides = false;
            for i in 0..n {
                follows[i] = (usize::MAX, 0.0);
                if let Some(j) = problem.parent(i)
                    && x[j] > 0.0
                    && x[i].abs() >= problem.mu[i] * x[j]
                    && problem.mu[i] > 0.0
                    && ones[j] != 0.0
                {
                    follows[i] = (j, problem.mu[i].copysign(x[i]));
                    slides = true;
                }
            }
            // Galerkin: P^T A P e = -P^T w, with a column of P for the mode and one for the ones of each aggregate.
            let mut matrix = DenseOperator::zeros(2 * coarse);
            let mut right = vec![0.0; 2 * coarse];
            for i in 0..n {
                if mode[i] == 0.0 && ones[i] == 0.0 {
                    continue;
                }
                let w = op.row_dot(i, x, &self.memory.accumulator) + problem.b[i];
                for (k, weight) in [(aggregate[i], mode[i]), (coarse + aggregate[i], ones[i])] {
                    right[k] -= weight * w;
                    let row = matrix.row_mut(k);
                    for (j, &aij) in a.row(i).iter().enumerate() {
                        let (j, slope) = if follows[j].0 == usize::MAX { (j, 1.0) } else { follows[j] };
                        row[aggregate[j]] += weight * slope * aij * mode[j];
                        row[coarse + aggregate[j]] += weight * slope * aij * ones[j];
                    }
                }
            }
            let correction = scaled_solve(&matrix, &right);
            // Accepted as far as the energy x A x / 2 + b x falls; the residual may rise for a while.
            let start = energy(op, problem, x, &mut product, &mut self.memory.accumulator);
            let mut length = 1.0;
            for _ in 0..HALVINGS {
                for i in 0..n {
                    let (j, slope) = if follows[i].0 == usize::MAX { (i, 1.0) } else { follows[i] };
                    let slow = mode[j] * correction[aggregate[j]] + ones[j] * correction[coarse + aggregate[j]];
                    trial[i] = x[i] + length * slope * slow;
                }
                project(problem, &self.memory.order, &mut trial);
                // Where bounds move along there is no energy that falls: the residual decides.
                let better = if slides {
                    natural_residual(problem, &trial, &mut self.memory.residual) < value
                } else {
                    energy(op, problem, &trial, &mut product, &mut self.memory.accumulator) < start
                };
                if better {
                    x.copy_from_slice(&trial);
                    value = natural_residual(problem, x, &mut self.memory.residual);
                    break;
                }
                length *= 0.5;
            }
            let SolverMemory { best, history, .. } = &mut self.memory;
            best.offer(x, value, self.measure, history);
            if !value.is_finite() {
                break;
            }
            report.change = largest_change(&begun, x);
            if self.step.is_met(report.change, largest_magnitude(x)) {
                report.status = LcpStatus::Stagnated;
                break;
            }
        }
        report
    }
}

/// x A x / 2 + b x.
fn energy<O: LcpOperator + ?Sized>(
    op: &O,
    problem: &ProblemView<'_>,
    x: &[f64],
    product: &mut [f64],
    accumulator: &mut [f64],
) -> f64 {
    op.apply(x, accumulator, product);
    x.iter().zip(product.iter().zip(problem.b)).map(|(x, (ax, b))| x * (0.5 * ax + b)).sum()
}

/// Solves the coarse system with its diagonal scaled to one; aggregates without a mode stay at zero.
fn scaled_solve(matrix: &DenseOperator, right: &[f64]) -> Vec<f64> {
    let n = right.len();
    let root: Vec<f64> =
        (0..n).map(|k| if matrix.get(k, k) > 0.0 { 1.0 / matrix.get(k, k).sqrt() } else { 0.0 }).collect();
    let mut scaled = DenseOperator::zeros(n);
    for i in 0..n {
        for j in 0..n {
            scaled.set(i, j, root[i] * root[j] * matrix.get(i, j));
        }
        if root[i] == 0.0 {
            scaled.set(i, i, 1.0);
        }
    }
    let right: Vec<f64> = right.iter().zip(&root).map(|(r, s)| r * s).collect();
    // A mode and the constant may coincide, and contacts may be redundant: free unknowns then stay at zero.
    let mut solution = vec![0.0; n];
    crate::RankRevealingFactors::new(&scaled, RANK_TOLERANCE).solve(&right, &mut solution);
    solution.iter().zip(&root).map(|(v, s)| v * s).collect()
}

impl LcpSolver for TwoLevelGaussSeidel {
    fn name(&self) -> &'static str {
        NAME
    }

    fn solve(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        check_start(problem, x)?;
        check_dense(&problem.operator)?;
        let report = with_operator!(problem.operator, op => self.run(op, problem, x));
        Ok(self.memory.finish_best(problem, x, self.measure, self.tolerance, report))
    }

    fn set(&mut self, parameter: &str, value: f64) -> Result<(), LcpError> {
        let set = Setting { solver: NAME, parameter, value };
        match parameter {
            "aggregate" if value < 2.0 => set.bad(">= 2"),
            "work" => set.positive(&mut self.work),
            "aggregate" => set.count(&mut self.aggregate),
            _ => set.iterative(&mut self.iterations, &mut self.tolerance, &mut self.step, &mut self.measure),
        }
    }

    memory_methods!();
}
