//! The coarse space: the corrections that a few unknowns on aggregates of rows can make at once.
use crate::bounds::project;
use crate::buffers::{collect, refill};
use crate::linear::DenseSystems;
use crate::solver::SolverMemory;
use crate::{DenseOperator, LcpOperator, ProblemView, natural_residual};

/// Pivots at most this, relative to the largest, count as zero in the coarse system, which may be singular.
const RANK_TOLERANCE: f64 = 1e-12;
/// Halvings of a coarse correction that makes the residual larger.
const HALVINGS: usize = 4;

/// The row that a row moves with in a coarse correction: itself, or the parent along whose bound it slides.
#[derive(Debug, Clone, Copy)]
struct Leader {
    row: usize,
    slope: f64,
}

/// The columns of the prolongation P: the slowest mode and the constant, each split into pieces on the aggregates of the free rows.
pub(super) struct CoarseSpace<'a, 'b, O: ?Sized> {
    op: &'a O,
    problem: &'a ProblemView<'b>,
    a: &'a DenseOperator,
    /// The aggregate of each row.
    aggregate: &'a mut Vec<usize>,
    aggregates: usize,
    mode: &'a mut Vec<f64>,
    ones: &'a mut Vec<f64>,
    leader: &'a mut Vec<Leader>,
    /// True if any row slides at a bound that moves.
    slides: bool,
    trial: &'a mut Vec<f64>,
    product: &'a mut Vec<f64>,
    system: &'a mut CoarseSystem,
}

/// Buffers of a coarse space between solves.
#[derive(Debug, Default)]
pub(super) struct CoarseWorkspace {
    a: DenseOperator,
    aggregate: Vec<usize>,
    mode: Vec<f64>,
    ones: Vec<f64>,
    leader: Vec<Leader>,
    trial: Vec<f64>,
    product: Vec<f64>,
    /// Strength of the coupling of rows to the growing aggregate.
    strength: Vec<f64>,
    system: CoarseSystem,
}

/// The coarse equations.
#[derive(Debug, Default)]
struct CoarseSystem {
    matrix: DenseOperator,
    right: Vec<f64>,
    /// The factors by which rows and columns are scaled.
    root: Vec<f64>,
    scaled: DenseOperator,
    solution: Vec<f64>,
    systems: DenseSystems,
}

impl<'a, 'b, O: LcpOperator + ?Sized> CoarseSpace<'a, 'b, O> {
    /// Aggregates of `size` rows.
    pub(super) fn new(
        op: &'a O,
        problem: &'a ProblemView<'b>,
        size: usize,
        workspace: &'a mut CoarseWorkspace,
    ) -> Self {
        let CoarseWorkspace { a, aggregate, mode, ones, leader, trial, product, strength, system } = workspace;
        let n = problem.len();
        let a = problem.operator.dense_in(a);
        let aggregates = find_aggregates(a, size, aggregate, strength);
        collect(leader, (0..n).map(|row| Leader { row, slope: 1.0 }));
        for column in [&mut *mode, ones, trial, product] {
            refill(column, n, 0.0);
        }
        Self { op, problem, a, aggregate, aggregates, mode, ones, leader, slides: false, trial, product, system }
    }

    /// Multiplications of a correction.
    pub(super) fn cost(&self) -> f64 {
        let (rows, unknowns) = (self.a.rows() as f64, 2.0 * self.aggregates as f64);
        4.0 * rows * rows + 2.0 / 3.0 * unknowns * unknowns * unknowns
    }

    /// Corrects x, which the last sweep has changed from `before`, and returns its new residual.
    pub(super) fn correct(&mut self, before: &[f64], x: &mut [f64], memory: &mut SolverMemory) -> f64 {
        let value = natural_residual(self.problem, x, &mut memory.residual);
        self.find_modes(before, x);
        self.find_leaders(x);
        self.solve(x, &memory.accumulator);
        self.search(value, x, memory)
    }

    /// The mode: the change of the last sweep on the rows within their bounds, and ones on those of them without a parent.
    fn find_modes(&mut self, before: &[f64], x: &[f64]) {
        for i in 0..x.len() {
            let (lo, hi) = self.problem.bounds(i, x);
            let free = x[i] > lo && x[i] < hi;
            self.mode[i] = if free { x[i] - before[i] } else { 0.0 };
            self.ones[i] = if free && self.problem.parent(i).is_none() { 1.0 } else { 0.0 };
        }
    }

    /// A row that slides at its dependent bound stays at it as its parent moves.
    fn find_leaders(&mut self, x: &[f64]) {
        self.slides = false;
        for i in 0..x.len() {
            let along = self.slides_along(i, x);
            self.slides |= along.is_some();
            self.leader[i] = along.unwrap_or(Leader { row: i, slope: 1.0 });
        }
    }

    /// The parent whose bound a sliding row is at.
    fn slides_along(&self, i: usize, x: &[f64]) -> Option<Leader> {
        let parent = self.problem.parent(i)?;
        let mu = self.problem.mu[i];
        let at_bound = mu > 0.0 && x[parent] > 0.0 && x[i].abs() >= mu * x[parent];
        (at_bound && self.ones[parent] != 0.0).then(|| Leader { row: parent, slope: mu.copysign(x[i]) })
    }

    /// Galerkin: P^T A P e = -P^T w, with a column of P for the mode and one for the ones of each aggregate. Leaves the solution e.
    fn solve(&mut self, x: &[f64], accumulator: &[f64]) {
        let Self { a, aggregate, aggregates, mode, ones, system, .. } = self;
        let CoarseSystem { matrix, right, .. } = &mut **system;
        let (aggregate, mode, ones, leader) = (&**aggregate, &**mode, &**ones, &**self.leader);
        matrix.reset(2 * *aggregates);
        refill(right, 2 * *aggregates, 0.0);
        for i in 0..x.len() {
            if mode[i] == 0.0 && ones[i] == 0.0 {
                continue;
            }
            let w = self.op.row_dot(i, x, accumulator) + self.problem.b[i];
            for (k, weight) in [(aggregate[i], mode[i]), (*aggregates + aggregate[i], ones[i])] {
                right[k] -= weight * w;
                let row = matrix.row_mut(k);
                for (&aij, leader) in a.row(i).iter().zip(leader) {
                    let (j, slope) = (leader.row, leader.slope);
                    row[aggregate[j]] += weight * slope * aij * mode[j];
                    row[*aggregates + aggregate[j]] += weight * slope * aij * ones[j];
                }
            }
        }
        system.solve_scaled();
    }

    /// The correction is accepted as far as the energy x A x / 2 + b x falls; the residual, `value` before, may rise for a while. If bounds move along,
    /// no energy is known to fall, and the residual decides.
    fn search(&mut self, value: f64, x: &mut [f64], memory: &mut SolverMemory) -> f64 {
        let Self { op, problem, aggregate, aggregates, mode, ones, leader, trial, product, system, .. } = self;
        let correction = &system.solution;
        let start = energy(*op, problem, x, product, &mut memory.accumulator);
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            for (i, (trial, leader)) in trial.iter_mut().zip(&**leader).enumerate() {
                let j = leader.row;
                let slow = mode[j] * correction[aggregate[j]] + ones[j] * correction[*aggregates + aggregate[j]];
                *trial = x[i] + length * leader.slope * slow;
            }
            project(problem, &memory.order, trial);
            let better = if self.slides {
                natural_residual(problem, trial, &mut memory.residual) < value
            } else {
                energy(*op, problem, trial, product, &mut memory.accumulator) < start
            };
            if better {
                x.copy_from_slice(trial);
                return natural_residual(problem, x, &mut memory.residual);
            }
            length *= 0.5;
        }
        value
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

/// Grows aggregates greedily from the first row that has none, each time by the row most strongly coupled to the aggregate.
/// Returns how many there are.
fn find_aggregates(a: &DenseOperator, size: usize, aggregate: &mut Vec<usize>, strength: &mut Vec<f64>) -> usize {
    let n = a.rows();
    refill(aggregate, n, usize::MAX);
    let mut count = 0;
    refill(strength, n, 0.0);
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
    count
}

impl CoarseSystem {
    /// Solves the system with its diagonal scaled to one; aggregates without a mode stay at zero.
    fn solve_scaled(&mut self) {
        let Self { matrix, right, root, scaled, solution, systems } = self;
        let n = right.len();
        let of = |d: f64| if d > 0.0 { 1.0 / d.sqrt() } else { 0.0 };
        collect(root, (0..n).map(|k| of(matrix.get(k, k))));
        scaled.reset(n);
        for i in 0..n {
            let own = root[i];
            for (to, (from, other)) in scaled.row_mut(i).iter_mut().zip(matrix.row(i).iter().zip(&*root)) {
                *to = own * other * from;
            }
            if own == 0.0 {
                scaled.set(i, i, 1.0);
            }
        }
        right.iter_mut().zip(&*root).for_each(|(r, s)| *r *= s);
        // A mode and the constant may coincide, and contacts may be redundant: free unknowns then stay at zero.
        refill(solution, n, 0.0);
        systems.solve_ranked(scaled, RANK_TOLERANCE, right, solution);
        solution.iter_mut().zip(&*root).for_each(|(v, s)| *v *= s);
    }
}
