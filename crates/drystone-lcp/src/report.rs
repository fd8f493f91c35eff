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
