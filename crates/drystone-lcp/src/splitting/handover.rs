use crate::buffers::copy;
use crate::step_test::largest_magnitude;
use crate::{DiscPasses, LcpSolver, Matrix, PrincipalPivoting, ProblemView, ResidualWorkspace, rate_residual};

/// Passes over discs end when the error is at most this fraction of `far`.
const NEAR: f64 = 0.5;
/// Problems are pivoted up to this many multiplications: a few milliseconds.
pub(super) const PIVOTING_WORK: f64 = 1e7;

/// Solves by pivoting a problem that sweeps have left with a large error.
///
/// A light body between heavy ones takes about as many sweeps as the ratio of their masses; meanwhile, whatever presses on it sinks in.
#[derive(Debug, Default)]
pub(super) struct Handover {
    solver: PrincipalPivoting,
    discs: DiscPasses,
    trial: Vec<f64>,
    residual: ResidualWorkspace,
}

impl Handover {
    /// Starts from the sweeps' x, if its rates are off by more than `far` times the largest |b|, and takes at most `work` multiplications; x is replaced if the answer
    /// is better. Returns the multiplications taken.
    pub(super) fn run(&mut self, problem: &ProblemView<'_>, x: &mut [f64], far: f64, work: f64) -> f64 {
        if work <= 0.0 {
            return 0.0;
        }
        let off = rate_residual(problem, x, &mut self.residual);
        if off.is_nan() || off <= far * largest_magnitude(problem.b) {
            return 0.0;
        }
        copy(&mut self.trial, x);
        self.solver.work = work;
        self.discs.tolerance = NEAR * far;
        // if it fails, x stays as the sweeps left it
        let solved = self.discs.solve_with(&mut self.solver, problem, &mut self.trial, Matrix::Any).is_ok();
        if solved && rate_residual(problem, &self.trial, &mut self.residual) < off {
            x.copy_from_slice(&self.trial);
        }
        self.solver.budget().map_or(0.0, |b| b.spent())
    }
}
