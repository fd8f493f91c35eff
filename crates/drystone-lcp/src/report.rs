/// How a solve ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LcpStatus {
    /// The stopping test was met: the residual where it is measured, else the solver's own test.
    Converged,
    /// The iteration limit was reached first.
    IterationLimit,
    /// No further progress is possible from here.
    Stagnated,
    /// A pivoting method left along a ray: it has no solution to show, and for many classes of A none exists.
    Ray,
    /// The iterates became non-finite or a factorisation broke down. x is then finite all the same, but no answer.
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

/// What a solve did. Not converged is a field here, never an error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LcpReport {
    /// How it ended.
    pub status: LcpStatus,
    /// Iterations done: sweeps, pivots or Newton steps, as the solver's documentation says.
    pub iterations: usize,
    /// Natural-map residual, infinity norm, recomputed from the returned x; `None` where measuring was off.
    pub residual: Option<f64>,
    /// Largest change of a variable in the last iteration (0 where the solver has no such notion).
    pub change: f64,
}
