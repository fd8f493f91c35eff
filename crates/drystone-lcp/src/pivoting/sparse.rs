use super::principal::{PrincipalPivoting, Side, UNDECIDED, fingerprint};
use crate::bounds::parents_first;
use crate::solver::{Setting, SolverMemory, check_start, memory_methods, quarantine};
use crate::sparse_direct::factors::{Factors, Role};
use crate::sparse_direct::structure::{Pattern, Structure};
use crate::{
    LcpError, LcpReport, LcpSolver, LcpStatus, Measure, OperatorRef, ProblemView, SparseOperator, natural_residual,
};

const NAME: &str = "sparse-principal-pivoting";
/// A row contradicts its set beyond this, relative to the sum of the magnitudes that w_i is made of (or to the largest |x|).
const VIOLATION: f64 = 1e-12;
/// Block exchanges without fewer violations before single least-index exchanges take over.
const PATIENCE: usize = 10;
/// Solves with the same factors for one partition, as long as each halves the error.
const REFINEMENTS: usize = 10;
/// Residuals at most this, relative to the sum of magnitudes, are rounding.
const ROUNDING: f64 = 1e-15;
/// A redundant row's w above this, relative to its magnitude, shows that the equations contradict each other.
const CONTRADICTION: f64 = 1e-10;
/// What the proximal rounds add to the diagonal, relative to it: at first, at least, at most.
const FIRST_SHIFT: f64 = 1e-3;
const LEAST_SHIFT: f64 = 1e-9;
const LARGEST_SHIFT: f64 = 1.0;
/// Its change after a round that was solved, and after one that was not.
const NARROWER: f64 = 0.1;
const WIDER: f64 = 10.0;
/// A round in which the best residual does not fall to this part of what it was is idle, and so many in a row are the end.
const SLOW: f64 = 0.9;
const IDLE: usize = 4;
/// Steps of the dense method before the sparse one takes over.
const DENSE_STEPS: usize = 30;
/// Largest number of rounds.
const ROUNDS: usize = 100;
/// Single exchanges in a round before it is given up.
const SINGLES: usize = 10;

/// Block principal pivoting whose linear systems are solved by a sparse L D U with a minimum-degree ordering: exact solution of chains, trees and
/// sparse contact graphs at a cost that grows with the number of rows where elimination fills in little.
///
/// All rows that contradict the partition are exchanged at once while their number falls. The pattern comes from the rows' bodies (factored A) or entries (sparse A) and is analysed once while it
/// stays. Rows at dependent bounds are solved along with the row that bounds them. A free row whose pivot vanishes depends on earlier rows: it keeps
/// its multiplier (zero from a cold start), and iterative refinement against A itself takes consistent systems to rounding. Where
/// exchanges do not settle, or redundant rows leave a residual, proximal rounds follow: exchanges (in the end of the row of least index alone, Murty's rule)
/// on A + s D around the last answer, each problem definite, s from 1e-3 down to 1e-9 as rounds are solved. They converge where A is monotone.
///
/// # Cost
/// One sparse factorisation a step: for a chain of n links O(n), for a plane grid O(n^1.5), for rows that all share a body O(n^3).
/// A warm solve on an unchanged pattern allocates nothing. Dense operators go to [`PrincipalPivoting`] first.
///
/// # When it fails
/// No pivoting within the factorisation: unsymmetric or indefinite A may lose digits, which the residual shows. May cycle with friction. More
/// than 2e8 entries in the factors are refused.
///
/// # Source
/// Judice, Pires 1994; Murty 1988, ch. 4; Davis: Direct Methods for Sparse Linear Systems, 2006; linear cost on chains as in Baraff: Linear-time dynamics
/// using Lagrange multipliers, 1996; proximal rounds after Rockafellar 1976; redundant rows: seed 000, (8)-(10) (catalogue E-11, E-12).
#[derive(Debug, Clone)]
pub struct SparsePrincipalPivoting {
    /// Largest number of steps.
    pub iterations: usize,
    /// Stops when the residual is at most this, or at rounding: what a w_i is made of times 1e-15.
    pub tolerance: f64,
    /// Try the partition of the last solve first.
    pub cache: bool,
    /// When the residual is measured.
    pub measure: Measure,
    /// The partition at the end of the last solve; empty at first.
    pub partition: Vec<Side>,
    /// Memory between solves.
    pub memory: SolverMemory,
    /// Pattern, factors and vectors.
    pub workspace: SparseWorkspace,
}

impl Default for SparsePrincipalPivoting {
    fn default() -> Self {
        Self {
            iterations: 1000,
            tolerance: 1e-12,
            cache: false,
            measure: Measure::AtEnd,
            partition: Vec::new(),
            memory: SolverMemory::default(),
            workspace: SparseWorkspace::default(),
        }
    }
}

/// What [`SparsePrincipalPivoting`] keeps between solves: opaque, empty by default. A clone starts empty.
#[derive(Debug, Default)]
pub struct SparseWorkspace {
    structure: Structure,
    factors: Factors,
    dense: PrincipalPivoting,
    x: Vec<f64>,
    previous: Vec<f64>,
    best: Vec<f64>,
    centre: Vec<f64>,
    w: Vec<f64>,
    magnitude: Vec<f64>,
    right: Vec<f64>,
    violated: Vec<(u32, Side)>,
    seen: Vec<u64>,
}

impl Clone for SparseWorkspace {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl SparseWorkspace {
    /// Entries of the factors' triangle for the last pattern.
    pub fn factor_entries(&self) -> usize {
        self.structure.column_starts.last().copied().unwrap_or(0)
    }

    /// Free rows that the last factorisation found to depend on others.
    pub fn redundant_rows(&self) -> usize {
        self.factors.redundant
    }
}

fn copy(to: &mut Vec<f64>, from: &[f64]) {
    to.clear();
    to.extend_from_slice(from);
}

/// One solve's view of everything.
struct Run<'a, 'b, P> {
    op: &'a P,
    problem: &'a ProblemView<'b>,
    space: &'a mut SparseWorkspace,
    memory: &'a mut SolverMemory,
    partition: &'a mut Vec<Side>,
    /// Added to the diagonal, relative to it.
    shift: f64,
}

impl<P: Pattern> Run<'_, '_, P> {
    /// w = A x + b + shift D (x - centre).
    fn residual(&mut self) {
        let SparseWorkspace { x, w, centre, .. } = &mut *self.space;
        self.op.apply(x, &mut self.memory.accumulator, w);
        for (i, (w, b)) in w.iter_mut().zip(self.problem.b).enumerate() {
            *w += b;
            if self.shift > 0.0 {
                *w += self.shift * self.op.diagonal(i) * (x[i] - centre[i]);
            }
        }
    }

    /// The sets that x - w / A_ii points to.
    fn partition_at_x(&mut self) {
        self.residual();
        let small = UNDECIDED * self.space.w.iter().fold(0.0_f64, |m, w| m.max(w.abs()));
        self.partition.clear();
        for (i, (&x, &w)) in self.space.x.iter().zip(&self.space.w).enumerate() {
            let (lo, hi) = self.problem.bounds(i, &self.space.x);
            let d = self.op.diagonal(i);
            let d = if d > 0.0 { d } else { 1.0 };
            let (target, slack) = (x - w / d, small / d);
            let shut = self.problem.parent(i).is_some() && lo == hi;
            self.partition.push(if shut || (lo - slack..=hi + slack).contains(&target) {
                Side::Free
            } else if target < lo {
                Side::Lower
            } else {
                Side::Upper
            });
        }
    }

    /// Rows at their bounds, and what each row is in the linear system; parents first.
    fn set_roles(&mut self) {
        let SparseWorkspace { structure, factors, x, .. } = &mut *self.space;
        for &i in self.memory.order.rows() {
            let i = i as usize;
            let side = self.partition[i];
            let sign = if side == Side::Lower { -1.0 } else { 1.0 };
            let bound = if side == Side::Lower { self.problem.lo[i] } else { self.problem.hi[i] };
            let place = structure.place_of[i] as usize;
            factors.roles[place] = match (side, self.problem.parent(i)) {
                (Side::Free, _) => Role::Free,
                (_, None) if !bound.is_finite() => {
                    self.partition[i] = Side::Free;
                    Role::Free
                }
                (_, None) => {
                    x[i] = bound;
                    Role::Held
                }
                (_, Some(j)) => {
                    let factor = sign * self.problem.mu[i];
                    x[i] = factor * x[j];
                    match factors.roles[structure.place_of[j] as usize] {
                        Role::Free => Role::Follows { root: structure.place_of[j], slope: factor },
                        Role::Follows { root, slope } => Role::Follows { root, slope: factor * slope },
                        Role::Held => Role::Held,
                    }
                }
            };
        }
    }

    /// Solves the partition's equations from x on, refined while that helps; w is left at the answer.
    fn solve_partition(&mut self) {
        self.set_roles();
        self.space.factors.factorise(&self.space.structure, self.shift);
        let mut last = f64::INFINITY;
        for _ in 0..REFINEMENTS {
            self.residual();
            let SparseWorkspace { structure, factors, x, previous, w, right, .. } = &mut *self.space;
            let mut error = 0.0_f64;
            right.clear();
            for (place, &row) in structure.row_at.iter().enumerate() {
                let free = factors.roles[place] == Role::Free && !factors.dropped[place];
                let value = if free { -w[row as usize] } else { 0.0 };
                error = error.max(value.abs());
                right.push(value);
            }
            if error > last {
                x.copy_from_slice(previous);
                self.residual();
                return;
            }
            if error == 0.0 || error > 0.5 * last || error.is_nan() {
                return;
            }
            last = error;
            previous.copy_from_slice(x);
            factors.solve(structure, right);
            for (place, &row) in structure.row_at.iter().enumerate() {
                let change = match factors.roles[place] {
                    Role::Free => right[place],
                    Role::Follows { root, slope } => slope * right[root as usize],
                    Role::Held => 0.0,
                };
                x[row as usize] += change;
            }
        }
        self.residual();
    }

    /// What w_i is made of, in magnitude; returns the largest.
    fn magnitudes(&mut self) -> f64 {
        let SparseWorkspace { structure, factors, x, magnitude, .. } = &mut *self.space;
        let mut largest = 0.0_f64;
        for (k, &row) in structure.row_at.iter().enumerate() {
            let mut sum = self.problem.b[row as usize].abs();
            for p in structure.starts[k]..structure.starts[k + 1] {
                let j = structure.row_at[structure.columns[p] as usize] as usize;
                sum += (factors.values()[p] * x[j]).abs();
            }
            magnitude[row as usize] = sum;
            largest = largest.max(sum);
        }
        largest
    }

    /// Whether free rows that were left out of the factors are satisfied all the same.
    fn redundant_rows_agree(&self) -> bool {
        let SparseWorkspace { structure, factors, w, magnitude, .. } = &*self.space;
        factors.redundant == 0
            || structure.row_at.iter().zip(&factors.dropped).all(|(&row, &dropped)| {
                let row = row as usize;
                !dropped || w[row].abs() <= CONTRADICTION * magnitude[row]
            })
    }

    /// Collects the rows that contradict their set.
    fn find_violations(&mut self) {
        let SparseWorkspace { x, w, magnitude, violated, .. } = &mut *self.space;
        let x_small = VIOLATION * x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        violated.clear();
        for (i, &side) in self.partition.iter().enumerate() {
            let (lo, hi) = self.problem.bounds(i, x);
            let w_small = VIOLATION * magnitude[i];
            let next = match side {
                Side::Free if x[i] < lo - x_small => Side::Lower,
                Side::Free if x[i] > hi + x_small => Side::Upper,
                Side::Lower if w[i] < -w_small && lo < hi => Side::Free,
                Side::Upper if w[i] > w_small && lo < hi => Side::Free,
                same => same,
            };
            if next != side {
                violated.push((i as u32, next));
            }
        }
    }
}

/// How one round of exchanges ended.
#[derive(PartialEq)]
enum End {
    /// The residual is within the tolerance.
    Accurate,
    /// No row contradicts its set, and redundant rows have w = 0 like the others.
    Agreement,
    /// No row contradicts its set, but it is a proximal problem, or redundant rows have w of their own.
    Consistent,
    /// A partition was met twice.
    Cycle,
    /// The iteration limit.
    Limit,
    /// Not finite.
    Broken,
}

impl SparsePrincipalPivoting {
    fn run<P: Pattern>(&mut self, op: &P, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        let n = x.len();
        let mut report = self.memory.begin(problem, x, self.measure);
        if !self.workspace.structure.prepare(op, problem) {
            return Err(LcpError::Unsupported { solver: NAME, what: "problems whose factors fill in so much" });
        }
        parents_first(problem, &mut self.memory.order);
        let mut best_residual = natural_residual(problem, x, &mut self.memory.residual);
        if best_residual.is_nan() {
            best_residual = f64::INFINITY;
        }
        let mut space = std::mem::take(&mut self.workspace);
        let mut partition = std::mem::take(&mut self.partition);
        space.factors.read(op, &space.structure);
        for buffer in [&mut space.x, &mut space.previous, &mut space.best, &mut space.centre] {
            copy(buffer, x);
        }
        space.w.resize(n, 0.0);
        space.magnitude.resize(n, 0.0);
        let mut run =
            Run { op, problem, space: &mut space, memory: &mut self.memory, partition: &mut partition, shift: 0.0 };
        if !(self.cache && run.partition.len() == n) {
            run.partition_at_x();
        }
        let (mut least, mut idle) = (LEAST_SHIFT, 0);
        for _ in 0..ROUNDS {
            let before = best_residual;
            let end =
                exchange(&mut run, self.measure, self.iterations, self.tolerance, &mut report, &mut best_residual);
            report.status = match end {
                End::Accurate | End::Agreement => LcpStatus::Converged,
                End::Limit => LcpStatus::IterationLimit,
                End::Broken => LcpStatus::Failed,
                End::Cycle | End::Consistent => LcpStatus::Stagnated,
            };
            // Redundant rows in the way, or a cycle: on to, or on with, the definite problem around the last answer.
            let proximal = run.shift > 0.0;
            match end {
                End::Consistent if proximal => {
                    idle = if best_residual > SLOW * before { idle + 1 } else { 0 };
                    if run.shift <= least && idle >= IDLE {
                        break;
                    }
                    run.shift = (run.shift * NARROWER).max(least);
                    let SparseWorkspace { x, centre, .. } = &mut *run.space;
                    centre.copy_from_slice(x);
                }
                End::Consistent | End::Cycle => {
                    if run.shift >= LARGEST_SHIFT {
                        break;
                    }
                    // What has failed once is not tried again.
                    least = if proximal { run.shift * WIDER } else { LEAST_SHIFT };
                    run.shift = if proximal { least.min(LARGEST_SHIFT) } else { FIRST_SHIFT };
                    let SparseWorkspace { x, centre, .. } = &mut *run.space;
                    x.copy_from_slice(centre);
                    run.partition_at_x();
                }
                _ => break,
            }
        }
        x.copy_from_slice(&run.space.best);
        self.workspace = space;
        self.partition = partition;
        Ok(report)
    }
}

/// Exchanges rows until a partition agrees with its solution, or it goes no further. Keeps the best x.
fn exchange<P: Pattern>(
    run: &mut Run<'_, '_, P>,
    measure: Measure,
    limit: usize,
    tolerance: f64,
    report: &mut LcpReport,
    best_residual: &mut f64,
) -> End {
    let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
    run.space.seen.clear();
    while report.iterations < limit {
        report.iterations += 1;
        run.solve_partition();
        if quarantine(run.problem, &mut run.space.x) {
            return End::Broken;
        }
        let value = natural_residual(run.problem, &run.space.x, &mut run.memory.residual);
        if measure == Measure::History {
            run.memory.history.push(value);
        }
        let scale = run.magnitudes();
        if value < *best_residual {
            *best_residual = value;
            run.space.best.copy_from_slice(&run.space.x);
            if value <= tolerance.max(ROUNDING * scale) {
                return End::Accurate;
            }
        }
        run.find_violations();
        let SparseWorkspace { violated, seen, .. } = &mut *run.space;
        if violated.is_empty() {
            return if run.shift == 0.0 && run.redundant_rows_agree() { End::Agreement } else { End::Consistent };
        }
        // All at once while their number falls, else, in a definite problem, the first alone; a partition met twice then is a cycle.
        let single = patience == 0;
        if single {
            let number = fingerprint(run.partition);
            if run.shift == 0.0 || seen.len() >= SINGLES || seen.contains(&number) {
                return End::Cycle;
            }
            seen.push(number);
        }
        if violated.len() < fewest {
            fewest = violated.len();
            patience = PATIENCE;
        } else {
            patience = patience.saturating_sub(1);
        }
        let count = if single { 1 } else { violated.len() };
        for &(i, next) in &violated[..count] {
            run.partition[i as usize] = next;
        }
    }
    End::Limit
}

impl SparsePrincipalPivoting {
    /// By [`PrincipalPivoting`].
    fn solve_dense(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        let dense = &mut self.workspace.dense;
        (dense.iterations, dense.cache, dense.measure) = (self.iterations.min(DENSE_STEPS), self.cache, self.measure);
        dense.partition.clone_from(&self.partition);
        let report = dense.solve(problem, x)?;
        self.partition.clone_from(&dense.partition);
        self.memory.history.clear();
        self.memory.history.extend_from_slice(dense.history());
        Ok(report)
    }
}

impl LcpSolver for SparsePrincipalPivoting {
    fn name(&self) -> &'static str {
        NAME
    }

    fn solve(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        check_start(problem, x)?;
        let report = match problem.operator {
            OperatorRef::Factored(op) => self.run(op, problem, x)?,
            OperatorRef::Sparse(op) => self.run(op, problem, x)?,
            OperatorRef::Dense(_) | OperatorRef::Custom(_) => {
                let start = x.to_vec();
                let report = self.solve_dense(problem, x)?;
                let scale = problem.b.iter().fold(0.0_f64, |m, b| m.max(b.abs()));
                let dense_residual = natural_residual(problem, x, &mut self.memory.residual);
                if dense_residual <= self.tolerance.max(VIOLATION * scale) {
                    report
                } else {
                    // Proximal rounds are had only here: all entries as a sparse matrix.
                    let sparse = SparseOperator::from_dense(&problem.operator.to_dense());
                    let mut other = start;
                    let again = self.run(&sparse, problem, &mut other)?;
                    if natural_residual(problem, &other, &mut self.memory.residual) < dense_residual {
                        x.copy_from_slice(&other);
                        again
                    } else {
                        report
                    }
                }
            }
        };
        Ok(self.memory.finish_claim(problem, x, self.measure, self.tolerance, report))
    }

    fn set(&mut self, parameter: &str, value: f64) -> Result<(), LcpError> {
        let set = Setting { solver: NAME, parameter, value };
        match parameter {
            "cache" => set.switch(&mut self.cache),
            _ => set.common(&mut self.iterations, &mut self.tolerance, &mut self.measure),
        }
    }

    memory_methods!();
}
