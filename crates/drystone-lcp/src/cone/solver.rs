use super::problem::ConeResidual;
use crate::Budget;
use crate::buffers::{copy, refill};
use crate::parameters::parameters;
use crate::solver::quarantine_values;
use crate::step_test::{largest_change, largest_magnitude};
use crate::{ConeProblem, LcpError, LcpReport, LcpStatus, Measure, OperatorRef, StepTest};
use std::fmt::Debug;

/// A solver of frictional-contact problems with second-order cones. It owns its scratch memory: solving a problem of a size met before allocates nothing.
pub trait ConeSolver: Debug + Send {
    /// The solver's name in files and on the command line.
    fn name(&self) -> &'static str;

    /// Solves u = M r + q with Coulomb's law. `r` is the start value on entry and the answer on return; it is finite on return.
    /// The problem must have passed [`ConeProblem::validate`] once.
    ///
    /// # Errors
    /// [`LcpError::Size`], [`LcpError::NonFinite`] for the start value. Failing to converge is not an error.
    fn solve(&mut self, problem: &ConeProblem, r: &mut [f64]) -> Result<LcpReport, LcpError>;

    /// The budget with what its solves have taken of `work`; `None` if it keeps no count.
    fn budget(&mut self) -> Option<&mut Budget> {
        None
    }

    /// Residual of the start value and after each iteration of the last solve, if the history was requested.
    fn history(&self) -> &[f64];

    /// Sets a parameter by its name in the solver's listing. Switches take 0 or 1, choices the index of the chosen name.
    ///
    /// # Errors
    /// [`LcpError::UnknownParameter`], [`LcpError::BadParameter`].
    fn set(&mut self, parameter: &str, value: f64) -> Result<(), LcpError>;

    /// A solver with the same parameters and memory of its own.
    fn fork(&self) -> Box<dyn ConeSolver>;
}

/// The methods of a solver of that name with `settings` and no parameters beside them.
macro_rules! settings_methods {
    ($name:expr) => {
        fn name(&self) -> &'static str {
            $name
        }

        fn history(&self) -> &[f64] {
            &self.settings.history
        }

        fn set(&mut self, parameter: &str, value: f64) -> Result<(), $crate::LcpError> {
            self.settings.set_parameter(&$crate::parameters::Setting { solver: $name, parameter, value })
        }

        fn fork(&self) -> Box<dyn $crate::ConeSolver> {
            Box::new(self.clone())
        }
    };
}
pub(crate) use settings_methods;

/// The error for a problem of which a single factorisation exceeds the solver's `work`.
pub(crate) fn too_large(solver: &'static str) -> LcpError {
    LcpError::Unsupported { solver, what: "problems whose factorisation is more than its work" }
}

parameters! {
    /// Settings common to all cone solvers.
    #[derive(Debug, Clone)]
    pub struct ConeSettings {
        /// largest number of iterations
        iterations: usize = count(1000),
        /// stops at this residual
        tolerance: f64 = not_negative(1e-10),
        /// tests on the step; off by default
        step: StepTest = part(StepTest::default()),
        /// when the residual is measured; history also keeps its value at each iteration
        measure: Measure = choice(AtEnd),
        /// residuals of the last solve
        history: Vec<f64> = given(Vec::new()),
    }
}

impl ConeSettings {
    pub(crate) fn begin(&mut self, problem: &ConeProblem, r: &[f64], best: &mut Best) -> Result<(), LcpError> {
        if r.len() != problem.rows() {
            return Err(LcpError::Size { what: "r", expected: problem.rows(), found: r.len() });
        }
        if let Some(index) = r.iter().position(|v| !v.is_finite()) {
            return Err(LcpError::NonFinite { what: "r", index, value: r[index] });
        }
        self.history.clear();
        best.residual = best.measured.of(problem, r);
        self.record(best.residual);
        copy(&mut best.r, r);
        copy(&mut best.last, r);
        (best.change, best.idle, best.settled) = (f64::INFINITY, 0, false);
        Ok(())
    }

    /// After an iteration that led to r: keeps the best; true if the solve should end because of its step, or because its
    /// residual is not finite.
    pub(crate) fn iterated(&mut self, best: &mut Best, r: &[f64], residual: f64) -> bool {
        self.record(residual);
        best.change = largest_change(&best.last, r);
        best.last.copy_from_slice(r);
        best.settled = self.step.is_met(best.change, largest_magnitude(r));
        if residual < best.residual {
            best.residual = residual;
            best.r.copy_from_slice(r);
            best.idle = 0;
        } else {
            best.idle += 1;
        }
        best.settled || !residual.is_finite()
    }

    /// Repeats an iteration that changes r and the operator's accumulator `acc`, from the start value until the residual or the step is small enough.
    pub(crate) fn repeat(
        &mut self,
        problem: &ConeProblem,
        r: &mut [f64],
        best: &mut Best,
        acc: &mut Vec<f64>,
        mut iteration: impl FnMut(OperatorRef<'_>, &mut [f64], &mut [f64]),
    ) -> Result<LcpReport, LcpError> {
        self.begin(problem, r, best)?;
        let operator = problem.operator.view();
        refill(acc, operator.accumulator_len(), 0.0);
        operator.start(r, acc);
        let mut iterations = 0;
        while iterations < self.iterations && best.residual > self.tolerance {
            iteration(operator, r, acc);
            iterations += 1;
            let residual = best.measured.of(problem, r);
            if self.iterated(best, r, residual) {
                break;
            }
        }
        Ok(self.finish(problem, r, best, iterations, LcpStatus::IterationLimit))
    }

    fn record(&mut self, residual: f64) {
        if self.measure == Measure::History {
            self.history.push(residual);
        }
    }

    /// Returns the best r met, with the status that its residual gives.
    pub(crate) fn finish(
        &self,
        problem: &ConeProblem,
        r: &mut [f64],
        best: &mut Best,
        iterations: usize,
        status: LcpStatus,
    ) -> LcpReport {
        r.copy_from_slice(&best.r);
        let broken = quarantine_values(r);
        let residual = best.measured.of(problem, r);
        let status = match status {
            _ if broken => LcpStatus::Failed,
            _ if residual <= self.tolerance => LcpStatus::Converged,
            _ if best.settled => LcpStatus::Stagnated,
            other => other,
        };
        let residual = (self.measure != Measure::Never).then_some(residual);
        LcpReport { status, iterations, residual, change: best.change }
    }
}

/// The best r met so far.
#[derive(Debug, Default)]
pub(crate) struct Best {
    pub(crate) r: Vec<f64>,
    pub(crate) residual: f64,
    /// Iterations since it was found.
    pub(crate) idle: usize,
    last: Vec<f64>,
    change: f64,
    /// True if the last step ends the solve.
    pub(crate) settled: bool,
    /// Memory for residuals.
    pub(crate) measured: ConeResidual,
}
