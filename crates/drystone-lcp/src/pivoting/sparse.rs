mod descent;
mod rounds;
mod run;

use super::principal::{PrincipalPivoting, Side};
use crate::block_direct::BlockDirect;
use crate::bounds::parents_first;
use crate::budget::WORK;
use crate::buffers::{Kept, copy};
use crate::parameters::parameters;
use crate::solver::{SolverMemory, check_start, memory_methods};
use crate::sparse_direct::factors::Factors;
use crate::sparse_direct::structure::{Pattern, Structure};
use crate::{
    DenseOperator, FactoredOperator, LcpError, LcpReport, LcpSolver, LcpStatus, Matrix, Measure, OperatorRef,
    ProblemView, SparseOperator, natural_residual, rate_residual,
};
use rounds::Rounds;
use run::{Limits, Run, VIOLATION};

const NAME: &str = "sparse-principal-pivoting";
/// Steps of the dense method before the sparse one takes over.
const DENSE_STEPS: usize = 30;
/// Largest number of rounds.
const ROUNDS: usize = 100;

parameters! {
    /// Block principal pivoting whose linear systems are solved by a sparse L D U with a minimum-degree ordering: exact solution of chains, trees and
    /// sparse contact graphs at a cost that grows with the number of rows where elimination fills in little.
    ///
    /// If no row's bounds depend on another and none is redundant, the partition that the start value points to is
    /// tried first, by blocks of rows between the same two bodies: a mechanism whose limits are where they were is
    /// solved by that. Else all rows that contradict the partition are exchanged at once while their number falls. The
    /// pattern comes from the rows' bodies (factored A) or entries (sparse A) and is analysed once while it stays. Rows
    /// at dependent bounds are solved along with the row that bounds them. The sets that the start value points to are
    /// tried first. A free row whose pivot vanishes depends on earlier rows: among the answers of such a set that of
    /// least norm is taken, whatever the start (a dense operator keeps the start's mode), and iterative refinement
    /// against A itself takes consistent systems to rounding. Where exchanges do not settle, or redundant rows leave a
    /// residual, proximal rounds follow: exchanges (in the end of the row of least index alone, Murty's rule) on A + s
    /// D around the last answer, each problem definite, s from 1e-3 down to 1e-9 as rounds are solved. They converge
    /// where A is monotone. Where A is symmetric, no bound depends on a row, and exchanges cycle even there, projected
    /// Newton steps that descend take over: walls of bricks without friction, whose contacts are redundant and
    /// contradict each other a little, end at rounding.
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
    /// using Lagrange multipliers, 1996; proximal rounds after Rockafellar 1976, projected Newton steps after Bertsekas 1982; redundant rows: Baraff 1995, (8)-(10) (E-11, E-12).
    #[derive(Debug, Clone)]
    pub struct SparsePrincipalPivoting {
        /// largest number of steps
        iterations: usize = count(1000),
        /// stops at this residual (in the units of w), or at rounding level
        tolerance: f64 = not_negative(1e-12),
        /// limit on multiplications per solve
        work: f64 = positive(WORK),
        /// try the last solve's partition first
        cache: bool = switch(false),
        /// when the residual is measured; history also keeps its value at each iteration
        measure: Measure = choice(AtEnd),
        /// the partition at the end of the last solve; empty at first
        partition: Vec<Side> = given(Vec::new()),
        /// memory between solves
        memory: SolverMemory = given(SolverMemory::default()),
        /// pattern, factors and vectors
        workspace: SparseWorkspace = given(SparseWorkspace::default()),
        /// buffer for a matrix without a pattern
        read: Kept<ReadWorkspace> = given(Kept::default()),
    }
}

/// Buffers of [`SparsePrincipalPivoting`] between solves: opaque, empty by default. A clone starts empty.
#[derive(Debug, Default)]
pub struct SparseWorkspace {
    blocks: BlockDirect,
    structure: Structure,
    /// Analyses of other patterns met before, the last one first.
    others: Vec<Structure>,
    factors: Factors,
    /// Factors of the geometric Gram matrix, for when A has small pivots.
    geometry: Factors,
    dense: PrincipalPivoting,
    x: Vec<f64>,
    /// Right-hand sides, reconciled if redundant rows contradict each other.
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

/// Memory into which [`SparsePrincipalPivoting`] reads a matrix without a pattern.
#[derive(Debug, Default)]
pub struct ReadWorkspace {
    dense: DenseOperator,
    sparse: SparseOperator,
    start: Vec<f64>,
}

impl Clone for SparseWorkspace {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl SparseWorkspace {
    /// Takes the start value and the right-hand sides, and sizes the memory of the solve.
    fn begin(&mut self, problem: &ProblemView<'_>, x: &[f64]) {
        for buffer in [&mut self.x, &mut self.previous, &mut self.best, &mut self.centre] {
            copy(buffer, x);
        }
        copy(&mut self.b, problem.b);
        self.geometry.work = 0.0;
        self.geometry.redundant = 0;
        for buffer in [&mut self.w, &mut self.magnitude, &mut self.product] {
            buffer.resize(x.len(), 0.0);
        }
    }

    /// Entries of the factors' triangle for the last pattern.
    pub fn factor_entries(&self) -> usize {
        let rows = self.structure.column_starts.last().copied().unwrap_or(0);
        rows.max(self.blocks.factor_entries())
    }

    /// Number of free rows last found to depend on others, or nearly so.
    pub fn redundant_rows(&self) -> usize {
        self.geometry.redundant.max(self.factors.redundant)
    }
}

/// Everything that a solve of a matrix with a pattern needs, besides the matrix.
struct Parts<'a> {
    limits: Limits,
    /// True if the partition of the last solve is tried first.
    cache: bool,
    space: &'a mut SparseWorkspace,
    memory: &'a mut SolverMemory,
    partition: &'a mut Vec<Side>,
}

impl Parts<'_> {
    /// Analyses the pattern; false if its factors are unaffordable.
    fn prepare<P: Pattern>(&mut self, op: &P, problem: &ProblemView<'_>) -> bool {
        let SparseWorkspace { structure, others, .. } = &mut *self.space;
        let prepared = structure.prepare(others, op, problem, self.limits.work);
        // a known pattern is charged its original cost, so that answers do not depend on what was solved before
        self.memory.budget.count(structure.taken);
        if !prepared {
            self.memory.budget.allows(f64::INFINITY);
        }
        prepared
    }

    fn run<P: Pattern>(&mut self, op: &P, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        let report = self.memory.begin(problem, x, self.limits.measure);
        self.memory.budget.begin(self.limits.work);
        if self.memory.budget.left() <= 0.0 {
            self.memory.budget.allows(f64::INFINITY);
            let residual = Some(natural_residual(problem, x, &mut self.memory.residual));
            return Ok(LcpReport { residual, ..report });
        }
        if !self.prepare(op, problem) {
            return Err(LcpError::Unsupported { solver: NAME, what: "problems whose factors fill in so much" });
        }
        parents_first(problem, &mut self.memory.order);
        let start = rate_residual(problem, x, &mut self.memory.residual);
        let Self { limits, cache, space, memory, partition } = self;
        space.factors.read(op, &space.structure);
        space.factors.work = memory.budget.spent();
        space.begin(problem, x);
        let mut run = Run {
            op,
            problem,
            space,
            memory,
            partition,
            shift: 0.0,
            limits: *limits,
            report,
            best_residual: if start.is_nan() { f64::INFINITY } else { start },
            products: 0.0,
            redundant: false,
            reconciled: false,
            begun: 0.0,
            unpaid: false,
        };
        if !(*cache && run.partition.len() == x.len()) {
            run.partition_at_x();
        }
        let mut rounds = Rounds::new(&run);
        for _ in 0..ROUNDS {
            if !rounds.play(&mut run) {
                break;
            }
        }
        x.copy_from_slice(&run.space.best);
        let (report, spent, ended) = (run.report, run.spent(), run.is_spent());
        memory.budget.count(spent - memory.budget.spent());
        if ended {
            memory.budget.allows(f64::INFINITY);
        }
        Ok(report)
    }
}

impl SparsePrincipalPivoting {
    /// The input of [`Parts::run`], and the memory into which a matrix is read for it.
    fn parts(&mut self) -> (Parts<'_>, &mut ReadWorkspace) {
        let Self { iterations, tolerance, work, cache, measure, partition, memory, workspace: space, read } = self;
        let limits = Limits { iterations: *iterations, tolerance: *tolerance, work: *work, measure: *measure };
        (Parts { limits, cache: *cache, space, memory, partition }, &mut read.0)
    }

    /// The partition that the start value points to, by blocks of rows; `None` if it is not that of the solution.
    fn solve_blocks(
        &mut self,
        op: &FactoredOperator,
        problem: &ProblemView<'_>,
        x: &mut [f64],
        matrix: Matrix,
    ) -> Option<LcpReport> {
        let Self { memory, workspace, partition, .. } = self;
        if self.iterations == 0 {
            workspace.blocks.forget();
            return None;
        }
        let mut report = memory.begin(problem, x, self.measure);
        memory.budget.begin(self.work);
        let answer = workspace.blocks.solve(op, problem, x, &mut memory.accumulator, &mut memory.budget, matrix)?;
        partition.clone_from(&workspace.blocks.sides);
        if self.measure == Measure::History {
            memory.history.push(answer.residual);
        }
        report.status = LcpStatus::Converged;
        report.iterations = 1;
        report.change = answer.change;
        report.residual = (self.measure != Measure::Never).then_some(answer.residual);
        Some(report)
    }

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
    fn is_direct(&self) -> bool {
        true
    }

    fn solve(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        self.solve_with(problem, x, Matrix::Any)
    }

    fn solve_in_any_unit(&mut self, problem: &ProblemView<'_>, x: &mut [f64], matrix: Matrix) -> Option<LcpReport> {
        match problem.operator {
            OperatorRef::Factored(op) => self.solve_blocks(op, problem, x, matrix),
            _ => None,
        }
    }

    fn solve_with(&mut self, problem: &ProblemView<'_>, x: &mut [f64], matrix: Matrix) -> Result<LcpReport, LcpError> {
        check_start(problem, x)?;
        if let Some(report) = self.solve_in_any_unit(problem, x, matrix) {
            return Ok(report);
        }
        let report = match problem.operator {
            OperatorRef::Factored(op) => self.parts().0.run(op, problem, x)?,
            OperatorRef::Sparse(op) => self.parts().0.run(op, problem, x)?,
            OperatorRef::Dense(_) | OperatorRef::Custom(_) => {
                copy(&mut self.read.0.start, x);
                let report = self.solve_dense(problem, x)?;
                let scale = problem.b.iter().fold(0.0_f64, |m, b| m.max(b.abs()));
                let dense_residual = rate_residual(problem, x, &mut self.memory.residual);
                if dense_residual <= self.tolerance.max(VIOLATION * scale) {
                    report
                } else {
                    // Only this method has proximal rounds: pass all entries as a sparse matrix.
                    let (mut parts, ReadWorkspace { dense, sparse, start: other }) = self.parts();
                    sparse.read_dense(problem.operator.dense_in(dense));
                    let again = parts.run(sparse, problem, other)?;
                    if rate_residual(problem, other, &mut parts.memory.residual) < dense_residual {
                        x.copy_from_slice(other);
                        again
                    } else {
                        report
                    }
                }
            }
        };
        Ok(self.memory.finish_claim(problem, x, self.measure, self.tolerance, report))
    }

    memory_methods!(NAME);
}
