use super::problem::cone_residual_at;
use super::projection::project_on_cone;
use super::solver::{Best, ConeSettings, ConeSolver, too_large};
use crate::anderson::Anderson;
use crate::budget::{Budget, WORK};
use crate::buffers::{Kept, copy, refill};
use crate::dense_direct::lu::Lu;
use crate::operator::dense::dot;
use crate::parameters::{Setting, parameters};
use crate::{ConeProblem, DenseOperator, LcpError, LcpReport, LcpStatus};

const NAME: &str = "cone-admm";
/// Iterations before the balance of the two residuals is first checked; the pause doubles with each change.
const BALANCE_EVERY: usize = 20;
/// Accelerated iterations without a better r before the plain ones take over.
const STALLED: usize = 200;
/// Over-relaxation of x between the two half steps.
const RELAXATION: f64 = 1.6;
/// The weight changes if the residuals differ by more than this factor.
const UNBALANCED: f64 = 4.0;

parameters! {
    /// Alternating direction method of multipliers on the cone: x by (M + rho I) x = rho (z - y) - q - s, z = P(x + y), y <- y + x - z,
    /// x over-relaxed, the whole accelerated after Anderson, with de Saxce's shift s = mu |u_t| n renewed in every iteration, u_t = -rho y_t as the multiplier has it: taken from M z + q
    /// instead it kept the method from settling on redundant contacts.
    ///
    /// # Cost
    /// A dense LU at first and whenever rho changes, 2 n^2 per iteration and n^2 for u.
    ///
    /// # When it fails
    /// The shift makes it a fixed-point iteration without proof, linear in the end: the eight problems of Siconos' collection that it was tried on reach 1e-10, the
    /// small ones in 4 to 28 iterations, a stack of boxes in 92 (where the plain iteration did not do with 5000), redundant capsules in 1231, and a single body
    /// with many contacts, where acceleration leads in circles, in 2896 by the plain iteration that then takes over.
    ///
    /// # Source
    /// Tasora, Mangoni, Benatti, Garziera 2021; the acceleration after Zhang, O'Donoghue, Boyd 2020; the shift after Acary, Cadoux, Lemarechal, Malick 2011.
    #[derive(Debug, Clone)]
    pub struct ConeAdmm {
        /// iterations, tolerance and measuring
        settings: ConeSettings = part(ConeSettings::default()),
        /// limit on multiplications per solve
        work: f64 = positive(WORK),
        /// initial penalty, in units of the mean diagonal
        rho: f64 = positive(0.1),
        /// how much of `work` its solves have used
        budget: Budget = given(Budget::default()),
        /// memory between solves
        workspace: Kept<ConeAdmmWorkspace> = given(Kept::default()),
    }
}

/// Buffers of [`ConeAdmm`] between solves.
#[derive(Debug, Default)]
pub struct ConeAdmmWorkspace {
    best: Best,
    anderson: Anderson,
    splitting: SplittingWorkspace,
}

/// M + rho I, n x n.
fn factor(factors: &mut Lu, m: &DenseOperator, n: usize, rho: f64) {
    factors.factor(n, |entries| {
        entries.extend_from_slice(m.entries());
        entries.iter_mut().step_by(n + 1).for_each(|entry| *entry += rho);
    });
}

fn project(problem: &ConeProblem, u: &[f64], z: &mut [f64]) {
    for (c, mu) in problem.mu.iter().enumerate() {
        let projected = project_on_cone(problem.triple(u, c), *mu);
        problem.set_triple(z, c, projected);
    }
}

/// The iteration as a map of u = x + y, from which z = P(u) and y = u - z follow.
struct Splitting<'a> {
    problem: &'a ConeProblem,
    m: &'a DenseOperator,
    /// Mean of M's diagonal.
    mean: f64,
    rho: f64,
    /// (M + rho I)^-1.
    inverse: &'a mut Lu,
    u: &'a mut Vec<f64>,
    /// The image of u.
    image: &'a mut Vec<f64>,
    x: &'a mut Vec<f64>,
    y: &'a mut Vec<f64>,
    z: &'a mut Vec<f64>,
    /// z before the last half step.
    old: &'a mut Vec<f64>,
    velocity: &'a mut Vec<f64>,
}

/// Buffers of a splitting between solves.
#[derive(Debug, Default)]
struct SplittingWorkspace {
    m: DenseOperator,
    inverse: Lu,
    u: Vec<f64>,
    z: Vec<f64>,
    /// The image of u, x, y, the last z and M z + q.
    columns: [Vec<f64>; 5],
}

impl<'a> Splitting<'a> {
    /// From r, with a weight in units of the mean diagonal.
    fn new(problem: &'a ConeProblem, weight: f64, r: &[f64], workspace: &'a mut SplittingWorkspace) -> Self {
        let SplittingWorkspace { m, inverse, u, z, columns } = workspace;
        let n = r.len();
        let m = problem.operator.view().dense_in(m);
        let mean = (0..n).map(|i| m.get(i, i)).sum::<f64>() / n.max(1) as f64;
        let rho = weight * if mean > 0.0 { mean } else { 1.0 };
        factor(inverse, m, n, rho);
        copy(u, r);
        copy(z, r);
        project(problem, r, z);
        for column in &mut *columns {
            refill(column, n, 0.0);
        }
        let [image, x, y, old, velocity] = columns;
        Self { problem, m, mean, rho, inverse, u, image, x, y, z, old, velocity }
    }

    /// Both half steps: x by the linear system with the shift renewed, over-relaxed, and z by projection.
    fn map(&mut self) {
        let Self { problem, rho, u, image, x, y, z, old, .. } = self;
        for i in 0..u.len() {
            y[i] = u[i] - z[i];
            x[i] = *rho * (z[i] - y[i]) - problem.q[i];
        }
        for (c, mu) in problem.mu.iter().enumerate() {
            let slip = problem.triple(y, c);
            x[c * problem.dimension] -= mu * *rho * libm::hypot(slip[1], slip[2]);
        }
        self.inverse.solve(x);
        old.copy_from_slice(z);
        for i in 0..u.len() {
            x[i] = RELAXATION * x[i] + (1.0 - RELAXATION) * old[i];
            image[i] = x[i] + y[i];
        }
        project(problem, image, z);
    }

    /// The residual at z.
    fn residual(&mut self) -> f64 {
        for i in 0..self.z.len() {
            self.velocity[i] = dot(self.m.row(i), self.z) + self.problem.q[i];
        }
        cone_residual_at(self.problem, self.z, self.velocity)
    }

    /// The factor by which the weight should change for the primal residual to be as large as the dual one; `None` if they are balanced.
    fn imbalance(&self) -> Option<f64> {
        let (mut primal, mut dual) = (0.0_f64, 0.0_f64);
        for i in 0..self.z.len() {
            primal = primal.max((self.x[i] - self.z[i]).abs());
            dual = dual.max((self.z[i] - self.old[i]).abs());
        }
        let ratio = (self.mean * primal / (self.rho * dual)).sqrt();
        let balanced = !ratio.is_finite() || (1.0 / UNBALANCED..=UNBALANCED).contains(&ratio);
        (!balanced).then_some(ratio)
    }

    /// Changes the weight, and u with it, so that the multiplier rho y stays what it is.
    fn reweigh(&mut self, ratio: f64) {
        let new = (self.rho * ratio).max(1e-8 * self.mean).min(1e6 * self.mean);
        for i in 0..self.u.len() {
            self.u[i] = self.z[i] + (self.image[i] - self.z[i]) * self.rho / new;
        }
        self.rho = new;
        factor(self.inverse, self.m, self.u.len(), new);
    }
}

impl ConeSolver for ConeAdmm {
    fn name(&self) -> &'static str {
        NAME
    }

    fn solve(&mut self, problem: &ConeProblem, r: &mut [f64]) -> Result<LcpReport, LcpError> {
        crate::solver::check_dense(&problem.operator.view())?;
        let ConeAdmmWorkspace { best, anderson, splitting } = &mut self.workspace.0;
        self.settings.begin(problem, r, best)?;
        let rows = r.len() as f64;
        let (factors, iteration) = (rows * rows * rows, 3.0 * rows * rows);
        let budget = &mut self.budget;
        budget.begin(self.work);
        if !(budget.pays_for_dense(&problem.operator.view()) && budget.pays(factors)) {
            return Err(too_large(NAME));
        }
        let mut splitting = Splitting::new(problem, self.rho, r, splitting);
        anderson.reset();
        let (mut balance_at, mut pause) = (BALANCE_EVERY, BALANCE_EVERY);
        let mut plain = false;
        let mut iterations = 0;
        while iterations < self.settings.iterations && best.residual > self.settings.tolerance {
            if !budget.pays(iteration) {
                break;
            }
            iterations += 1;
            splitting.map();
            let residual = splitting.residual();
            if self.settings.iterated(best, splitting.z, residual) {
                break;
            }
            let due = splitting.imbalance().filter(|_| iterations >= balance_at && budget.pays(factors));
            if let Some(ratio) = due {
                // The weight changes less and less often, so that the map settles.
                pause *= if plain { 1 } else { 2 };
                balance_at = iterations + pause;
                splitting.reweigh(ratio);
                anderson.reset();
            } else if plain {
                splitting.u.copy_from_slice(splitting.image);
            } else {
                anderson.next(splitting.u, splitting.image);
                // With the shift, the map does not belong to a minimisation: if acceleration leads in circles, the plain iteration
                // takes over.
                plain = best.idle >= STALLED;
            }
            project(problem, splitting.u, splitting.z);
        }
        Ok(self.settings.finish(problem, r, best, iterations, LcpStatus::IterationLimit))
    }

    fn budget(&mut self) -> Option<&mut Budget> {
        Some(&mut self.budget)
    }

    fn history(&self) -> &[f64] {
        &self.settings.history
    }

    fn set(&mut self, parameter: &str, value: f64) -> Result<(), LcpError> {
        self.set_parameter(&Setting { solver: NAME, parameter, value })
    }

    fn fork(&self) -> Box<dyn ConeSolver> {
        Box::new(self.clone())
    }
}
