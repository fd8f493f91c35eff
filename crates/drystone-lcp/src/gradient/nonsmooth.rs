use crate::conjugate::extrapolate;
use crate::methods::sweep_methods;
use crate::parameters::parameters;
use crate::solver::{SolverMemory, Stop};
use crate::splitting::projected_gauss_seidel::{Rows, couplings, steps};
use crate::{LcpOperator, LcpReport, Measure, ProblemView, StepTest};

const NAME: &str = "nonsmooth-conjugate-gradient";

parameters! {
    /// Nonsmooth nonlinear conjugate gradients: the change of a Gauss-Seidel sweep plays the gradient, Fletcher-Reeves makes the directions,
    /// and a growing gradient restarts.
    ///
    /// # Cost
    /// A Gauss-Seidel sweep and half a sweep more to renew the accumulator. A warm solve allocates nothing.
    ///
    /// # When it fails
    /// Without a line search it is not monotone: the x returned is a sweep's result, not an extrapolated one. As Gauss-Seidel it needs A_ii > 0.
    ///
    /// # Source
    /// Silcowitz-Hansen, Niebles, Erleben: A nonsmooth nonlinear conjugate gradient method for interactive contact force problems, 2010;
    /// Erleben 2005, Table 6.2 and 6.1.7 (conjugate gradients must restart when the active set changes; F-11).
    #[derive(Debug, Clone)]
    pub struct NonsmoothConjugateGradient {
        /// largest number of sweeps
        iterations: usize = count(10),
        /// tests on the step; off by default
        step: StepTest = part(StepTest::default()),
        /// stops at this residual, if it is measured every iteration
        tolerance: f64 = not_negative(0.0),
        /// when the residual is measured; history also keeps its value at each iteration
        measure: Measure = choice(AtEnd),
        /// memory between solves
        memory: SolverMemory = given(SolverMemory::default()),
    }
}

impl NonsmoothConjugateGradient {
    fn run<O: LcpOperator + ?Sized>(&mut self, op: &O, problem: &ProblemView<'_>, x: &mut [f64]) -> LcpReport {
        let n = x.len();
        let mut report = self.memory.begin(problem, x, self.measure);
        let SolverMemory { accumulator, vectors: [step, before, direction, coupling, ..], .. } = &mut self.memory;
        steps(op, step);
        couplings(op, problem, 1.0, coupling);
        before.clear();
        before.resize(n, 0.0);
        direction.clear();
        direction.resize(n, 0.0);
        op.start(x, accumulator);
        let mut last_square = f64::INFINITY;
        while report.iterations < self.iterations {
            let SolverMemory { accumulator, vectors: [step, before, _, coupling, ..], .. } = &mut self.memory;
            before.copy_from_slice(x);
            report.change = Rows { op, problem, step, coupling, lambda: 1.0 }.visit(0..n, x, accumulator);
            report.iterations += 1;
            let stop = Stop { step: self.step, measure: self.measure, tolerance: self.tolerance };
            if self.memory.ends(problem, x, stop, &mut report) {
                break;
            }
            if report.iterations == self.iterations {
                break;
            }

            // Extrapolate from the sweep's result, except at a restart.
            let SolverMemory { accumulator, vectors: [_, before, direction, ..], .. } = &mut self.memory;
            if extrapolate(x, before, direction, &mut last_square) {
                op.start(x, accumulator);
            }
        }
        report
    }
}

sweep_methods!(NonsmoothConjugateGradient);
