use crate::budget::WORK;
use crate::buffers::{Kept, collect, copy, refill};
use crate::linear::DenseSystems;
use crate::parameters::{Setting, parameters};
use crate::solver::{SolverMemory, check_dense, check_start, memory_methods, quarantine};
use crate::{DenseOperator, LcpError, LcpReport, LcpSolver, LcpStatus, Measure, ProblemView, operator::dense::dot};

/// A bound counts as violated beyond this, relative to the size of x or w.
const VIOLATION: f64 = 1e-12;
/// Pivots at most this, relative to the largest entry, count as zero.
const RANK_TOLERANCE: f64 = 1e-11;
/// A start value's w below this, relative to the largest, counts as zero.
pub(crate) const UNDECIDED: f64 = 1e-9;
/// A free row's w beyond this, relative to the size of the problem's terms, shows that it contradicts the rows it depends
/// on.
const CONTRADICTION: f64 = 1e-9;
/// Block exchanges that do not reduce the violations before single least-index exchanges take over.
const PATIENCE: usize = 10;

parameters! {
    /// Principal pivoting on the partition of the rows into free (w = 0), at lo, at hi; dependent bounds are solved along.
    ///
    /// Each step solves the linear system that a partition stands for and exchanges the rows that violate it: all at once
    /// while that lowers their number (Judice and Pires), else the one of least index alone (Murty), which is finite for P-matrices.
    /// The partition of the last solve is tried first (partition caching), and the free unknowns of a singular system keep
    /// the values of x as given: the solution nearest in mode to the last one (E-11, E-12).
    ///
    /// # Cost
    /// One dense factorisation of the free block per step: 2/3 |F|^3.
    ///
    /// # When it fails
    /// May cycle where A is not a P-matrix (friction, redundant contacts): it then stops at the iteration limit with its best x.
    ///
    /// # Source
    /// Murty: Linear Complementarity, Linear and Nonlinear Programming, 1988, ch. 4; Judice, Pires, 1994; Baraff 1995, (8)-(10).
    #[derive(Debug, Clone)]
    pub struct PrincipalPivoting {
        /// largest number of steps
        iterations: usize = count(1000),
        /// limit on multiplications per solve
        work: f64 = positive(WORK),
        /// whether one row is exchanged at a time from the start: Murty's least-index rule
        least_index: bool = given(false),
        /// try the last solve's partition first
        cache: bool = switch(false),
        /// when the residual is measured; history also keeps its value at each iteration
        measure: Measure = choice(AtEnd),
        /// the partition at the end of the last solve; empty at first
        partition: Vec<Side> = given(Vec::new()),
        /// memory between solves
        memory: SolverMemory = given(SolverMemory::default()),
        /// matrix, factors and vectors
        workspace: Kept<PivotingWorkspace> = given(Kept::default()),
    }
}

/// Buffers of [`PrincipalPivoting`] between solves.
#[derive(Debug, Default)]
pub struct PivotingWorkspace {
    a: DenseOperator,
    x: Vec<f64>,
    w: Vec<f64>,
    violated: Vec<(usize, Side)>,
    seen: Vec<u64>,
    systems: PartitionSystems,
}

/// Which set of the partition a row is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// w_i = 0.
    Free,
    /// x_i at its lower bound.
    Lower,
    /// x_i at its upper bound.
    Upper,
}

/// The sets that x - w / A_ii points to; a row that is undecided (w = 0 at its bound) is free.
pub(crate) fn partition_at(
    a: &DenseOperator,
    problem: &ProblemView<'_>,
    x: &[f64],
    w: &[f64],
) -> impl Iterator<Item = Side> {
    let small = UNDECIDED * w.iter().fold(0.0_f64, |m, w| m.max(w.abs()));
    (0..x.len()).map(move |i| {
        let (lo, hi) = problem.bounds(i, x);
        let d = if a.get(i, i) > 0.0 { a.get(i, i) } else { 1.0 };
        let target = x[i] - w[i] / d;
        // A dependent row whose bounds coincide begins as free rather than at either.
        if problem.parent(i).is_some() && lo == hi {
            Side::Free
        } else if target < lo - small / d {
            Side::Lower
        } else if target > hi + small / d {
            Side::Upper
        } else {
            Side::Free
        }
    })
}

/// Result of an exchange.
enum Next {
    /// Another partition.
    Partition,
    /// No row contradicts its set.
    None,
    /// A partition that was met before.
    Cycle,
}

/// A solve's way from partition to partition.
struct Exchanges<'a, 'b> {
    a: &'a DenseOperator,
    factorisation: Factorisation,
    problem: &'a ProblemView<'b>,
    x: &'a mut Vec<f64>,
    w: &'a mut Vec<f64>,
    /// Rows that contradict their set, and the set that they go to.
    violated: &'a mut Vec<(usize, Side)>,
    fewest: usize,
    /// Block exchanges that do not reduce the violations before single ones take over: the total, and those left.
    most_patience: usize,
    patience: usize,
    /// Partitions met since single exchanges began.
    seen: &'a mut Vec<u64>,
    systems: &'a mut PartitionSystems,
}

impl<'a, 'b> Exchanges<'a, 'b> {
    fn new(problem: &'a ProblemView<'b>, patience: usize, start: &[f64], workspace: &'a mut PivotingWorkspace) -> Self {
        let PivotingWorkspace { a, x, w, violated, seen, systems } = workspace;
        let a = problem.operator.dense_in(a);
        copy(x, start);
        refill(w, start.len(), 0.0);
        violated.clear();
        seen.clear();
        let factorisation = if a.is_symmetric() { Factorisation::Cholesky } else { Factorisation::Lu };
        let (fewest, most_patience) = (usize::MAX, patience);
        Self { a, factorisation, problem, x, w, violated, fewest, most_patience, patience, seen, systems }
    }

    /// w = A x + b, and the natural residual at x; A is not read if x = 0.
    fn residual(&mut self) -> f64 {
        let Self { a, problem, x, w, .. } = self;
        if x.iter().all(|x| *x == 0.0) {
            w.copy_from_slice(problem.b);
        } else {
            for (i, w) in w.iter_mut().enumerate() {
                *w = problem.b[i] + dot(a.row(i), x);
            }
        }
        let mut worst = 0.0_f64;
        for i in 0..x.len() {
            let (lo, hi) = problem.bounds(i, x);
            let error = (x[i] - (x[i] - w[i]).max(lo).min(hi)).abs();
            worst = if error.is_nan() || w[i].is_nan() { f64::NAN } else { worst.max(error) };
            if worst.is_nan() {
                break;
            }
        }
        worst
    }

    /// The largest of b, x and A_ii x_i.
    fn magnitude(&self) -> f64 {
        self.x
            .iter()
            .enumerate()
            .fold(0.0_f64, |m, (i, x)| m.max(self.problem.b[i].abs()).max(x.abs()).max((self.a.get(i, i) * x).abs()))
    }

    /// The solution of a partition.
    fn solve(&mut self, partition: &[Side]) {
        self.systems.solve(self.a, self.factorisation, self.problem, partition, self.x);
    }

    /// Moves rows that contradict their set: all at once while their number falls, otherwise only the first.
    fn next(&mut self, partition: &mut [Side]) -> Next {
        self.find_violations(partition);
        if self.violated.is_empty() {
            self.find_contradictions(partition);
        }
        if self.violated.is_empty() {
            return Next::None;
        }
        // A partition that is met twice by single exchanges is a cycle.
        let single = self.patience == 0;
        if single {
            let number = fingerprint(partition);
            if self.seen.contains(&number) {
                return Next::Cycle;
            }
            self.seen.push(number);
        }
        if self.violated.len() < self.fewest {
            self.fewest = self.violated.len();
            self.patience = self.most_patience;
        } else {
            self.patience = self.patience.saturating_sub(1);
        }
        let count = if single { 1 } else { self.violated.len() };
        for &(i, next) in &self.violated[..count] {
            partition[i] = next;
        }
        Next::Partition
    }

    /// Which rows contradict their set?
    fn find_violations(&mut self, partition: &[Side]) {
        let Self { problem, x, w, violated, .. } = self;
        let x_small = VIOLATION * x.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
        let w_small = VIOLATION * problem.b.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
        violated.clear();
        for (i, &side) in partition.iter().enumerate() {
            let (lo, hi) = problem.bounds(i, x);
            let next = match side {
                Side::Free if x[i] < lo - x_small => Side::Lower,
                Side::Free if x[i] > hi + x_small => Side::Upper,
                Side::Lower if w[i] < -w_small && lo < hi => Side::Free,
                Side::Upper if w[i] > w_small && lo < hi => Side::Free,
                same => same,
            };
            if next != side {
                violated.push((i, next));
            }
        }
    }

    /// Free rows that depend on others and have a non-zero w belong to the bound that it points to.
    fn find_contradictions(&mut self, partition: &[Side]) {
        let contradiction = CONTRADICTION * self.magnitude();
        let Self { problem, x, w, violated, .. } = self;
        violated.extend(partition.iter().enumerate().filter_map(|(i, side)| {
            let (lo, hi) = problem.bounds(i, x);
            match side {
                Side::Free if w[i] > contradiction && lo.is_finite() => Some((i, Side::Lower)),
                Side::Free if w[i] < -contradiction && hi.is_finite() => Some((i, Side::Upper)),
                _ => None,
            }
        }));
    }
}

/// A number for a partition, to recognise one that was met before (FNV-1a).
pub(crate) fn fingerprint(partition: &[Side]) -> u64 {
    partition.iter().fold(0xcbf2_9ce4_8422_2325, |hash, side| (hash ^ *side as u64).wrapping_mul(0x100_0000_01b3))
}

/// x_i = constant + slope * x_root for a row that is not free.
#[derive(Debug, Clone, Copy)]
struct Affine {
    constant: f64,
    slope: f64,
    root: usize,
}

/// Expresses a row at its bound through the free row that it ultimately depends on.
fn affine(problem: &ProblemView<'_>, partition: &[Side], i: usize) -> Affine {
    match (partition[i], problem.parent(i)) {
        (Side::Free, _) => Affine { constant: 0.0, slope: 1.0, root: i },
        (side, Some(j)) => {
            let parent = affine(problem, partition, j);
            let factor = if side == Side::Lower { -problem.mu[i] } else { problem.mu[i] };
            Affine { constant: factor * parent.constant, slope: factor * parent.slope, root: parent.root }
        }
        (side, None) => {
            let constant = if side == Side::Lower { problem.lo[i] } else { problem.hi[i] };
            Affine { constant, slope: 0.0, root: usize::MAX }
        }
    }
}

/// First factorisation of the block of a partition's free rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Factorisation {
    /// For any matrix.
    Lu,
    /// For a symmetric one; if that breaks down, as for any.
    Cholesky,
}

/// The linear systems of partitions, one after the other.
#[derive(Debug, Default)]
pub(crate) struct PartitionSystems {
    systems: DenseSystems,
    rows: Vec<Affine>,
    free: Vec<usize>,
    /// The place of each row among the free ones.
    place: Vec<usize>,
    block: DenseOperator,
    right: Vec<f64>,
    values: Vec<f64>,
    /// x of the rows at their bounds.
    held: Vec<f64>,
}

impl PartitionSystems {
    /// Solves the linear system of a partition; x gives the values that free unknowns of a singular system keep.
    pub(crate) fn solve(
        &mut self,
        a: &DenseOperator,
        factorisation: Factorisation,
        problem: &ProblemView<'_>,
        partition: &[Side],
        x: &mut [f64],
    ) {
        let symmetric = factorisation == Factorisation::Cholesky;
        if symmetric && problem.dependency.is_empty() && self.solve_plain(a, problem, partition, x) {
            return;
        }
        let Self { systems, rows, free, place, block, right, values, .. } = self;
        let n = x.len();
        collect(rows, (0..n).map(|i| affine(problem, partition, i)));
        collect(free, (0..n).filter(|&i| partition[i] == Side::Free));
        refill(place, n, usize::MAX);
        for (k, &i) in free.iter().enumerate() {
            place[i] = k;
        }
        block.reset(free.len());
        refill(right, free.len(), 0.0);
        for (k, &i) in free.iter().enumerate() {
            let mut sum = problem.b[i];
            let target = block.row_mut(k);
            for (row, &aij) in rows.iter().zip(a.row(i)) {
                sum += aij * row.constant;
                if row.slope != 0.0 {
                    target[place[row.root]] += aij * row.slope;
                }
            }
            right[k] = -sum;
        }
        // Cholesky if the block allows it; otherwise the free unknowns of a singular system keep their values.
        let plain = symmetric && rows.iter().enumerate().all(|(i, row)| row.slope == 0.0 || row.root == i);
        let solved = if plain {
            systems.solve_positive_definite(block, right, values)
        } else {
            systems.solve_regular(block, right, values)
        };
        if !solved {
            collect(values, free.iter().map(|&i| x[i]));
            systems.solve_ranked(block, RANK_TOLERANCE, right, values);
        }
        for (i, row) in rows.iter().enumerate() {
            x[i] = row.constant + if row.slope == 0.0 { 0.0 } else { row.slope * values[place[row.root]] };
        }
    }

    /// The same by Cholesky, for symmetric A and no dependent bounds; false, with x unchanged on the free rows, if that breaks down.
    fn solve_plain(&mut self, a: &DenseOperator, problem: &ProblemView<'_>, partition: &[Side], x: &mut [f64]) -> bool {
        let Self { systems, free, right, values, held, .. } = self;
        let n = x.len();
        collect(free, (0..n).filter(|&i| partition[i] == Side::Free));
        refill(held, n, 0.0);
        for i in 0..n {
            match partition[i] {
                Side::Free => {}
                Side::Lower => held[i] = problem.lo[i],
                Side::Upper => held[i] = problem.hi[i],
            }
        }
        let at_zero = held.iter().all(|v| *v == 0.0);
        collect(right, free.iter().map(|&i| -problem.b[i] - if at_zero { 0.0 } else { dot(a.row(i), held) }));
        if !systems.solve_principal(a, free, right, values) {
            return false;
        }
        x.copy_from_slice(held);
        for (&i, value) in free.iter().zip(values) {
            x[i] = *value;
        }
        true
    }
}

impl LcpSolver for PrincipalPivoting {
    fn name(&self) -> &'static str {
        if self.least_index { "murty-least-index" } else { "block-principal-pivoting" }
    }

    fn is_direct(&self) -> bool {
        true
    }

    fn solve(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        check_start(problem, x)?;
        check_dense(&problem.operator)?;
        let n = x.len();
        self.memory.budget.begin(self.work);
        let mut report = LcpReport { status: LcpStatus::IterationLimit, iterations: 0, residual: None, change: 0.0 };
        if !self.memory.budget.pays_for_dense(&problem.operator) {
            return Ok(self.memory.finish(problem, x, self.measure, false, report));
        }
        self.memory.history.clear();
        // Single exchanges from the start give the least-index rule.
        let patience = if self.least_index { 0 } else { PATIENCE };
        let mut exchanges = Exchanges::new(problem, patience, x, &mut self.workspace.0);
        let best = &mut self.memory.best;
        best.begin(x, exchanges.residual());
        if !(self.cache && self.partition.len() == n) {
            collect(&mut self.partition, partition_at(exchanges.a, problem, x, exchanges.w));
        }
        if self.measure == Measure::History {
            self.memory.history.push(best.residual);
        }
        while report.iterations < self.iterations {
            let free = self.partition.iter().filter(|s| **s == Side::Free).count() as f64;
            if !self.memory.budget.pays(free * free * free / 3.0 + (n * n) as f64) {
                break;
            }
            report.iterations += 1;
            exchanges.solve(&self.partition);
            if quarantine(problem, exchanges.x) {
                report.status = LcpStatus::Failed;
                break;
            }
            let value = exchanges.residual();
            if self.measure == Measure::History {
                self.memory.history.push(value);
            }
            best.improve(exchanges.x, value);
            match exchanges.next(&mut self.partition) {
                Next::Partition => {}
                Next::None => {
                    report.status = LcpStatus::Converged;
                    break;
                }
                Next::Cycle => {
                    report.status = LcpStatus::Stagnated;
                    break;
                }
            }
        }
        x.copy_from_slice(&self.memory.best.x);
        Ok(self.memory.finish_claim(problem, x, self.measure, 0.0, report))
    }

    fn set(&mut self, parameter: &str, value: f64) -> Result<(), LcpError> {
        self.set_parameter(&Setting { solver: self.name(), parameter, value })
    }

    memory_methods!();
}
