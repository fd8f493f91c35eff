use crate::parameters::Choice;

/// Termination status of a solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LcpStatus {
    /// The stopping test was met: that of the residual if it is measured, otherwise the solver's own.
    Converged,
    /// The iteration limit was reached first.
    IterationLimit,
    /// No further progress is possible from here.
    Stagnated,
    /// A pivoting method left along a ray: it found no solution, and for many classes of A none exists.
    Ray,
    /// The iterates became non-finite or a factorisation broke down. x is still finite, but not an answer.
    Failed,
}

impl LcpStatus {
    /// The name in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::IterationLimit => "iteration-limit",
            Self::Stagnated => "stagnated",
            Self::Ray => "ray",
            Self::Failed => "failed",
        }
    }
}

/// Report of a solve. Failure to converge is reported here, never as an error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LcpReport {
    /// Termination status.
    pub status: LcpStatus,
    /// Iterations done: sweeps, pivots or Newton steps, as the solver's documentation says.
    pub iterations: usize,
    /// Natural-map residual, infinity norm, recomputed from the returned x; `None` if measuring was off.
    pub residual: Option<f64>,
    /// Largest change of a variable in the last iteration (0 if the solver has no such notion).
    pub change: f64,
}

/// When a solver measures the natural residual, which costs about one sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Measure {
    /// Never: the report's residual is `None`.
    Never,
    /// Once, for the answer.
    #[default]
    AtEnd,
    /// After every iteration: stops as soon as it is at most the tolerance.
    EveryIteration,
    /// As `EveryIteration`, and keeps the values for [`crate::LcpSolver::history`].
    History,
}

impl Choice for Measure {
    const ALL: &'static [Self] = &[Self::Never, Self::AtEnd, Self::EveryIteration, Self::History];
    const NAMES: &'static [&'static str] = &["never", "at-end", "every-iteration", "history"];
}

impl Measure {
    /// Returns true if the residual is needed after each iteration.
    pub const fn each_iteration(self) -> bool {
        matches!(self, Self::EveryIteration | Self::History)
    }
}
