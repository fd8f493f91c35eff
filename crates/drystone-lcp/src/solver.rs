use crate::bounds::{parents_first, project};
use crate::budget::Budget;
use crate::buffers::copy;
use crate::splitting::permutation::Order;
use crate::step_test::largest_magnitude;
use crate::{
    LcpError, LcpReport, LcpStatus, Measure, OperatorRef, ProblemView, ResidualWorkspace, StepTest, is_rounding,
    natural_residual,
};
use std::any::Any;
use std::fmt::Debug;

/// Storage of a problem's matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matrix {
    /// It may be any matrix.
    Any,
    /// It equals, number by number, that of the last problem given to this solver; bounds and right-hand side may have changed.
    OfLastSolve,
}

/// A solver of boxed LCPs.
///
/// A solver owns its scratch memory, as much as the largest problem so far needed: solving a problem with a size and partition met before allocates nothing.
pub trait LcpSolver: Debug + Send {
    /// The solver's name in files and on the command line.
    fn name(&self) -> &'static str;

    /// Solves w = A x + b within the bounds. `x` (length n) is the start value on entry and the answer on return; it is finite on
    /// return, whatever happens. The problem must have passed [`ProblemView::validate`] once; only lengths are checked again here.
    ///
    /// # Errors
    /// [`LcpError::Size`], [`LcpError::NonFinite`] for the start value, [`LcpError::Unsupported`]. Failing to converge is not
    /// an error.
    fn solve(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError>;

    /// [`Self::solve`], with bit-identical results, for a caller that knows where the matrix comes from: data derived from it last
    /// time may be reused.
    ///
    /// # Errors
    /// Those of [`Self::solve`].
    fn solve_with(&mut self, problem: &ProblemView<'_>, x: &mut [f64], matrix: Matrix) -> Result<LcpReport, LcpError> {
        let _ = matrix;
        self.solve(problem, x)
    }

    /// Like [`Self::solve_with`], by a method that gives the same answer in any unit of x. `None`, with x unchanged, if the solver has no such method or it does
    /// not succeed.
    fn solve_in_any_unit(&mut self, problem: &ProblemView<'_>, x: &mut [f64], matrix: Matrix) -> Option<LcpReport> {
        let _ = (problem, x, matrix);
        None
    }

    /// True if it supports rows that share a disc. If not, it uses the box around each; [`crate::DiscPasses`] makes it
    /// solve for the disc.
    fn takes_discs(&self) -> bool {
        false
    }

    /// True if it aims at the exact answer; if it stops at its limit of steps or work, its result is of little use
    /// except as a start for another solver.
    fn is_direct(&self) -> bool {
        false
    }

    /// True if rows without bounds hold to rounding in its answers, whatever happens to the other rows.
    fn holds_equations(&self) -> bool {
        self.is_direct()
    }

    /// The sweeps to make, if with its present parameters its answer is that of plain projected Gauss-Seidel from the first row to the last; a caller may then
    /// make these sweeps in its own way. Otherwise `None`. Parameters without effect do not count.
    fn plain_sweeps(&self) -> Option<PlainSweeps> {
        None
    }

    /// The budget with what its solves have taken of `work`; `None` if it keeps no count.
    fn budget(&mut self) -> Option<&mut Budget> {
        None
    }

    /// The operator's accumulator at the answer of the last solve: W J^T x for a factored operator, empty for others.
    fn accumulator(&self) -> &[f64];

    /// Residual of the start value and after each iteration of the last solve, if the history was requested.
    fn history(&self) -> &[f64] {
        &[]
    }

    /// Sets a parameter by its name in the solver's listing. Switches take 0 or 1, choices the index of the chosen name.
    ///
    /// # Errors
    /// [`LcpError::UnknownParameter`], [`LcpError::BadParameter`].
    fn set(&mut self, parameter: &str, value: f64) -> Result<(), LcpError>;

    /// Checks that its parameters, each of which may be valid on its own, are compatible.
    ///
    /// # Errors
    /// [`LcpError::Exclusive`], which every solve then returns too.
    fn check_parameters(&self) -> Result<(), LcpError> {
        Ok(())
    }

    /// A solver with the same parameters and memory of its own, for another thread.
    fn fork(&self) -> Box<dyn LcpSolver>;
}

/// A fixed number of plain Gauss-Seidel sweeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlainSweeps {
    /// Number of iterations.
    pub iterations: usize,
    /// True if the answer's residual is measured.
    pub measured: bool,
}

/// A solver's memory between solves: opaque, empty by default, public only so that solvers can be written as
/// `Solver { iterations: 10, ..Default::default() }`. A clone starts empty.
#[derive(Debug, Default)]
pub struct SolverMemory {
    pub(crate) accumulator: Vec<f64>,
    pub(crate) history: Vec<f64>,
    pub(crate) residual: ResidualWorkspace,
    pub(crate) vectors: [Vec<f64>; 8],
    pub(crate) order: Order,
    pub(crate) best: Best,
    pub(crate) budget: Budget,
    /// The pivoting that goes on from this solver's answers, once any has.
    pub(crate) successor: Option<Box<dyn Any + Send>>,
}

/// The residual, relative to b, x and A_ii x_i, up to which a method may still claim convergence.
const CLAIM: f64 = 1e-9;

/// The best x that a solver has met, for solvers whose answer is the best x rather than the last.
#[derive(Debug, Default)]
pub(crate) struct Best {
    pub(crate) residual: f64,
    pub(crate) x: Vec<f64>,
}

impl Best {
    /// From a start value with its residual.
    pub(crate) fn begin(&mut self, x: &[f64], residual: f64) {
        self.residual = residual;
        copy(&mut self.x, x);
    }

    /// Keeps x if its residual is smaller than any before, and the history of the best if requested.
    pub(crate) fn offer(&mut self, x: &[f64], residual: f64, measure: Measure, history: &mut Vec<f64>) {
        self.improve(x, residual);
        if measure == Measure::History {
            history.push(self.residual);
        }
    }

    /// Keeps x if its residual is smaller than any before.
    pub(crate) fn improve(&mut self, x: &[f64], residual: f64) {
        if residual < self.residual {
            self.residual = residual;
            self.x.copy_from_slice(x);
        }
    }
}

/// When iterations end before their limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stop {
    pub(crate) step: StepTest,
    pub(crate) measure: Measure,
    /// The residual at which they have converged, if it is measured.
    pub(crate) tolerance: f64,
}

impl Clone for SolverMemory {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl SolverMemory {
    /// Clears the history, sizes the accumulator and records the start value's residual.
    pub(crate) fn begin(&mut self, problem: &ProblemView<'_>, x: &[f64], measure: Measure) -> LcpReport {
        self.history.clear();
        self.accumulator.resize(problem.operator.accumulator_len(), 0.0);
        if measure == Measure::History {
            self.history.push(natural_residual(problem, x, &mut self.residual));
        }
        LcpReport { status: LcpStatus::IterationLimit, iterations: 0, residual: None, change: f64::INFINITY }
    }

    /// [`Self::begin`] for methods that answer with the best x they meet: the start value is moved within its bounds (parents
    /// before the rows that depend on them) and is the first candidate.
    pub(crate) fn begin_best(&mut self, problem: &ProblemView<'_>, x: &mut [f64], measure: Measure) -> LcpReport {
        let report = self.begin(problem, x, measure);
        parents_first(problem, &mut self.order);
        project(problem, &self.order, x);
        // A start so large that its residual is NaN is worse than anything.
        let residual = natural_residual(problem, x, &mut self.residual);
        self.best.begin(x, if residual.is_nan() { f64::INFINITY } else { residual });
        report
    }

    /// After an iteration: measures if requested; true if the solve should end, with the status set.
    pub(crate) fn iterated(
        &mut self,
        problem: &ProblemView<'_>,
        x: &[f64],
        measure: Measure,
        tolerance: f64,
        report: &mut LcpReport,
    ) -> bool {
        if !measure.each_iteration() {
            return false;
        }
        let value = natural_residual(problem, x, &mut self.residual);
        if measure == Measure::History {
            self.history.push(value);
        }
        if value <= tolerance {
            report.status = LcpStatus::Converged;
        }
        value <= tolerance || !value.is_finite()
    }

    /// After an iteration: whether the residual, if it is measured, or the step test ends the solve.
    pub(crate) fn ends(&mut self, problem: &ProblemView<'_>, x: &[f64], stop: Stop, report: &mut LcpReport) -> bool {
        self.iterated(problem, x, stop.measure, stop.tolerance, report) || self.settled(problem, x, stop, report)
    }

    /// After an iteration that [`Self::iterated`] did not end: true if the step test ends the solve. This does not count as convergence if a
    /// residual tolerance is set and checked but not met.
    pub(crate) fn settled(
        &mut self,
        problem: &ProblemView<'_>,
        x: &[f64],
        Stop { step, measure, tolerance }: Stop,
        report: &mut LcpReport,
    ) -> bool {
        if !step.is_on() || !step.is_met(report.change, largest_magnitude(x)) {
            return false;
        }
        let asked = tolerance > 0.0 && measure != Measure::Never;
        let misses = asked && natural_residual(problem, x, &mut self.residual) > tolerance;
        report.status = if misses { LcpStatus::Stagnated } else { LcpStatus::Converged };
        true
    }

    /// [`Self::finish`] for methods that began with [`Self::begin_best`]: the residual of their best x decides whether they converged.
    pub(crate) fn finish_best(
        &mut self,
        problem: &ProblemView<'_>,
        x: &mut [f64],
        measure: Measure,
        tolerance: f64,
        report: LcpReport,
    ) -> LcpReport {
        x.copy_from_slice(&self.best.x);
        self.finish_residual(problem, x, measure, tolerance, report)
    }

    /// [`Self::finish`] for methods whose convergence is decided by the residual of x.
    pub(crate) fn finish_residual(
        &mut self,
        problem: &ProblemView<'_>,
        x: &mut [f64],
        measure: Measure,
        tolerance: f64,
        mut report: LcpReport,
    ) -> LcpReport {
        if natural_residual(problem, x, &mut self.residual) <= tolerance {
            report.status = LcpStatus::Converged;
        }
        self.finish(problem, x, measure, false, report)
    }

    /// [`Self::finish`] for methods that consider themselves done by their own test: they are not if the residual shows more than rounding.
    pub(crate) fn finish_claim(
        &mut self,
        problem: &ProblemView<'_>,
        x: &mut [f64],
        measure: Measure,
        tolerance: f64,
        mut report: LcpReport,
    ) -> LcpReport {
        if report.status == LcpStatus::Converged {
            let size = (0..x.len()).fold(0.0_f64, |m, i| {
                m.max(problem.b[i].abs()).max(x[i].abs()).max((problem.operator.diagonal(i) * x[i]).abs())
            });
            let residual = natural_residual(problem, x, &mut self.residual);
            if residual.is_nan() || residual > tolerance.max(CLAIM * size) {
                report.status = LcpStatus::Stagnated;
            }
        }
        self.finish(problem, x, measure, false, report)
    }

    /// [`Self::finish`] for sweeps, which measure at the end if requested: an answer whose residual is at most the tolerance has converged,
    /// however the sweeps ended.
    pub(crate) fn finish_sweeps(
        &mut self,
        problem: &ProblemView<'_>,
        x: &mut [f64],
        measure: Measure,
        tolerance: f64,
        report: LcpReport,
    ) -> LcpReport {
        let mut report = self.finish(problem, x, measure, true, report);
        let met = report.residual.is_some_and(|residual| residual <= tolerance) && !is_rounding(problem, x);
        if met && report.status == LcpStatus::IterationLimit {
            report.status = LcpStatus::Converged;
        }
        report
    }

    /// Quarantines x, updates the accumulator to it and measures the residual if requested.
    pub(crate) fn finish(
        &mut self,
        problem: &ProblemView<'_>,
        x: &mut [f64],
        measure: Measure,
        fresh_accumulator: bool,
        mut report: LcpReport,
    ) -> LcpReport {
        let broken = quarantine(problem, x);
        if broken {
            report.status = LcpStatus::Failed;
        }
        if broken || !fresh_accumulator {
            self.accumulator.resize(problem.operator.accumulator_len(), 0.0);
            problem.operator.start(x, &mut self.accumulator);
        }
        if report.status == LcpStatus::Converged && is_rounding(problem, x) {
            report.status = LcpStatus::Stagnated;
        }
        if measure != Measure::Never {
            report.residual = Some(natural_residual(problem, x, &mut self.residual));
        }
        report
    }
}

/// The methods that are identical for every solver with a `memory` field; given the name of a solver that has one only, also those
/// about it.
macro_rules! memory_methods {
    ($name:expr) => {
        fn name(&self) -> &'static str {
            $name
        }

        fn set(&mut self, parameter: &str, value: f64) -> Result<(), $crate::LcpError> {
            self.set_parameter(&$crate::parameters::Setting { solver: $name, parameter, value })
        }

        $crate::solver::memory_methods!();
    };
    () => {
        fn budget(&mut self) -> Option<&mut $crate::Budget> {
            Some(&mut self.memory.budget)
        }

        fn accumulator(&self) -> &[f64] {
            &self.memory.accumulator
        }

        fn history(&self) -> &[f64] {
            &self.memory.history
        }

        fn fork(&self) -> Box<dyn $crate::LcpSolver> {
            Box::new(self.clone())
        }
    };
}
pub(crate) use memory_methods;

/// Checks the start value as every solver requires it: as long as the problem, and finite.
///
/// # Errors
/// [`LcpError::Size`], [`LcpError::NonFinite`].
pub fn check_start(problem: &ProblemView<'_>, x: &[f64]) -> Result<(), LcpError> {
    problem.check_sizes(x)?;
    match x.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(LcpError::NonFinite { what: "x", index, value: x[index] }),
        None => Ok(()),
    }
}

/// The largest problem for which a method makes its own dense matrix: 2 GB.
pub(crate) const DENSE_ROWS: usize = 1 << 14;

/// Refuses problems whose dense matrix would be too large, unless it exists already.
pub(crate) fn check_dense(operator: &OperatorRef<'_>) -> Result<(), LcpError> {
    let rows = operator.rows();
    let is_dense = matches!(operator, OperatorRef::Dense(_));
    if rows > DENSE_ROWS && !is_dense {
        return Err(LcpError::TooManyRows { rows, limit: DENSE_ROWS });
    }
    Ok(())
}

/// Resets everything to zero if any value is not finite; returns whether one was not.
pub(crate) fn quarantine_values(values: &mut [f64]) -> bool {
    if values.iter().all(|v| v.is_finite()) {
        return false;
    }
    values.fill(0.0);
    true
}

/// Resets x to zero (clamped to constant bounds) if any of it is not finite, so that an answer is always finite; true if it was not. The
/// status is then [`LcpStatus::Failed`].
pub fn quarantine(problem: &ProblemView<'_>, x: &mut [f64]) -> bool {
    if x.iter().all(|x| x.is_finite()) {
        return false;
    }
    for (i, x) in x.iter_mut().enumerate() {
        *x = if problem.parent(i).is_some() { 0.0 } else { 0.0_f64.max(problem.lo[i]).min(problem.hi[i]) };
    }
    true
}

/// Number of steps of this many multiplications that `work` pays for, at most `limit`.
pub(crate) fn affordable(work: f64, step: f64, limit: usize) -> usize {
    limit.min((work / step.max(1.0)) as usize)
}
