//! Semismooth Newton methods on equations whose roots are the solutions.
mod equation;
mod krylov;

use crate::budget::{Budget, WORK};
use crate::buffers::{Kept, collect, copy, refill};
use crate::linear::DenseSystems;
use crate::parameters::{Choice, Setting, parameters};
use crate::solver::{SolverMemory, check_dense, check_start, memory_methods};
use crate::step_test::{largest_change, largest_magnitude};
use crate::{
    DenseOperator, LcpError, LcpReport, LcpSolver, LcpStatus, Measure, ParameterInfo, ParameterRange, ProblemView,
    StepTest, natural_residual,
};
pub use equation::Formulation;
use equation::{System, SystemWorkspace};
use krylov::Gmres;

/// Kinds of step that are tried.
const STAGES: usize = 3;
/// Armijo's fraction of the predicted decrease.
const SUFFICIENT: f64 = 1e-4;
/// Halvings of a step before the search gives up.
const HALVINGS: usize = 30;
/// Merit values that the non-monotone search remembers.
const WINDOW: usize = 6;
/// Steps without a better x after which the method has stagnated.
const PATIENCE: usize = 40;
/// Relative damping of the least-squares step that replaces a failed Newton step.
const DAMPING: f64 = 1e-8;

/// A Krylov step's residual, relative to |F|: upper and lower limit.
const LOOSE: f64 = 1e-2;
const TIGHT: f64 = 1e-10;

/// Multiplications per row of a product with a factored operator, and of orthogonalising the directions of the Krylov
/// space.
const PRODUCT: f64 = 80.0;

/// The extra parameter of the penalised function.
pub(crate) const WEIGHT: ParameterInfo = ParameterInfo {
    name: "weight",
    default: 0.95,
    range: ParameterRange::Fraction,
    meaning: "weight of phi relative to the complementarity product, (0, 1]",
};

/// Solver of the linear system in a Newton step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InnerSolve {
    /// By a dense LU factorisation.
    #[default]
    Direct,
    /// By restarted GMRES with products of the operator: A is never formed. The tolerance tightens as |F| falls.
    Krylov,
}

impl Choice for InnerSolve {
    const ALL: &'static [Self] = &[Self::Direct, Self::Krylov];
    const NAMES: &'static [&'static str] = &["direct", "krylov"];
}

parameters! {
    /// Damped semismooth Newton on a reformulation of the boxed LCP as a system of equations.
    ///
    /// Each step solves H d = -F, H an element of the generalised Jacobian, then searches along d for a decrease of |F|^2 / 2 against the
    /// largest of the last six values (Grippo's rule). Where H is singular or d does not descend, a damped least-squares step takes its place.
    /// The x returned is the best one met, by the natural residual.
    ///
    /// # Cost
    /// A dense LU factorisation per step, 2/3 n^3; with [`InnerSolve::Krylov`] up to 1000 products with A and little memory.
    ///
    /// # When it fails
    /// At local minima of the merit function that solve nothing, and in degenerate problems (bimatrix and Bayesian games) where H stays singular.
    ///
    /// # Source
    /// Lennerz, Schömer and Warken 1999, (6)-(7) and Erleben 2005, 6.1 (E-31, F-34) for Fischer-Burmeister; Erleben: Numerical methods for LCPs in physics-based
    /// animation, 2013, for the minimum map; Chen, Chen, Kanzow 2000 for the penalised function; Robinson's normal map searched along straight
    /// lines (F-32); [`crate::PathSearchNewton`] follows its path as PATH does.
    #[derive(Debug, Clone)]
    pub struct SemismoothNewton {
        /// the equation that is solved
        formulation: Formulation = given(Formulation::MinimumMap),
        /// largest number of Newton steps
        iterations: usize = count(100),
        /// limit on multiplications per solve
        work: f64 = positive(WORK),
        /// stops at this residual
        tolerance: f64 = not_negative(1e-12),
        /// tests on the step; off by default
        step: StepTest = part(StepTest::default()),
        /// linear solver; direct: dense LU, krylov: GMRES without forming A
        inner: InnerSolve = choice(Direct),
        /// when the residual is measured; history also keeps its value at each iteration
        measure: Measure = choice(AtEnd),
        /// memory between solves
        memory: SolverMemory = given(SolverMemory::default()),
        /// matrix, factors and vectors
        workspace: Kept<NewtonWorkspace> = given(Kept::default()),
    }
}

/// Buffers of [`SemismoothNewton`] between solves.
#[derive(Debug, Default)]
pub struct NewtonWorkspace {
    system: SystemWorkspace,
    linear: LinearWorkspace,
    /// The unknown, F there, the trial point of a step, F there, and the direction of the step.
    columns: [Vec<f64>; 5],
    window: Vec<f64>,
    solution: Vec<f64>,
}

impl SemismoothNewton {
    fn run(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> LcpReport {
        let mut report = self.memory.begin(problem, x, self.measure);
        let SolverMemory { residual, history, budget, best, .. } = &mut self.memory;
        budget.begin(self.work);
        if self.inner == InnerSolve::Direct && !budget.pays_for_dense(&problem.operator) {
            return report;
        }
        best.begin(x, natural_residual(problem, x, residual));
        let NewtonWorkspace { system, linear, columns, window, solution } = &mut self.workspace.0;
        let system = System::new(problem, self.formulation, system);
        let linear = Linear::new(problem, self.inner, linear);
        let mut descent = Descent::new(system, linear, x, columns, window);
        copy(solution, x);
        // The normal map's first unknown has its own x, which may be better.
        descent.system.solution_of(descent.unknown, solution);
        best.improve(solution, natural_residual(problem, solution, residual));
        if best.residual <= self.tolerance {
            report.status = LcpStatus::Converged;
        }
        let mut idle = 0;
        while report.status == LcpStatus::IterationLimit && report.iterations < self.iterations {
            if !budget.pays(descent.linear.cost(x.len())) {
                break;
            }
            report.iterations += 1;
            if !descent.step(budget) {
                report.status = LcpStatus::Stagnated;
                break;
            }
            report.change = largest_change(descent.unknown, descent.trial);
            descent.unknown.copy_from_slice(descent.trial);

            // The natural residual decides, whatever equation is solved.
            descent.system.solution_of(descent.unknown, solution);
            let value = natural_residual(problem, solution, residual);
            if self.measure == Measure::History {
                history.push(value);
            }
            idle = if value < best.residual { 0 } else { idle + 1 };
            best.improve(solution, value);
            if best.residual <= self.tolerance {
                report.status = LcpStatus::Converged;
            } else if idle >= PATIENCE || self.step.is_met(report.change, largest_magnitude(descent.unknown)) {
                report.status = LcpStatus::Stagnated;
            }
        }
        x.copy_from_slice(&best.x);
        report
    }
}

/// Steps that make |F|^2 / 2 smaller.
struct Descent<'a> {
    system: System<'a>,
    linear: Linear<'a>,
    unknown: &'a mut Vec<f64>,
    f: &'a mut Vec<f64>,
    /// The trial point of a step, and F there.
    trial: &'a mut Vec<f64>,
    trial_f: &'a mut Vec<f64>,
    direction: &'a mut Vec<f64>,
    /// The last values of the merit function.
    window: &'a mut Vec<f64>,
}

impl<'a> Descent<'a> {
    fn new(
        mut system: System<'a>,
        linear: Linear<'a>,
        x: &[f64],
        columns: &'a mut [Vec<f64>; 5],
        window: &'a mut Vec<f64>,
    ) -> Self {
        let [unknown, f, trial, trial_f, direction] = columns;
        system.unknown_of(x, unknown);
        copy(trial, unknown);
        refill(f, x.len(), 0.0);
        refill(trial_f, x.len(), 0.0);
        window.clear();
        Self { system, linear, unknown, f, trial, trial_f, direction, window }
    }

    /// Finds the next unknown, into `trial`; false if no direction descends.
    fn step(&mut self, budget: &mut Budget) -> bool {
        self.system.evaluate(self.unknown, self.f);
        self.linear.take(&self.system);
        let merit = half_square(self.f);
        self.window.push(merit);
        if self.window.len() > WINDOW {
            self.window.remove(0);
        }
        let reference = self.window.iter().fold(0.0_f64, |m, v| m.max(*v));
        // The best first; each is computed only if the one before it failed.
        for stage in 0..STAGES {
            if !self.linear.find_direction(stage, &mut self.system, self.f, budget, self.direction) {
                break;
            }
            if self.search(merit, reference) {
                return true;
            }
            // The search has moved the weights of H.
            self.system.evaluate(self.unknown, self.f);
        }
        false
    }

    /// Backtracks from a full step along the direction until |F|^2 / 2, which is `merit` at the unknown, is sufficiently below
    /// the reference.
    fn search(&mut self, merit: f64, reference: f64) -> bool {
        let Self { system, unknown, trial, trial_f, direction, .. } = self;
        if direction.iter().any(|d| !d.is_finite()) || direction.iter().all(|d| *d == 0.0) {
            return false;
        }
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            for (t, (u, d)) in trial.iter_mut().zip(unknown.iter().zip(direction.iter())) {
                *t = u + length * d;
            }
            system.evaluate(trial, trial_f);
            // A Newton step predicts the decrease 2 merit.
            if half_square(trial_f) <= reference - 2.0 * SUFFICIENT * length * merit {
                return true;
            }
            length *= 0.5;
        }
        false
    }
}

fn half_square(f: &[f64]) -> f64 {
    0.5 * f.iter().map(|v| v * v).sum::<f64>()
}

/// The linear systems of the steps.
struct Linear<'a> {
    inner: Inner<'a>,
    /// The right-hand side: -F.
    minus: &'a mut Vec<f64>,
}

/// Solver of the linear systems.
enum Inner<'a> {
    Direct { a: &'a DenseOperator, jacobian: &'a mut DenseOperator, systems: &'a mut DenseSystems },
    Krylov { gmres: &'a mut Gmres, diagonal: &'a mut Vec<f64> },
}

/// Buffers of the linear systems between solves.
#[derive(Debug, Default)]
struct LinearWorkspace {
    a: DenseOperator,
    jacobian: DenseOperator,
    systems: DenseSystems,
    gmres: Gmres,
    diagonal: Vec<f64>,
    minus: Vec<f64>,
}

impl<'a> Linear<'a> {
    fn new(problem: &ProblemView<'a>, inner: InnerSolve, workspace: &'a mut LinearWorkspace) -> Self {
        let LinearWorkspace { a, jacobian, systems, gmres, diagonal, minus } = workspace;
        let inner = match inner {
            InnerSolve::Krylov => Inner::Krylov { gmres, diagonal },
            InnerSolve::Direct => {
                jacobian.reset(problem.len());
                Inner::Direct { a: problem.operator.dense_in(a), jacobian, systems }
            }
        };
        Self { inner, minus }
    }

    /// Multiplications of a step, as far as they are known beforehand.
    fn cost(&self, n: usize) -> f64 {
        let n = n as f64;
        match self.inner {
            Inner::Direct { .. } => 2.0 / 3.0 * n * n * n,
            Inner::Krylov { .. } => PRODUCT * n,
        }
    }

    /// Takes the system as last evaluated.
    fn take(&mut self, system: &System<'_>) {
        match &mut self.inner {
            Inner::Direct { a, jacobian, .. } => system.fill(a, jacobian),
            Inner::Krylov { diagonal, .. } => system.diagonal(diagonal),
        }
    }

    /// Candidate steps: Newton's, then its replacements; false if there are no more.
    fn find_direction(
        &mut self,
        stage: usize,
        system: &mut System<'_>,
        f: &[f64],
        budget: &mut Budget,
        step: &mut Vec<f64>,
    ) -> bool {
        let n = f.len() as f64;
        let Self { inner, minus } = self;
        collect(minus, f.iter().map(|v| -v));
        match (inner, stage) {
            (Inner::Direct { jacobian, systems, .. }, 0) => {
                if !systems.solve(jacobian, minus, step) {
                    budget.count(2.0 / 3.0 * n * n * n);
                    // If the system is singular but compatible, the free unknowns stay where they are.
                    refill(step, minus.len(), 0.0);
                    systems.solve_ranked(jacobian, 1e-12, minus, step);
                }
            }
            (Inner::Direct { jacobian, systems, .. }, 1) => {
                if !budget.pays(4.0 / 3.0 * n * n * n) {
                    return false;
                }
                systems.solve_damped(jacobian, minus, DAMPING, step);
            }
            (Inner::Direct { jacobian, .. }, 2) => {
                let n = minus.len();
                collect(step, (0..n).map(|j| (0..n).map(|i| jacobian.get(i, j) * minus[i]).sum()));
            }
            (Inner::Krylov { gmres, diagonal }, 0) => {
                let tolerance = (2.0 * half_square(f)).sqrt().clamp(TIGHT, LOOSE);
                let mut products = 0.0;
                gmres.solve(diagonal, minus, tolerance, step, |v, out| {
                    products += 1.0;
                    system.multiply(v, out);
                });
                budget.count(products * PRODUCT * n);
            }
            // A scaled simple iteration.
            (Inner::Krylov { diagonal, .. }, 1) => {
                let over = |(v, d): (&f64, &f64)| if *d == 0.0 { *v } else { *v / *d };
                collect(step, minus.iter().zip(diagonal.iter()).map(over));
            }
            _ => return false,
        }
        true
    }
}

impl LcpSolver for SemismoothNewton {
    fn name(&self) -> &'static str {
        self.formulation.solver_name()
    }

    fn solve(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        check_start(problem, x)?;
        if self.inner == InnerSolve::Direct {
            check_dense(&problem.operator)?;
        }
        let report = self.run(problem, x);
        Ok(self.memory.finish(problem, x, self.measure, false, report))
    }

    fn set(&mut self, parameter: &str, value: f64) -> Result<(), LcpError> {
        let set = Setting { solver: self.name(), parameter, value };
        match &mut self.formulation {
            Formulation::PenalizedFischerBurmeister { weight } if parameter == WEIGHT.name => {
                set.write(WEIGHT.range, weight)
            }
            _ => self.set_parameter(&set),
        }
    }

    memory_methods!();
}
