//! Semismooth Newton methods on equations whose roots are the solutions.
mod equation;
mod krylov;

use crate::budget::{Budget, WORK};
use crate::linear::{solve_damped, solve_dense};
use crate::parameters::{Level, Setting, parameters};
use crate::solver::{Best, SolverMemory, check_dense, check_start, memory_methods};
use crate::step_test::{largest_change, largest_magnitude};
use crate::{
    DenseOperator, LcpError, LcpOperator, LcpReport, LcpSolver, LcpStatus, Measure, OperatorRef, ParameterInfo,
    ParameterRange, ProblemView, RankRevealingFactors, StepTest, natural_residual,
};
pub use equation::Formulation;
use equation::System;
use krylov::Gmres;
use std::borrow::Cow;

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

/// A Krylov step's residual, relative to |F|: at most, and at least.
const LOOSE: f64 = 1e-2;
const TIGHT: f64 = 1e-10;

/// Multiplications a row of a product with a factored operator, and of keeping the directions of the Krylov space apart.
const PRODUCT: f64 = 80.0;

/// What the penalised function has beside the others.
pub(crate) const WEIGHT: ParameterInfo = ParameterInfo {
    name: "weight",
    default: 0.95,
    range: ParameterRange::Fraction,
    meaning: "weight of phi against the complementarity product, (0, 1]",
};

/// How the linear system of a Newton step is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InnerSolve {
    /// By a dense LU factorisation.
    #[default]
    Direct,
    /// By restarted GMRES with products of the operator: A is never formed. The tolerance tightens as |F| falls.
    Krylov,
}

impl Level for InnerSolve {
    const ALL: &'static [Self] = &[Self::Direct, Self::Krylov];
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
    /// Lennerz, Schömer and Warken 1999, (6)-(7) and Erleben 2005, 6.1 (catalogue E-31, F-34) for Fischer-Burmeister; Erleben: Numerical methods for LCPs in physics-based
    /// animation, 2013, for the minimum map; Chen, Chen, Kanzow 2000 for the penalised function; Robinson's normal map searched along straight
    /// lines (F-32); [`crate::PathSearchNewton`] follows its path as PATH does.
    #[derive(Debug, Clone)]
    pub struct SemismoothNewton {
        /// the equation that is solved
        formulation: Formulation = given(Formulation::MinimumMap),
        /// largest number of Newton steps
        iterations: usize = count(100),
        /// most multiplications of a solve
        work: f64 = positive(WORK),
        /// stops at this residual
        tolerance: f64 = not_negative(1e-12),
        /// tests on the step; off by default
        step: StepTest = part(StepTest::default()),
        /// linear systems: 0 by dense LU, 1 by GMRES without forming A
        inner: InnerSolve = level(Direct),
        /// residual: 0 never, 1 at the end, 2 every iteration, 3 with history
        measure: Measure = level(AtEnd),
        /// memory between solves
        memory: SolverMemory = given(SolverMemory::default()),
    }
}

impl SemismoothNewton {
    fn run(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> LcpReport {
        let mut report = self.memory.begin(problem, x, self.measure);
        let SolverMemory { residual, history, budget, .. } = &mut self.memory;
        budget.begin(self.work);
        if self.inner == InnerSolve::Direct && !budget.pays_for_dense(&problem.operator) {
            return report;
        }
        let mut best = Best { residual: natural_residual(problem, x, residual), x: x.to_vec() };
        let mut descent = Descent::new(System::new(problem, self.formulation), Linear::new(problem, self.inner), x);
        let mut solution = x.to_vec();
        // The normal map's first unknown has an x of its own, which may be better.
        descent.system.solution_of(&descent.unknown, &mut solution);
        best.improve(&solution, natural_residual(problem, &solution, residual));
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
            report.change = largest_change(&descent.unknown, &descent.trial);
            descent.unknown.copy_from_slice(&descent.trial);

            // The natural residual decides, whatever equation is solved.
            descent.system.solution_of(&descent.unknown, &mut solution);
            let value = natural_residual(problem, &solution, residual);
            if self.measure == Measure::History {
                history.push(value);
            }
            idle = if value < best.residual { 0 } else { idle + 1 };
            best.improve(&solution, value);
            if best.residual <= self.tolerance {
                report.status = LcpStatus::Converged;
            } else if idle >= PATIENCE || self.step.is_met(report.change, largest_magnitude(&descent.unknown)) {
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
    unknown: Vec<f64>,
    f: Vec<f64>,
    /// What a step leads to, and F there.
    trial: Vec<f64>,
    trial_f: Vec<f64>,
    /// The last values of the merit function.
    window: Vec<f64>,
}

impl<'a> Descent<'a> {
    fn new(mut system: System<'a>, linear: Linear<'a>, x: &[f64]) -> Self {
        let unknown = system.unknown_of(x);
        let (f, trial) = (vec![0.0; x.len()], unknown.clone());
        Self { system, linear, unknown, trial_f: f.clone(), f, trial, window: Vec::new() }
    }

    /// Finds the next unknown, into `trial`; false where no direction descends.
    fn step(&mut self, budget: &mut Budget) -> bool {
        self.system.evaluate(&self.unknown, &mut self.f);
        self.linear.take(&self.system);
        let merit = half_square(&self.f);
        self.window.push(merit);
        if self.window.len() > WINDOW {
            self.window.remove(0);
        }
        let reference = self.window.iter().fold(0.0_f64, |m, v| m.max(*v));
        // The best first, each computed only when the one before it failed.
        for stage in 0..STAGES {
            let Some(direction) = self.linear.direction(stage, &mut self.system, &self.f, budget) else { break };
            if self.search(&direction, merit, reference) {
                return true;
            }
            // The search has moved the weights of H.
            self.system.evaluate(&self.unknown, &mut self.f);
        }
        false
    }

    /// Backtracks from a full step along a direction until |F|^2 / 2, `merit` at the unknown, is enough below the reference.
    fn search(&mut self, direction: &[f64], merit: f64, reference: f64) -> bool {
        if direction.iter().any(|d| !d.is_finite()) || direction.iter().all(|d| *d == 0.0) {
            return false;
        }
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            for (t, (u, d)) in self.trial.iter_mut().zip(self.unknown.iter().zip(direction)) {
                *t = u + length * d;
            }
            self.system.evaluate(&self.trial, &mut self.trial_f);
            // A Newton step predicts the decrease 2 merit.
            if half_square(&self.trial_f) <= reference - 2.0 * SUFFICIENT * length * merit {
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
enum Linear<'a> {
    Direct { a: Cow<'a, DenseOperator>, jacobian: DenseOperator },
    Krylov { gmres: Gmres, diagonal: Vec<f64> },
}

impl<'a> Linear<'a> {
    fn new(problem: &ProblemView<'a>, inner: InnerSolve) -> Self {
        match (inner, problem.operator) {
            (InnerSolve::Krylov, _) => Self::Krylov { gmres: Gmres::default(), diagonal: Vec::new() },
            (InnerSolve::Direct, OperatorRef::Dense(a)) => {
                Self::Direct { jacobian: DenseOperator::zeros(a.rows()), a: Cow::Borrowed(a) }
            }
            (InnerSolve::Direct, other) => {
                Self::Direct { jacobian: DenseOperator::zeros(other.rows()), a: Cow::Owned(other.to_dense()) }
            }
        }
    }

    /// Multiplications of a step, as far as they are known beforehand.
    fn cost(&self, n: usize) -> f64 {
        let n = n as f64;
        match self {
            Self::Direct { .. } => 2.0 / 3.0 * n * n * n,
            Self::Krylov { .. } => PRODUCT * n,
        }
    }

    /// Takes the system as last evaluated.
    fn take(&mut self, system: &System<'_>) {
        match self {
            Self::Direct { a, jacobian } => system.fill(a, jacobian),
            Self::Krylov { diagonal, .. } => system.diagonal(diagonal),
        }
    }

    /// Candidate steps: Newton's, then what takes its place.
    fn direction(&mut self, stage: usize, system: &mut System<'_>, f: &[f64], budget: &mut Budget) -> Option<Vec<f64>> {
        let n = f.len() as f64;
        let minus: Vec<f64> = f.iter().map(|v| -v).collect();
        match (self, stage) {
            (Self::Direct { jacobian, .. }, 0) => solve_dense(jacobian, &minus).or_else(|| {
                budget.count(2.0 / 3.0 * n * n * n);
                // A singular system that is compatible: the free unknowns stay where they are.
                let mut step = vec![0.0; minus.len()];
                RankRevealingFactors::new(jacobian, 1e-12).solve(&minus, &mut step);
                Some(step)
            }),
            (Self::Direct { jacobian, .. }, 1) => {
                budget.pays(4.0 / 3.0 * n * n * n).then(|| solve_damped(jacobian, &minus, DAMPING))
            }
            (Self::Direct { jacobian, .. }, 2) => {
                let n = minus.len();
                Some((0..n).map(|j| (0..n).map(|i| jacobian.get(i, j) * minus[i]).sum()).collect())
            }
            (Self::Krylov { gmres, diagonal }, 0) => {
                let tolerance = (2.0 * half_square(f)).sqrt().clamp(TIGHT, LOOSE);
                let mut products = 0.0;
                let step = gmres.solve(diagonal, &minus, tolerance, |v, out| {
                    products += 1.0;
                    system.multiply(v, out);
                });
                budget.count(products * PRODUCT * n);
                Some(step)
            }
            // A scaled simple iteration.
            (Self::Krylov { diagonal, .. }, 1) => {
                Some(minus.iter().zip(diagonal).map(|(v, d)| if *d == 0.0 { *v } else { *v / *d }).collect())
            }
            _ => None,
        }
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
