use super::problem::cone_residual_at;
use super::projection::project_on_cone;
use super::solver::{Best, ConeSettings, ConeSolver, settings_methods};
use crate::buffers::{Kept, copy, refill};
use crate::operator::dense::dot;
use crate::{ConeProblem, LcpError, LcpReport, LcpStatus};

const NAME: &str = "cone-accelerated-projected-gradient";
/// Growth of the curvature estimate when a step was too long, and its decay after one that was not.
const GROW: f64 = 2.0;
const SHRINK: f64 = 0.95;
/// Doublings of the curvature estimate within one iteration.
const DOUBLINGS: usize = 60;
/// Iterations for which de Saxce's shift is held.
const HELD: usize = 5;

/// Nesterov's accelerated projected gradient on the cone: r <- P(y - (M y + q + s) / L), with momentum, restarts, and de Saxce's shift
/// s = mu |u_t| n renewed every fifth iteration.
///
/// # Cost
/// Two or three products with M per iteration.
///
/// # When it fails
/// Unsymmetric M; the shift makes it a fixed-point iteration without proof.
///
/// # Source
/// Mazhar, Heyn, Negrut, Tasora 2015; the shift after Acary, Cadoux, Lemarechal, Malick 2011.
#[derive(Debug, Clone, Default)]
pub struct ConeAcceleratedProjectedGradient {
    /// Iterations, tolerance and measuring.
    pub settings: ConeSettings,
    /// Memory between solves.
    pub workspace: Kept<AcceleratedWorkspace>,
}

/// Buffers of [`ConeAcceleratedProjectedGradient`] between solves.
#[derive(Debug, Default)]
pub struct AcceleratedWorkspace {
    best: Best,
    accumulator: Vec<f64>,
    y: Vec<f64>,
    /// The gradient, the next r, its change, the product of that with M, and u.
    columns: [Vec<f64>; 5],
    /// De Saxce's shift of each contact.
    shift: Vec<f64>,
}

/// De Saxce's shift of each contact.
fn renew_shift(problem: &ConeProblem, u: &[f64], shift: &mut [f64]) {
    for (c, mu) in problem.mu.iter().enumerate() {
        let slip = problem.triple(u, c);
        shift[c] = mu * libm::hypot(slip[1], slip[2]);
    }
}

impl ConeSolver for ConeAcceleratedProjectedGradient {
    fn solve(&mut self, problem: &ConeProblem, r: &mut [f64]) -> Result<LcpReport, LcpError> {
        let AcceleratedWorkspace { best, accumulator: acc, y, columns, shift } = &mut self.workspace.0;
        self.settings.begin(problem, r, best)?;
        let n = r.len();
        let operator = problem.operator.view();
        copy(y, r);
        for column in &mut *columns {
            refill(column, n, 0.0);
        }
        let [gradient, new, change, product, u] = columns;
        problem.velocities_with(r, acc, u);
        refill(shift, problem.contacts(), 0.0);
        let mean = (0..n).map(|i| operator.diagonal(i)).sum::<f64>() / n.max(1) as f64;
        let (mut curvature, mut theta) = (if mean > 0.0 { mean } else { 1.0 }, 1.0_f64);
        let mut iterations = 0;
        while iterations < self.settings.iterations && best.residual > self.settings.tolerance {
            if iterations.is_multiple_of(HELD) {
                renew_shift(problem, u, shift);
            }
            operator.apply(y, acc, gradient);
            for (g, q) in gradient.iter_mut().zip(&problem.q) {
                *g += q;
            }
            for (c, s) in shift.iter().enumerate() {
                gradient[c * problem.dimension] += s;
            }
            // Backtrack until the quadratic model bounds the function.
            for _ in 0..DOUBLINGS {
                for i in 0..n {
                    new[i] = y[i] - gradient[i] / curvature;
                }
                for (c, mu) in problem.mu.iter().enumerate() {
                    let projected = project_on_cone(problem.triple(new, c), *mu);
                    problem.set_triple(new, c, projected);
                }
                for i in 0..n {
                    change[i] = new[i] - y[i];
                }
                operator.apply(change, acc, product);
                let bound = curvature * dot(change, change) * (1.0 + 1e-12);
                if dot(change, product) <= bound || !bound.is_finite() {
                    break;
                }
                curvature *= GROW;
            }
            curvature = (SHRINK * curvature).max(1e-9 * mean);
            let uphill: f64 = (0..n).map(|i| gradient[i] * (new[i] - r[i])).sum();
            let next = if uphill > 0.0 { 1.0 } else { 0.5 * (1.0 + (1.0 + 4.0 * theta * theta).sqrt()) };
            let momentum = if uphill > 0.0 { 0.0 } else { (theta - 1.0) / next };
            theta = next;
            for i in 0..n {
                y[i] = new[i] + momentum * (new[i] - r[i]);
                r[i] = new[i];
            }
            iterations += 1;
            problem.velocities_with(r, acc, u);
            let residual = cone_residual_at(problem, r, u);
            if self.settings.iterated(best, r, residual) {
                break;
            }
        }
        Ok(self.settings.finish(problem, r, best, iterations, LcpStatus::IterationLimit))
    }

    settings_methods!(NAME);
}
