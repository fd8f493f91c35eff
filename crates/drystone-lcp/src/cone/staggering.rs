use super::projection::project_on_disc;
use super::solver::{Best, ConeSettings, ConeSolver, settings_methods};
use crate::buffers::Kept;
use crate::operator::with_operator;
use crate::{ConeProblem, LcpError, LcpOperator, LcpReport};

const NAME: &str = "staggering";
/// Sweeps over the normal, then over the tangential problem, in one round.
const SWEEPS: usize = 20;
/// Sweeps end early when no impulse changed by more than this, relative to the largest.
const SETTLED: f64 = 1e-14;

/// Staggering: the normal impulses with the frictions held (an LCP), then the frictions with the normals held (Coulomb discs of
/// constant radius mu r_n), in turns. Both by Gauss-Seidel; a disc's two tangents move together, with a step size from the trace of
/// their block.
///
/// # Cost
/// One iteration is one round, up to 40 sweeps over a third or two thirds of the rows.
///
/// # When it fails
/// Strong coupling of friction and normal (large mu, wedging) makes the rounds cycle or diverge; also as Gauss-Seidel.
///
/// # Source
/// Kaufman, Sueda, James, Pai: Staggered projections, 2008; Panagiotopoulos 1975.
#[derive(Debug, Clone, Default)]
pub struct Staggering {
    /// Iterations (rounds), tolerance and measuring.
    pub settings: ConeSettings,
    /// Memory between solves.
    pub workspace: Kept<StaggeringWorkspace>,
}

/// Buffers of [`Staggering`] between solves.
#[derive(Debug, Default)]
pub struct StaggeringWorkspace {
    best: Best,
    accumulator: Vec<f64>,
}

/// One round; `acc` goes along with r.
fn round<O: LcpOperator + ?Sized>(op: &O, problem: &ConeProblem, r: &mut [f64], acc: &mut [f64]) {
    let d = problem.dimension;
    let largest = |r: &[f64]| r.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    for _ in 0..SWEEPS {
        let mut change = 0.0_f64;
        for row in (0..r.len()).step_by(d) {
            let diagonal = op.diagonal(row);
            if diagonal > 0.0 {
                let u = op.row_dot(row, r, acc) + problem.q[row];
                let new = (r[row] - u / diagonal).max(0.0);
                let dr = new - r[row];
                r[row] = new;
                op.bump(row, dr, acc);
                change = change.max(dr.abs());
            }
        }
        if change <= SETTLED * largest(r) || !change.is_finite() {
            break;
        }
    }
    for _ in 0..SWEEPS {
        let mut change = 0.0_f64;
        for (c, mu) in problem.mu.iter().enumerate() {
            let first = c * d;
            let trace: f64 = (1..d).map(|k| op.diagonal(first + k)).sum();
            if trace <= 0.0 {
                continue;
            }
            let old = problem.triple(r, c);
            let mut target = [0.0; 2];
            for k in 1..d {
                target[k - 1] = old[k] - (op.row_dot(first + k, r, acc) + problem.q[first + k]) / trace;
            }
            let new = project_on_disc(target, mu * old[0]);
            for k in 1..d {
                let dr = new[k - 1] - old[k];
                r[first + k] = new[k - 1];
                op.bump(first + k, dr, acc);
                change = change.max(dr.abs());
            }
        }
        if change <= SETTLED * largest(r) || !change.is_finite() {
            break;
        }
    }
}

impl ConeSolver for Staggering {
    fn solve(&mut self, problem: &ConeProblem, r: &mut [f64]) -> Result<LcpReport, LcpError> {
        let StaggeringWorkspace { best, accumulator: acc } = &mut self.workspace.0;
        self.settings.repeat(problem, r, best, acc, |operator, r, acc| {
            with_operator!(operator, op => round(op, problem, r, acc));
        })
    }

    settings_methods!(NAME);
}
