use crate::bounds::project;
use crate::methods::best_methods;
use crate::parameters::parameters;
use crate::solver::SolverMemory;
use crate::splitting::projected_gauss_seidel::steps;
use crate::step_test::largest_magnitude;
use crate::{LcpOperator, LcpReport, LcpStatus, Measure, ProblemView, StepTest, natural_residual};

const NAME: &str = "projected-gradient";
/// The step that follows a failure, small enough for rows with a dozen neighbours.
const CAUTIOUS: f64 = 0.1;
/// A residual this many times the best sends the iteration back to the best x.
const TOO_FAR: f64 = 1e4;

parameters! {
    /// Projected gradient with Barzilai-Borwein steps: x <- P(x - alpha D^-1 (A x + b)), D the diagonal of A, dependent bounds at the newest x.
    ///
    /// The two Barzilai-Borwein steps take turns. The residual is looked at in every iteration; one that has grown ten thousandfold sends
    /// the iteration back to the best x met with a small step. The x returned is the best.
    ///
    /// # Cost
    /// Three passes over the rows per iteration (gradient, accumulator, residual). A warm solve allocates nothing.
    ///
    /// # When it fails
    /// Unsymmetric A; A_ii <= 0; convergence is far from monotone.
    ///
    /// # Source
    /// Barzilai, Borwein 1988; Dai, Fletcher 2005 (alternation, projection).
    #[derive(Debug, Clone)]
    pub struct ProjectedGradient {
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

/// The step if it is usable, otherwise a cautious one.
fn guarded(step: f64) -> f64 {
    if step.is_finite() && step > 0.0 { step.clamp(1e-6, 1e6) } else { CAUTIOUS }
}

impl ProjectedGradient {
    fn run<O: LcpOperator + ?Sized>(&mut self, op: &O, problem: &ProblemView<'_>, x: &mut [f64]) -> LcpReport {
        let n = x.len();
        let mut report = self.memory.begin_best(problem, x, self.measure);
        let SolverMemory { accumulator, vectors: [inverse, gradient, old_x, old_gradient, ..], .. } = &mut self.memory;
        steps(op, inverse);
        for vector in [&mut *gradient, old_x, old_gradient] {
            vector.clear();
            vector.resize(n, 0.0);
        }
        let fill = |x: &[f64], accumulator: &mut [f64], gradient: &mut [f64]| {
            op.apply(x, accumulator, gradient);
            for (g, b) in gradient.iter_mut().zip(problem.b) {
                *g += b;
            }
        };
        fill(x, accumulator, gradient);
        let mut step = CAUTIOUS;
        while report.iterations < self.iterations && self.memory.best.residual > self.tolerance {
            let SolverMemory { accumulator, order, vectors: [inverse, gradient, old_x, old_gradient, ..], .. } =
                &mut self.memory;
            old_x.copy_from_slice(x);
            old_gradient.copy_from_slice(gradient);
            for i in 0..n {
                x[i] -= step * inverse[i] * gradient[i];
            }
            project(problem, order, x);
            fill(x, accumulator, gradient);

            let (mut s_y, mut s_d_s, mut y_e_y) = (0.0, 0.0, 0.0);
            report.change = 0.0;
            for i in 0..n {
                let (s, y) = (x[i] - old_x[i], gradient[i] - old_gradient[i]);
                s_y += s * y;
                s_d_s += if inverse[i] > 0.0 { s * s / inverse[i] } else { 0.0 };
                y_e_y += y * y * inverse[i];
                report.change = report.change.max(s.abs());
            }
            // The two formulas of Barzilai and Borwein in turn, weighted by D^-1; s and y are the changes of x and of the gradient.
            step = guarded(if report.iterations % 2 == 1 { s_d_s / s_y } else { s_y / y_e_y });
            report.iterations += 1;
            let value = natural_residual(problem, x, &mut self.memory.residual);
            let SolverMemory { accumulator, vectors: [_, gradient, ..], history, best, .. } = &mut self.memory;
            if value.is_nan() || value > TOO_FAR * best.residual {
                x.copy_from_slice(&best.x);
                fill(x, accumulator, gradient);
                step = CAUTIOUS;
            }
            best.offer(x, value, self.measure, history);
            if self.step.is_met(report.change, largest_magnitude(x)) {
                report.status = LcpStatus::Stagnated;
                break;
            }
        }
        report
    }
}

best_methods!(ProjectedGradient);
