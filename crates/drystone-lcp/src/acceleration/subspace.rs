use crate::bounds::project;
use crate::budget::WORK;
use crate::buffers::{Kept, copy, refill};
use crate::methods::best_methods;
use crate::parameters::parameters;
use crate::pivoting::principal::{Factorisation, PartitionSystems, Side};
use crate::solver::SolverMemory;
use crate::splitting::projected_gauss_seidel::{Rows, steps};
use crate::step_test::{largest_change, largest_magnitude};
use crate::{DenseOperator, LcpOperator, LcpReport, LcpStatus, Measure, ProblemView, StepTest, natural_residual};

const NAME: &str = "subspace-minimization";
/// Sweeps between two subspace solves.
const SWEEPS: usize = 5;
/// Subspace solves in a row, each on the set that the last one left.
const SOLVES: usize = 3;

parameters! {
    /// Projected Gauss-Seidel with subspace minimisation: sweeps guess which rows are free, a direct solve finds their values, the result is
    /// projected, and kept where its residual is smaller.
    ///
    /// # Cost
    /// One iteration is five sweeps and up to three dense factorisations of the free block.
    ///
    /// # When it fails
    /// If sweeps do not settle the free set it is no better than they are, at a higher price.
    ///
    /// # Source
    /// Silcowitz, Niebles, Erleben: Projected Gauss-Seidel subspace minimization method for interactive rigid body dynamics, 2010.
    #[derive(Debug, Clone)]
    pub struct SubspaceMinimization {
        /// largest number of rounds
        iterations: usize = count(20),
        /// limit on multiplications per solve
        work: f64 = positive(WORK),
        /// stops at this residual
        tolerance: f64 = not_negative(1e-12),
        /// tests on the step; off by default
        step: StepTest = part(StepTest::default()),
        /// when the residual is measured; history also keeps its value at each iteration
        measure: Measure = choice(AtEnd),
        /// memory between solves
        memory: SolverMemory = given(SolverMemory::default()),
        /// matrix, factors and vectors
        workspace: Kept<SubspaceWorkspace> = given(Kept::default()),
    }
}

/// Buffers of [`SubspaceMinimization`] between solves.
#[derive(Debug, Default)]
pub struct SubspaceWorkspace {
    a: DenseOperator,
    step: Vec<f64>,
    trial: Vec<f64>,
    start: Vec<f64>,
    partition: Vec<Side>,
    systems: PartitionSystems,
}

impl SubspaceMinimization {
    fn run<O: LcpOperator + ?Sized>(&mut self, op: &O, problem: &ProblemView<'_>, x: &mut [f64]) -> LcpReport {
        let n = x.len();
        let mut report = self.memory.begin_best(problem, x, self.measure);
        self.memory.budget.begin(self.work);
        // without the matrix, only sweeps are possible
        let mut paid = self.memory.budget.pays_for_dense(&problem.operator);
        let SubspaceWorkspace { a, step, trial, start, partition, systems } = &mut self.workspace.0;
        let a = if paid { problem.operator.dense_in(a) } else { a };
        steps(op, step);
        copy(trial, x);
        copy(start, x);
        refill(partition, n, Side::Free);
        while report.iterations < self.iterations && self.memory.best.residual > self.tolerance {
            start.copy_from_slice(x);
            op.start(x, &mut self.memory.accumulator);
            let mut rows = Rows { op, problem, step, coupling: &[], lambda: 1.0 };
            for _ in 0..SWEEPS {
                rows.visit(0..n, x, &mut self.memory.accumulator);
            }
            report.iterations += 1;
            let mut value = natural_residual(problem, x, &mut self.memory.residual);
            self.memory.best.improve(x, value);
            for _ in 0..SOLVES {
                // A row strictly within its bounds is free.
                for i in 0..n {
                    let (lo, hi) = problem.bounds(i, x);
                    partition[i] = if x[i] > lo && x[i] < hi {
                        Side::Free
                    } else if x[i] >= hi {
                        Side::Upper
                    } else {
                        Side::Lower
                    };
                }
                let free = partition.iter().filter(|s| **s == Side::Free).count() as f64;
                paid = paid && self.memory.budget.pays(2.0 / 3.0 * free * free * free);
                if !paid {
                    break;
                }
                trial.copy_from_slice(x);
                systems.solve(a, Factorisation::Lu, problem, partition, trial);
                project(problem, &self.memory.order, trial);
                let subspace = natural_residual(problem, trial, &mut self.memory.residual);
                if subspace.is_nan() || subspace >= value {
                    break;
                }
                value = subspace;
                x.copy_from_slice(trial);
            }
            let SolverMemory { best, history, .. } = &mut self.memory;
            best.offer(x, value, self.measure, history);
            if !value.is_finite() {
                break;
            }
            report.change = largest_change(start, x);
            if self.step.is_met(report.change, largest_magnitude(x)) {
                report.status = LcpStatus::Stagnated;
                break;
            }
        }
        report
    }
}

best_methods!(SubspaceMinimization, crate::solver::check_dense);
