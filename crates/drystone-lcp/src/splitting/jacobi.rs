use crate::methods::sweep_methods;
use crate::parameters::parameters;
use crate::solver::{SolverMemory, Stop};
use crate::{LcpOperator, LcpReport, Measure, ProblemView, SplitMix64, StepTest};

const NAME: &str = "projected-jacobi";
/// Steps of the power iteration that estimates the largest eigenvalue of D^-1 A.
const POWER_STEPS: usize = 12;
/// The estimate comes from below; this much is added to it.
const POWER_MARGIN: f64 = 1.1;

parameters! {
    /// Projected Jacobi: all rows from the old values, x_i <- clamp(x_i - omega (A x + b)_i / A_ii).
    ///
    /// Undamped (omega = 1) it diverges on most contact problems; with `omega = 0`, the default, omega is taken as
    /// 1 / (1.1 rho), rho the largest eigenvalue of D^-1 A by power iteration, which converges for symmetric positive semidefinite A.
    ///
    /// # Cost
    /// Two passes over the rows per iteration. A warm solve allocates nothing.
    ///
    /// # When it fails
    /// "Terrible convergence" (Erleben 2005, 6.1.7): of all methods here the slowest. Unsymmetric A; A_ii <= 0.
    ///
    /// # Source
    /// Erleben 2005, (6.5)-(6.12), Table 6.1.
    #[derive(Debug, Clone)]
    pub struct ProjectedJacobi {
        /// largest number of iterations
        iterations: usize = count(50),
        /// stops at this residual, if it is measured every iteration
        tolerance: f64 = not_negative(0.0),
        /// relaxation factor; 0: from the largest eigenvalue of D^-1 A
        omega: f64 = not_negative(0.0),
        /// tests on the step; off by default
        step: StepTest = part(StepTest::default()),
        /// when the residual is measured; history also keeps its value at each iteration
        measure: Measure = choice(AtEnd),
        /// memory between solves
        memory: SolverMemory = given(SolverMemory::default()),
    }
}

// F-04
impl ProjectedJacobi {
    fn run<O: LcpOperator + ?Sized>(&mut self, op: &O, problem: &ProblemView<'_>, x: &mut [f64]) -> LcpReport {
        let n = x.len();
        let mut report = self.memory.begin(problem, x, self.measure);
        let SolverMemory { accumulator, vectors: [step, next, power, ..], .. } = &mut self.memory;
        step.clear();
        step.extend((0..n).map(|i| if op.diagonal(i) > 0.0 { 1.0 / op.diagonal(i) } else { 0.0 }));
        next.clear();
        next.resize(n, 0.0);
        let omega = if self.omega > 0.0 {
            self.omega
        } else {
            1.0 / (POWER_MARGIN * spectral_radius(op, step, power, next, accumulator)).max(1.0)
        };
        op.start(x, accumulator);
        while report.iterations < self.iterations {
            let SolverMemory { accumulator, vectors: [step, next, ..], .. } = &mut self.memory;
            report.change = 0.0;
            for i in 0..n {
                let w = op.row_dot(i, x, accumulator) + problem.b[i];
                if let Some((k, disc)) = problem.disc(i, x) {
                    if i < k {
                        let second = op.row_dot(k, x, accumulator) + problem.b[k];
                        // one step length for both, or the step would not point along w: the shorter one in coordinates
                        // where the disc is round
                        let t = omega * step[i].min(step[k] / (disc.scale * disc.scale));
                        [next[i], next[k]] = disc.step([x[i], x[k]], [w, second], t);
                    }
                } else {
                    let (lo, hi) = problem.bounds(i, x);
                    next[i] = (x[i] - omega * step[i] * w).max(lo).min(hi);
                }
                report.change = report.change.max((next[i] - x[i]).abs());
            }
            x.copy_from_slice(next);
            op.start(x, accumulator);
            report.iterations += 1;
            let stop = Stop { step: self.step, measure: self.measure, tolerance: self.tolerance };
            if self.memory.ends(problem, x, stop, &mut report) {
                break;
            }
        }
        report
    }
}

/// Largest eigenvalue of D^-1 A by power iteration from a fixed seed; `step` holds D^-1.
fn spectral_radius<O: LcpOperator + ?Sized>(
    op: &O,
    step: &[f64],
    vector: &mut Vec<f64>,
    next: &mut [f64],
    accumulator: &mut [f64],
) -> f64 {
    let mut random = SplitMix64::new(1);
    vector.clear();
    vector.extend((0..step.len()).map(|_| random.range(0.5, 1.5)));
    let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
    let mut radius = 0.0;
    for _ in 0..POWER_STEPS {
        let scale = norm(vector);
        if scale == 0.0 || !scale.is_finite() {
            break;
        }
        for v in vector.iter_mut() {
            *v /= scale;
        }
        op.start(vector, accumulator);
        for (i, next) in next.iter_mut().enumerate() {
            *next = step[i] * op.row_dot(i, vector, accumulator);
        }
        radius = norm(next);
        vector.copy_from_slice(next);
    }
    radius
}

sweep_methods!(ProjectedJacobi);
