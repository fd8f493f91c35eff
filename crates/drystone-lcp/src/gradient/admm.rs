use crate::bounds::project;
use crate::budget::WORK;
use crate::buffers::{Kept, collect, copy, refill};
use crate::dense_direct::lu::Lu;
use crate::parameters::parameters;
use crate::solver::{SolverMemory, check_dense, check_start, memory_methods};
use crate::step_test::largest_magnitude;
use crate::{
    DenseOperator, LcpError, LcpReport, LcpSolver, LcpStatus, Measure, ProblemView, StepTest, natural_residual,
};

const NAME: &str = "admm";
/// Iterations between checks of the balance of the two residuals.
const BALANCE_EVERY: usize = 25;
/// The weight changes if the residuals differ by more than this factor.
const UNBALANCED: f64 = 5.0;

parameters! {
    /// Alternating direction method of multipliers: x minimises x A x / 2 + b x + rho |x - z + y|^2_D / 2, z = P(x + y), y <- y + x - z;
    /// D is A's diagonal, rho follows the balance of the primal and the dual residual. Dependent bounds are taken at the newest z. The answer is the best z.
    ///
    /// # Cost
    /// A dense LU factorisation at first and whenever rho changes, 2 n^2 per iteration.
    ///
    /// # When it fails
    /// Unsymmetric indefinite A. Linear convergence that depends on rho.
    ///
    /// # Source
    /// Boyd et al. 2011; Stellato et al. 2020 (OSQP: the balance); for contact Tasora et al. 2021.
    #[derive(Debug, Clone)]
    pub struct Admm {
        /// largest number of iterations
        iterations: usize = count(200),
        /// limit on multiplications per solve
        work: f64 = positive(WORK),
        /// stops at this residual
        tolerance: f64 = not_negative(1e-12),
        /// initial penalty, in units of the diagonal
        rho: f64 = positive(0.1),
        /// tests on the step; off by default
        step: StepTest = part(StepTest::default()),
        /// when the residual is measured; history also keeps its value at each iteration
        measure: Measure = choice(AtEnd),
        /// memory between solves
        memory: SolverMemory = given(SolverMemory::default()),
        /// matrix, factors and vectors
        workspace: Kept<AdmmWorkspace> = given(Kept::default()),
    }
}

/// Buffers of [`Admm`] between solves.
#[derive(Debug, Default)]
pub struct AdmmWorkspace {
    a: DenseOperator,
    factors: Lu,
    weight: Vec<f64>,
    z: Vec<f64>,
    y: Vec<f64>,
    old: Vec<f64>,
    right: Vec<f64>,
}

/// A + rho diag(weight).
fn factor(factors: &mut Lu, a: &DenseOperator, weight: &[f64], rho: f64) {
    let n = weight.len();
    factors.factor(n, |entries| {
        entries.extend_from_slice(a.entries());
        for (entry, w) in entries.iter_mut().step_by(n + 1).zip(weight) {
            *entry += rho * w;
        }
    });
}

/// y <- y + x - z; the primal and the dual residual, in units of x.
fn ascend(y: &mut [f64], x: &[f64], z: &[f64], old: &[f64]) -> (f64, f64) {
    let (mut primal, mut dual) = (0.0_f64, 0.0_f64);
    for (y, (x, (z, old))) in y.iter_mut().zip(x.iter().zip(z.iter().zip(old))) {
        *y += x - z;
        primal = primal.max((x - z).abs());
        dual = dual.max((z - old).abs());
    }
    (primal, dual)
}

impl Admm {
    fn run(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> LcpReport {
        let n = x.len();
        let mut report = self.memory.begin_best(problem, x, self.measure);
        let rows = n as f64;
        let (factors, product) = (rows * rows * rows, 2.0 * rows * rows);
        let budget = &mut self.memory.budget;
        budget.begin(self.work);
        if !(budget.pays_for_dense(&problem.operator) && budget.pays(factors)) {
            return report;
        }
        let AdmmWorkspace { a, factors: solver, weight, z, y, old, right } = &mut self.workspace.0;
        let a = problem.operator.dense_in(a);
        collect(weight, (0..n).map(|i| if a.get(i, i) > 0.0 { a.get(i, i) } else { 1.0 }));
        let mut rho = self.rho;
        factor(solver, a, weight, rho);
        copy(z, x);
        for column in [&mut *y, &mut *old, &mut *right] {
            refill(column, n, 0.0);
        }
        // as slices of n: loops over them need no checks
        let weight = &weight[..n];
        let [z, y, old, right] = [z, y, old, right].map(|column| &mut column[..n]);
        while report.iterations < self.iterations && self.memory.best.residual > self.tolerance {
            if !self.memory.budget.pays(product) {
                break;
            }
            for i in 0..n {
                right[i] = rho * weight[i] * (z[i] - y[i]) - problem.b[i];
            }
            solver.solve(right);
            old.copy_from_slice(z);
            for i in 0..n {
                z[i] = right[i] + y[i];
            }
            project(problem, &self.memory.order, z);
            let (primal, dual) = ascend(y, right, z, old);
            report.iterations += 1;
            report.change = dual;
            let value = natural_residual(problem, z, &mut self.memory.residual);
            let SolverMemory { best, history, .. } = &mut self.memory;
            best.offer(z, value, self.measure, history);
            if !value.is_finite() {
                report.status = LcpStatus::Failed;
                break;
            }
            if self.step.is_met(report.change, largest_magnitude(z)) {
                report.status = LcpStatus::Stagnated;
                break;
            }
            if report.iterations.is_multiple_of(BALANCE_EVERY) && primal > 0.0 && dual > 0.0 {
                // Both are in units of x here: dual carries the factor rho D, which the metric takes out.
                let ratio = (primal / (rho * dual)).sqrt();
                if !(1.0 / UNBALANCED..=UNBALANCED).contains(&ratio) && self.memory.budget.pays(factors) {
                    let new = (rho * ratio).clamp(1e-6, 1e6);
                    for y in y.iter_mut() {
                        *y *= rho / new;
                    }
                    rho = new;
                    factor(solver, a, weight, rho);
                }
            }
        }
        report
    }
}

impl LcpSolver for Admm {
    fn solve(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        check_start(problem, x)?;
        check_dense(&problem.operator)?;
        let report = self.run(problem, x);
        Ok(self.memory.finish_best(problem, x, self.measure, self.tolerance, report))
    }

    memory_methods!(NAME);
}
