mod descent;
mod run;

use super::principal::{PrincipalPivoting, Side};
use crate::bounds::parents_first;
use crate::budget::WORK;
use crate::solver::{Setting, SolverMemory, check_start, memory_methods};
use crate::sparse_direct::factors::Factors;
use crate::sparse_direct::structure::{Pattern, Structure};
use crate::{
    LcpError, LcpReport, LcpSolver, LcpStatus, Measure, OperatorRef, ProblemView, SparseOperator, natural_residual,
};
use descent::descend;
use run::{End, Run, VIOLATION, exchange};

const NAME: &str = "sparse-principal-pivoting";
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

/// Block principal pivoting whose linear systems are solved by a sparse L D U with a minimum-degree ordering: exact solution of chains, trees and
/// sparse contact graphs at a cost that grows with the number of rows where elimination fills in little.
///
/// All rows that contradict the partition are exchanged at once while their number falls. The pattern comes from the rows' bodies (factored A) or entries (sparse A) and is analysed once while it
/// stays. Rows at dependent bounds are solved along with the row that bounds them. A free row whose pivot vanishes depends on earlier rows: it keeps
/// its multiplier (zero from a cold start), and iterative refinement against A itself takes consistent systems to rounding. Where
/// exchanges do not settle, or redundant rows leave a residual, proximal rounds follow: exchanges (in the end of the row of least index alone, Murty's rule)
/// on A + s D around the last answer, each problem definite, s from 1e-3 down to 1e-9 as rounds are solved. They converge where A is monotone. Where A is
/// symmetric, no bound depends on a row, and exchanges cycle even there, projected Newton steps that descend take over: walls of bricks without friction,
/// whose contacts are redundant and contradict each other a little, end at rounding.
///
/// # Cost
/// One sparse factorisation per step: for a chain of n links O(n), for a plane grid O(n^1.5), for rows that all share a body O(n^3).
/// A warm solve on a pattern that is one of the last 32 met allocates nothing. Dense operators go to [`PrincipalPivoting`] first.
///
/// # When it fails
/// No pivoting within the factorisation: unsymmetric or indefinite A may lose digits, which the residual shows. May cycle with friction. Piles of
/// thousands of bodies in three dimensions fill in: they end at `work`, and more than 2e8 entries in the factors are refused.
///
/// # Source
/// Judice, Pires 1994; Murty 1988, ch. 4; Davis: Direct Methods for Sparse Linear Systems, 2006; linear cost on chains as in Baraff: Linear-time dynamics
/// using Lagrange multipliers, 1996; proximal rounds after Rockafellar 1976, projected Newton steps after Bertsekas 1982; redundant rows: seed 000, (8)-(10) (catalogue E-11, E-12).
#[derive(Debug, Clone)]
pub struct SparsePrincipalPivoting {
    /// Largest number of steps.
    pub iterations: usize,
    /// Stops when the residual is at most this, or at rounding: what a w_i is made of times 1e-15.
    pub tolerance: f64,
    /// Multiplications that a solve may take: what goes beyond ends with the best x so far, and a pattern of
    /// which one factorisation would is refused before it is begun.
    pub work: f64,
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
            work: WORK,
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
    /// Analyses of other patterns met before, the last one first.
    others: Vec<Structure>,
    factors: Factors,
    /// Of the geometric Gram matrix, where A has small pivots.
    geometry: Factors,
    dense: PrincipalPivoting,
    x: Vec<f64>,
    /// Right-hand sides, reconciled where redundant rows contradict each other.
    b: Vec<f64>,
    previous: Vec<f64>,
    best: Vec<f64>,
    centre: Vec<f64>,
    w: Vec<f64>,
    magnitude: Vec<f64>,
    right: Vec<f64>,
    product: Vec<f64>,
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

    /// Free rows that were last found to depend on others, or nearly so.
    pub fn redundant_rows(&self) -> usize {
        self.geometry.redundant.max(self.factors.redundant)
    }
}

fn copy(to: &mut Vec<f64>, from: &[f64]) {
    to.clear();
    to.extend_from_slice(from);
}

impl SparsePrincipalPivoting {
    fn run<P: Pattern>(&mut self, op: &P, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        let n = x.len();
        let mut report = self.memory.begin(problem, x, self.measure);
        self.memory.budget.begin(self.work);
        let SparseWorkspace { structure, others, .. } = &mut self.workspace;
        if !structure.prepare(others, op, problem, self.work) {
            self.memory.budget.allows(f64::INFINITY);
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
        space.factors.work = self.memory.budget.spent();
        space.geometry.work = 0.0;
        for buffer in [&mut space.x, &mut space.previous, &mut space.best, &mut space.centre] {
            copy(buffer, x);
        }
        copy(&mut space.b, problem.b);
        space.geometry.redundant = 0;
        space.w.resize(n, 0.0);
        space.magnitude.resize(n, 0.0);
        space.product.resize(n, 0.0);
        let mut run = Run {
            op,
            problem,
            space: &mut space,
            memory: &mut self.memory,
            partition: &mut partition,
            shift: 0.0,
            work: self.work,
            products: 0.0,
            redundant: false,
            reconciled: false,
        };
        if !(self.cache && run.partition.len() == n) {
            run.partition_at_x();
        }
        let (mut least, mut idle) = (LEAST_SHIFT, 0);
        let may_descend = run.space.factors.is_symmetric() && !problem.has_dependencies();
        let mut descending = false;
        for _ in 0..ROUNDS {
            let before = best_residual;
            let end = if descending {
                descend(&mut run, self.iterations, self.tolerance, &mut report, &mut best_residual)
            } else {
                exchange(&mut run, self.measure, self.iterations, self.tolerance, &mut report, &mut best_residual)
            };
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
                // Exchanges that cycle give way to steps that descend.
                End::Cycle if proximal && may_descend && !descending => {
                    descending = true;
                    let SparseWorkspace { x, centre, .. } = &mut *run.space;
                    x.copy_from_slice(centre);
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
        let (spent, ended) = (run.spent(), run.is_spent());
        self.memory.budget.count(spent - self.memory.budget.spent());
        if ended {
            self.memory.budget.allows(f64::INFINITY);
        }
        self.workspace = space;
        self.partition = partition;
        Ok(report)
    }
}

impl SparsePrincipalPivoting {
    /// By [`PrincipalPivoting`].
    fn solve_dense(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        let dense = &mut self.workspace.dense;
        (dense.iterations, dense.cache, dense.measure) = (self.iterations.min(DENSE_STEPS), self.cache, self.measure);
        dense.work = self.work;
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

    fn is_direct(&self) -> bool {
        true
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
            "work" => set.positive(&mut self.work),
            _ => set.common(&mut self.iterations, &mut self.tolerance, &mut self.measure),
        }
    }

    memory_methods!();
}
