use crate::bounds::project;
use crate::methods::best_methods;
use crate::parameters::parameters;
use crate::solver::SolverMemory;
use crate::splitting::projected_gauss_seidel::steps;
use crate::step_test::largest_magnitude;
use crate::{LcpOperator, LcpReport, LcpStatus, Measure, ProblemView, StepTest, natural_residual};

const NAME: &str = "accelerated-projected-gradient";
/// Growth of the curvature estimate when a step was too long, and its decay after one that was not.
const GROW: f64 = 2.0;
const SHRINK: f64 = 0.95;
/// Doublings of the curvature estimate within one iteration.
const DOUBLINGS: usize = 40;

parameters! {
    /// Nesterov's accelerated projected gradient (APGD) with adaptive restart, in the metric of A's diagonal.
    ///
    /// y is extrapolated from the last two x; x <- P(y - D^-1 (A y + b) / L), L by backtracking on the quadratic upper bound;
    /// momentum restarts when it points uphill. Dependent bounds are taken at the newest x. The x returned is the best.
    ///
    /// # Cost
    /// Two products with A and the residual per iteration. A warm solve allocates nothing.
    ///
    /// # When it fails
    /// Unsymmetric A; A_ii <= 0.
    ///
    /// # Source
    /// Nesterov 1983; O'Donoghue, Candes 2015 (restart); Mazhar, Heyn, Negrut, Tasora 2015 (contact).
    #[derive(Debug, Clone)]
    pub struct AcceleratedProjectedGradient {
        /// largest number of iterations
        iterations: usize = count(100),
        /// stops at this residual
        tolerance: f64 = not_negative(1e-12),
        /// tests on the step; off by default
        step: StepTest = part(StepTest::default()),
        /// when the residual is measured; history also keeps its value at each iteration
        measure: Measure = choice(AtEnd),
        /// memory between solves
        memory: SolverMemory = given(SolverMemory::default()),
    }
}

impl AcceleratedProjectedGradient {
    fn run<O: LcpOperator + ?Sized>(&mut self, op: &O, problem: &ProblemView<'_>, x: &mut [f64]) -> LcpReport {
        let n = x.len();
        let mut report = self.memory.begin_best(problem, x, self.measure);
        let [inverse, y, gradient, product, new, change, ..] = &mut self.memory.vectors;
        steps(op, inverse);
        for vector in [&mut *y, gradient, product, new, change] {
            vector.clear();
            vector.resize(n, 0.0);
        }
        y.copy_from_slice(x);
        let (mut curvature, mut theta) = (1.0_f64, 1.0_f64);
        while report.iterations < self.iterations && self.memory.best.residual > self.tolerance {
            let SolverMemory { accumulator, order, vectors: [inverse, y, gradient, product, new, change, ..], .. } =
                &mut self.memory;
            op.apply(y, accumulator, gradient);
            for (g, b) in gradient.iter_mut().zip(problem.b) {
                *g += b;
            }
            // Backtrack until the quadratic model bounds the function: d A d <= L d D d.
            for _ in 0..DOUBLINGS {
                for i in 0..n {
                    new[i] = y[i] - inverse[i] * gradient[i] / curvature;
                }
                project(problem, order, new);
                for i in 0..n {
                    change[i] = new[i] - y[i];
                }
                op.apply(change, accumulator, product);
                let (mut true_curvature, mut model) = (0.0, 0.0);
                for i in 0..n {
                    true_curvature += change[i] * product[i];
                    model += if inverse[i] > 0.0 { change[i] * change[i] / inverse[i] } else { 0.0 };
                }
                if true_curvature <= curvature * model * (1.0 + 1e-12) || !true_curvature.is_finite() {
                    break;
                }
                curvature *= GROW;
            }
            curvature = (SHRINK * curvature).max(1e-6);
            report.change = momentum_step([&mut *x, y], [new, gradient], &mut theta);
            report.iterations += 1;
            let value = natural_residual(problem, x, &mut self.memory.residual);
            let SolverMemory { best, history, .. } = &mut self.memory;
            best.offer(x, value, self.measure, history);
            if !value.is_finite() {
                break;
            }
            if self.step.is_met(report.change, largest_magnitude(x)) {
                report.status = LcpStatus::Stagnated;
                break;
            }
        }
        report
    }
}

/// Takes a step of momentum from the point found, restarted if it points uphill; returns the largest change of an
/// unknown.
fn momentum_step([x, y]: [&mut [f64]; 2], [new, gradient]: [&[f64]; 2], theta: &mut f64) -> f64 {
    let uphill: f64 = (0..x.len()).map(|i| gradient[i] * (new[i] - x[i])).sum();
    let next = if uphill > 0.0 { 1.0 } else { 0.5 * (1.0 + (1.0 + 4.0 * *theta * *theta).sqrt()) };
    let momentum = if uphill > 0.0 { 0.0 } else { (*theta - 1.0) / next };
    *theta = next;
    let mut change = 0.0_f64;
    for i in 0..x.len() {
        let moved = new[i] - x[i];
        y[i] = new[i] + momentum * moved;
        x[i] = new[i];
        change = change.max(moved.abs());
    }
    change
}

best_methods!(AcceleratedProjectedGradient);
