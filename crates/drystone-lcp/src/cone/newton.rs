use super::problem::cone_residual_at;
use super::projection::project_on_disc;
use super::solver::{Best, ConeSettings, ConeSolver, too_large};
use crate::budget::{Budget, WORK};
use crate::buffers::{Kept, collect, copy, refill};
use crate::linear::DenseSystems;
use crate::operator::dense::dot;
use crate::parameters::{Setting, parameters};
use crate::solver::affordable;
use crate::{ConeProblem, DenseOperator, LcpError, LcpOperator, LcpReport, LcpStatus};

/// Merit values that the non-monotone search remembers.
const WINDOW: usize = 8;
/// Armijo's fraction of the predicted decrease.
const SUFFICIENT: f64 = 1e-4;
/// Halvings of a step before it counts as useless.
const HALVINGS: usize = 12;
/// Damping that the plain method adds to M's diagonal in the Jacobian, times |F|, in units of M's mean diagonal.
const PLAIN_DAMPING: f64 = 0.1;
/// Newton steps within one proximal step.
const INNER_STEPS: usize = 30;
/// Steps without a better r after which the plain method has stagnated.
const PATIENCE: usize = 60;
/// The damping that replaces a singular Jacobian.
const DAMPING: f64 = 1e-12;

/// Newton steps unless told otherwise.
pub(crate) const STEPS: usize = 500;

parameters! {
    /// Semismooth Newton on the Alart-Curnier equations, plain or within proximal steps.
    ///
    /// Per contact r_n = (r_n - rho u_n)^+ and r_t = P(r_t - rho u_t), P the projection on the disc of radius mu (r_n - rho u_n)^+.
    /// The plain method adds a tenth of |F| (times the mean diagonal) to M in the Jacobian alone, so that redundant contacts leave it regular and
    /// convergence stays superlinear. The proximal variant solves a sequence of problems with M + alpha I and q - alpha r_k, which are better posed where M is singular;
    /// alpha falls with the residual.
    ///
    /// # Cost
    /// A dense LU factorisation of all rows per step.
    ///
    /// # When it fails
    /// At local minima of |F|; the plain method reached 1e-8 on the eight problems of Siconos' collection that it was tried on, in 3 to 22 steps.
    ///
    /// # Source
    /// Alart, Curnier 1991; Acary, Bremond, Huber 2018 (NSN-AC, PROX-NSN-AC).
    #[derive(Debug, Clone)]
    pub struct NonsmoothNewton {
        /// iterations (Newton steps in all), tolerance and measuring
        settings: ConeSettings = part(ConeSettings { iterations: STEPS, ..ConeSettings::default() }),
        /// limit on multiplications per solve
        work: f64 = positive(WORK),
        /// proximal steps around the Newton steps
        proximal: bool = given(false),
        /// initial proximal weight, in units of the mean diagonal
        alpha: f64 = positive(1e-2),
        /// how much of `work` its solves have used
        budget: Budget = given(Budget::default()),
        /// memory between solves
        workspace: Kept<ConeNewtonWorkspace> = given(Kept::default()),
    }
}

/// Buffers of [`NonsmoothNewton`] between solves.
#[derive(Debug, Default)]
pub struct ConeNewtonWorkspace {
    best: Best,
    m: DenseOperator,
    system: SystemWorkspace,
    buffers: Buffers,
    u: Vec<f64>,
    inner_u: Vec<f64>,
    anchor: Vec<f64>,
}

/// Buffers of a system between solves.
#[derive(Debug, Default)]
struct SystemWorkspace {
    m: DenseOperator,
    q: Vec<f64>,
    rho: Vec<f64>,
}

/// The Alart-Curnier system of (M + alpha I, q - alpha anchor).
struct System<'a> {
    problem: &'a ConeProblem,
    m: &'a DenseOperator,
    q: &'a [f64],
    rho: &'a [f64],
}

impl<'a> System<'a> {
    fn new(
        problem: &'a ConeProblem,
        of: &DenseOperator,
        alpha: f64,
        anchor: &[f64],
        workspace: &'a mut SystemWorkspace,
    ) -> Self {
        let SystemWorkspace { m, q, rho } = workspace;
        m.clone_from(of);
        for i in 0..m.rows() {
            let diagonal = m.get(i, i) + alpha;
            m.set(i, i, diagonal);
        }
        collect(q, problem.q.iter().zip(anchor).map(|(q, r)| q - alpha * r));
        let d = problem.dimension;
        let of_contact = |c: usize| {
            let trace: f64 = (0..d).map(|k| m.get(c * d + k, c * d + k)).sum();
            if trace > 0.0 { d as f64 / trace } else { 1.0 }
        };
        collect(rho, (0..problem.contacts()).map(of_contact));
        Self { problem, m, q, rho }
    }

    fn velocities(&self, r: &[f64], u: &mut [f64]) {
        for i in 0..r.len() {
            u[i] = dot(self.m.row(i), r) + self.q[i];
        }
    }

    /// F(r), and if wanted its generalised Jacobian with `damping` added to M's diagonal.
    fn evaluate(&self, r: &[f64], u: &mut [f64], f: &mut [f64], mut jacobian: Option<(&mut DenseOperator, f64)>) {
        self.velocities(r, u);
        let d = self.problem.dimension;
        for c in 0..self.problem.contacts() {
            let (rho, mu) = (self.rho[c], self.problem.mu[c]);
            let (rc, uc) = (self.problem.triple(r, c), self.problem.triple(u, c));
            let y: [f64; 3] = std::array::from_fn(|k| rc[k] - rho * uc[k]);
            let pressed = y[0] > 0.0;
            let radius = mu * y[0].max(0.0);
            let t = project_on_disc([y[1], y[2]], radius);
            let values = [rc[0] - y[0].max(0.0), rc[1] - t[0], rc[2] - t[1]];
            self.problem.set_triple(f, c, values);
            let Some((jacobian, damping)) = &mut jacobian else { continue };

            // F = r - G(y), y = r - rho u: with D = dG/dy the rows are I - D (I - rho M).
            let mut g = [[0.0; 3]; 3];
            if pressed {
                g[0][0] = 1.0;
                let size = libm::hypot(y[1], y[2]);
                if size <= radius {
                    (g[1][1], g[2][2]) = (1.0, 1.0);
                } else {
                    let e = [y[1] / size, y[2] / size];
                    for i in 0..2 {
                        g[i + 1][0] = mu * e[i];
                        for j in 0..2 {
                            let identity = f64::from(u8::from(i == j));
                            g[i + 1][j + 1] = radius / size * (identity - e[i] * e[j]);
                        }
                    }
                }
            }
            for i in 0..d {
                let row = jacobian.row_mut(c * d + i);
                row.fill(0.0);
                for k in 0..d {
                    if g[i][k] != 0.0 {
                        for (target, m) in row.iter_mut().zip(self.m.row(c * d + k)) {
                            *target += rho * g[i][k] * m;
                        }
                        row[c * d + k] += g[i][k] * (rho * *damping - 1.0);
                    }
                }
                row[c * d + i] += 1.0;
            }
        }
    }
}

fn half_square(f: &[f64]) -> f64 {
    0.5 * f.iter().map(|v| v * v).sum::<f64>()
}

/// Memory of a Newton run.
#[derive(Debug, Default)]
struct Buffers {
    u: Vec<f64>,
    f: Vec<f64>,
    trial: Vec<f64>,
    jacobian: DenseOperator,
    window: Vec<f64>,
    minus: Vec<f64>,
    direction: Vec<f64>,
    systems: DenseSystems,
}

impl NonsmoothNewton {
    /// Newton steps on one system from r, M in the Jacobian made regular by `damping` min(1, |F|), until `done(r)` or `limit`; returns the number
    /// of steps.
    fn newton(
        system: &System<'_>,
        r: &mut [f64],
        buffers: &mut Buffers,
        limit: usize,
        damping: f64,
        mut done: impl FnMut(&[f64]) -> bool,
    ) -> usize {
        let Buffers { u, f, trial, jacobian, window, minus, direction, systems } = buffers;
        window.clear();
        for step in 0..limit {
            system.evaluate(r, u, f, None);
            let merit = half_square(f);
            system.evaluate(r, u, f, Some((jacobian, damping * (2.0 * merit).sqrt().min(1.0))));
            window.push(merit);
            if window.len() > WINDOW {
                window.remove(0);
            }
            let reference = window.iter().fold(0.0_f64, |m, v| m.max(*v));
            collect(minus, f.iter().map(|v| -v));
            if !systems.solve(jacobian, minus, direction) {
                systems.solve_damped(jacobian, minus, DAMPING, direction);
            }
            if direction.iter().any(|v| !v.is_finite()) {
                return step;
            }
            // Backtrack; if no length suffices, take the best of those tried, so that a cycle can be left.
            let (mut length, mut best_length, mut best_merit) = (1.0, 1.0, f64::INFINITY);
            for _ in 0..HALVINGS {
                for (t, (r, d)) in trial.iter_mut().zip(r.iter().zip(&*direction)) {
                    *t = r + length * d;
                }
                system.evaluate(trial, u, f, None);
                let value = half_square(f);
                if value < best_merit {
                    (best_merit, best_length) = (value, length);
                }
                if value <= reference - 2.0 * SUFFICIENT * length * merit {
                    break;
                }
                length *= 0.5;
            }
            for (r, d) in r.iter_mut().zip(&*direction) {
                *r += best_length * d;
            }
            if done(r) {
                return step + 1;
            }
        }
        limit
    }

    fn residual(problem: &ConeProblem, m: &DenseOperator, r: &[f64], u: &mut [f64]) -> f64 {
        for i in 0..r.len() {
            u[i] = dot(m.row(i), r) + problem.q[i];
        }
        cone_residual_at(problem, r, u)
    }

    fn run(&mut self, problem: &ConeProblem, r: &mut [f64], limit: usize) -> usize {
        let ConeNewtonWorkspace { best, m, system: workspace, buffers, u, inner_u, anchor } = &mut self.workspace.0;
        let n = r.len();
        let m = problem.operator.view().dense_in(m);
        buffers.jacobian.reset(n);
        let Buffers { u: own_u, f, trial, .. } = &mut *buffers;
        for column in [&mut *u, &mut *inner_u, own_u, f, trial] {
            refill(column, n, 0.0);
        }
        let tolerance = self.settings.tolerance;
        if best.residual <= tolerance {
            return 0;
        }
        let mean = (0..n).map(|i| m.get(i, i)).sum::<f64>() / n.max(1) as f64;
        if !self.proximal {
            let system = System::new(problem, m, 0.0, r, workspace);
            return Self::newton(&system, r, buffers, limit, PLAIN_DAMPING * mean, |r| {
                let residual = Self::residual(problem, m, r, u);
                let ends = self.settings.iterated(best, r, residual);
                ends || residual <= tolerance || best.idle >= PATIENCE
            });
        }
        let mut alpha = self.alpha * mean;
        let mut steps = 0;
        while steps < limit && best.residual > tolerance {
            copy(anchor, r);
            let system = System::new(problem, m, alpha, anchor, workspace);
            let before = Self::residual(problem, m, r, u);
            let goal = (1e-2 * before).max(0.01 * tolerance);
            let mut inner = f64::INFINITY;
            let allowed = INNER_STEPS.min(limit - steps);
            let used = Self::newton(&system, r, buffers, allowed, 0.0, |r| {
                let residual = Self::residual(problem, m, r, u);
                self.settings.iterated(best, r, residual);
                system.velocities(r, inner_u);
                inner = cone_residual_at(problem, r, inner_u);
                best.settled || inner <= goal || residual <= tolerance
            });
            steps += used.max(1);
            if best.settled {
                break;
            }
            // A proximal problem that was solved well allows a smaller alpha; one that was not needs a larger one.
            if inner <= goal {
                alpha *= 0.2;
            } else {
                alpha *= 4.0;
                r.copy_from_slice(&best.r);
            }
            alpha = alpha.max(1e-12 * mean).min(1e3 * mean);
        }
        steps
    }
}

impl ConeSolver for NonsmoothNewton {
    fn name(&self) -> &'static str {
        if self.proximal { "proximal-nonsmooth-newton" } else { "nonsmooth-newton" }
    }

    fn solve(&mut self, problem: &ConeProblem, r: &mut [f64]) -> Result<LcpReport, LcpError> {
        crate::solver::check_dense(&problem.operator.view())?;
        self.settings.begin(problem, r, &mut self.workspace.0.best)?;
        // the matrix, and a factorisation and a Jacobian a step
        let rows = r.len() as f64;
        let step = rows * rows * (2.0 / 3.0 * rows + 14.0);
        self.budget.begin(self.work);
        let paid = self.budget.pays_for_dense(&problem.operator.view());
        let limit = affordable(self.budget.left(), step, self.settings.iterations);
        if !paid || limit == 0 && self.settings.iterations > 0 {
            self.budget.allows(f64::INFINITY);
            return Err(too_large(self.name()));
        }
        let iterations = self.run(problem, r, limit);
        self.budget.count(iterations as f64 * step);
        if iterations >= limit && limit < self.settings.iterations {
            self.budget.allows(f64::INFINITY);
        }
        let status = if iterations >= limit { LcpStatus::IterationLimit } else { LcpStatus::Stagnated };
        Ok(self.settings.finish(problem, r, &mut self.workspace.0.best, iterations, status))
    }

    fn budget(&mut self) -> Option<&mut Budget> {
        Some(&mut self.budget)
    }

    fn history(&self) -> &[f64] {
        &self.settings.history
    }

    fn set(&mut self, parameter: &str, value: f64) -> Result<(), LcpError> {
        self.set_parameter(&Setting { solver: self.name(), parameter, value })
    }

    fn fork(&self) -> Box<dyn ConeSolver> {
        Box::new(self.clone())
    }
}
