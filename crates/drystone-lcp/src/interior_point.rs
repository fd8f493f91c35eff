use crate::budget::WORK;
use crate::buffers::{Kept, collect, copy, refill};
use crate::linear::DenseSystems;
use crate::parameters::parameters;
use crate::reduction::Reduction;
use crate::solver::{SolverMemory, check_dense, check_start, memory_methods};
use crate::{
    DenseOperator, LcpError, LcpReport, LcpSolver, LcpStatus, Measure, ProblemView, natural_residual,
    operator::dense::dot,
};

const NAME: &str = "interior-point";
/// Fraction of the way to the boundary that a step may take.
const TO_BOUNDARY: f64 = 0.995;
/// Steps without a better x after which the method has stagnated.
const PATIENCE: usize = 15;

parameters! {
    /// Mehrotra's predictor-corrector interior-point method on v = M z + q, v z = 0.
    ///
    /// Boxes, free rows and dependent bounds are first rewritten as a standard LCP. The start value is not used.
    ///
    /// # Cost
    /// A dense LU factorisation of the LCP's size N per step (a two-sided row counts twice), usually 10 to 30 steps.
    ///
    /// # When it fails
    /// M must be (nearly) monotone; friction by dependent bounds is not, which costs steps or ends in stagnation. Of a line of
    /// solutions it finds the middle. Degenerate problems end at a residual of about the square root of the rounding.
    ///
    /// # Source
    /// Wright: Primal-Dual Interior-Point Methods, 1997, ch. 8 and 10; named for PSD A in Baraff 1989, (12)-(16).
    #[derive(Debug, Clone)]
    pub struct InteriorPoint {
        /// largest number of Newton steps
        iterations: usize = count(100),
        /// limit on multiplications per solve
        work: f64 = positive(WORK),
        /// stops at this residual
        tolerance: f64 = not_negative(1e-12),
        /// when the residual is measured; history also keeps its value at each iteration
        measure: Measure = choice(AtEnd),
        /// memory between solves
        memory: SolverMemory = given(SolverMemory::default()),
        /// matrix, factors and vectors
        workspace: Kept<InteriorWorkspace> = given(Kept::default()),
    }
}

/// Buffers of [`InteriorPoint`] between solves.
#[derive(Debug, Default)]
pub struct InteriorWorkspace {
    reduction: Reduction,
    z: Vec<f64>,
    v: Vec<f64>,
    rounded: Vec<f64>,
    infeasible: Vec<f64>,
    /// The x of a z.
    trial: Vec<f64>,
    predictor: Direction,
    corrector: Direction,
    newton: NewtonSystem,
}

/// A change of z and of v.
#[derive(Debug, Default)]
struct Direction {
    dz: Vec<f64>,
    dv: Vec<f64>,
}

/// The linear system of a direction.
#[derive(Debug, Default)]
struct NewtonSystem {
    matrix: DenseOperator,
    right: Vec<f64>,
    systems: DenseSystems,
}

/// Largest step within (0, 1] that keeps `values + step * change` positive.
fn step_to_boundary(values: &[f64], change: &[f64]) -> f64 {
    values
        .iter()
        .zip(change)
        .fold(1.0 / TO_BOUNDARY, |step: f64, (v, d)| if *d < 0.0 { step.min(-v / d) } else { step })
}

impl NewtonSystem {
    /// The Newton direction for v = M z + q and z v = target: (M + diag(v / z)) dz = (target - z v) / z - infeasibility; false if there is none.
    fn solve(
        &mut self,
        m: &DenseOperator,
        (z, v): (&[f64], &[f64]),
        infeasible: &[f64],
        target: impl Fn(usize) -> f64,
        Direction { dz, dv }: &mut Direction,
    ) -> bool {
        let Self { matrix, right, systems } = self;
        let n = z.len();
        matrix.clone_from(m);
        refill(right, n, 0.0);
        for i in 0..n {
            let diagonal = matrix.get(i, i) + v[i] / z[i];
            matrix.set(i, i, diagonal);
            right[i] = (target(i) - z[i] * v[i]) / z[i] - infeasible[i];
        }
        if !systems.solve(matrix, right, dz) {
            return false;
        }
        collect(dv, (0..n).map(|i| (target(i) - z[i] * v[i] - v[i] * dz[i]) / z[i]));
        true
    }
}

/// Moves by `step` along a change, staying above zero.
fn advance(values: &mut [f64], change: &[f64], step: f64) {
    for (value, change) in values.iter_mut().zip(change) {
        *value = (*value + step * change).max(f64::MIN_POSITIVE);
    }
}

/// A start in the units of the problem: v like q, z like q over the diagonal.
fn start_of(m: &DenseOperator, q: &[f64]) -> (f64, f64) {
    let scale = q.iter().fold(0.0_f64, |s, v| s.max(v.abs()));
    let scale = if scale > 0.0 { scale } else { 1.0 };
    let diagonal = (0..q.len()).fold(0.0_f64, |s, i| s.max(m.get(i, i).abs()));
    let unit = if diagonal > 0.0 { (scale / diagonal).clamp(1e-100, 1e100) } else { 1.0 };
    (unit, scale)
}

impl InteriorPoint {
    fn run(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        let mut report = self.memory.begin(problem, x, self.measure);
        let InteriorWorkspace { reduction, z, v, rounded, infeasible, trial, predictor, corrector, newton } =
            &mut self.workspace.0;
        reduction.make(problem, NAME)?;
        let (m, q) = (&reduction.m, &reduction.q);
        let n = q.len();
        let (unit, scale) = start_of(m, q);
        refill(z, n, unit);
        refill(v, n, scale);
        copy(trial, x);
        let mut best_residual = f64::INFINITY;
        let mut idle = 0;
        let two_factorisations = 4.0 / 3.0 * (n as f64).powi(3);
        while report.iterations < self.iterations && self.memory.budget.pays(two_factorisations) {
            // The x of these z: values that are clearly zero are rounded to it.
            collect(rounded, z.iter().zip(&*v).map(|(&z, &v)| if z < v { 0.0 } else { z }));
            for candidate in [&*rounded, &*z] {
                reduction.recover(candidate, trial);
                let value = natural_residual(problem, trial, &mut self.memory.residual);
                if value < best_residual {
                    best_residual = value;
                    x.copy_from_slice(trial);
                    idle = 0;
                }
            }
            if self.measure == Measure::History && report.iterations > 0 {
                self.memory.history.push(best_residual);
            }
            if best_residual <= self.tolerance {
                report.status = LcpStatus::Converged;
                break;
            }
            idle += 1;
            if idle > PATIENCE || n == 0 {
                report.status = LcpStatus::Stagnated;
                break;
            }
            report.iterations += 1;

            // Predictor: straight at complementarity.
            collect(infeasible, (0..n).map(|i| dot(m.row(i), z) + q[i] - v[i]));
            let gap = dot(z, v) / n as f64;
            if !newton.solve(m, (z, v), infeasible, |_| 0.0, predictor) {
                report.status = LcpStatus::Stagnated;
                break;
            }
            let Direction { dz, dv } = &*predictor;
            let step = step_to_boundary(z, dz).min(step_to_boundary(v, dv)).min(1.0);
            let after: f64 = (0..n).map(|i| (z[i] + step * dz[i]) * (v[i] + step * dv[i])).sum::<f64>() / n as f64;
            let centring = (after / gap).clamp(0.0, 1.0).powi(3);
            // Corrector: with the predictor's second-order term.
            let target = |i: usize| centring * gap - dz[i] * dv[i];
            if !newton.solve(m, (z, v), infeasible, target, corrector) {
                report.status = LcpStatus::Stagnated;
                break;
            }
            let Direction { dz, dv } = &*corrector;
            let step = TO_BOUNDARY * step_to_boundary(z, dz).min(step_to_boundary(v, dv)).min(1.0 / TO_BOUNDARY);
            report.change = dz.iter().fold(0.0_f64, |m, dz| m.max((step * dz).abs()));
            advance(z, dz, step);
            advance(v, dv, step);
        }
        Ok(report)
    }
}

impl LcpSolver for InteriorPoint {
    fn solve(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        check_start(problem, x)?;
        check_dense(&problem.operator)?;
        self.memory.budget.begin(self.work);
        let report = if self.memory.budget.pays(Reduction::cost(problem).1) {
            self.run(problem, x)?
        } else {
            self.memory.begin(problem, x, self.measure)
        };
        Ok(self.memory.finish(problem, x, self.measure, false, report))
    }

    memory_methods!(NAME);
}
