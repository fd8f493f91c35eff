mod coarse;

use crate::budget::WORK;
use crate::buffers::{Kept, copy};
use crate::methods::best_methods;
use crate::parameters::parameters;
use crate::solver::SolverMemory;
use crate::splitting::projected_gauss_seidel::{Rows, steps};
use crate::step_test::{largest_change, largest_magnitude};
use crate::{LcpOperator, LcpReport, LcpStatus, Measure, ProblemView, StepTest};
use coarse::{CoarseSpace, CoarseWorkspace};

const NAME: &str = "two-level-gauss-seidel";
/// Sweeps before each coarse correction.
const SWEEPS: usize = 3;

parameters! {
    /// Gauss-Seidel with a coarse correction that removes what sweeps cannot: the slow modes of large mass ratios and tall stacks.
    ///
    /// Rows are gathered in aggregates of strongly coupled neighbours. The change of the last sweep is, after a few sweeps, the slowest
    /// mode; cut into its pieces on the aggregates, together with the constant on each, it spans a coarse space over the free rows, in which the
    /// equation is solved by Galerkin's principle and added, as far as the energy falls. Frictions that slide follow their normals in that; the residual then decides. With one aggregate and two rows this is exact for F-36.
    ///
    /// # Cost
    /// One iteration is three sweeps, n^2 to form the coarse matrix from the dense A, and a dense solve of 2 n / `aggregate` unknowns.
    ///
    /// # When it fails
    /// If the free set changes from sweep to sweep, the correction is refused and sweeps are left: with frictions that
    /// slide it needs tens of rounds before it settles (a stack of six boxes that is pushed: 1e-3 after 50 rounds,
    /// 1e-15 after 104); unsymmetric A.
    ///
    /// # Source
    /// Smoothed aggregation after Vanek, Mandel, Brezina 1996, with an adaptive mode; answers Erleben 2005, sections 6.1.7 and 6.4.4 (P-01, F-36).
    #[derive(Debug, Clone)]
    pub struct TwoLevelGaussSeidel {
        /// largest number of rounds
        iterations: usize = count(20),
        /// limit on multiplications per solve
        work: f64 = positive(WORK),
        /// stops at this residual
        tolerance: f64 = not_negative(1e-12),
        /// rows per aggregate
        aggregate: usize = count(2, 2),
        /// tests on the step; off by default
        step: StepTest = part(StepTest::default()),
        /// when the residual is measured; history also keeps its value at each iteration
        measure: Measure = choice(AtEnd),
        /// memory between solves
        memory: SolverMemory = given(SolverMemory::default()),
        /// matrix, factors and vectors
        workspace: Kept<TwoLevelWorkspace> = given(Kept::default()),
    }
}

/// Buffers of [`TwoLevelGaussSeidel`] between solves.
#[derive(Debug, Default)]
pub struct TwoLevelWorkspace {
    coarse: CoarseWorkspace,
    step: Vec<f64>,
    begun: Vec<f64>,
    before: Vec<f64>,
}

// F-39
impl TwoLevelGaussSeidel {
    fn run<O: LcpOperator + ?Sized>(&mut self, op: &O, problem: &ProblemView<'_>, x: &mut [f64]) -> LcpReport {
        let mut report = self.memory.begin_best(problem, x, self.measure);
        let budget = &mut self.memory.budget;
        budget.begin(self.work);
        let rows = x.len() as f64;
        if !(budget.pays_for_dense(&problem.operator) && budget.pays(2.0 * rows * rows)) {
            return report;
        }
        let TwoLevelWorkspace { coarse, step, begun, before } = &mut self.workspace.0;
        let mut coarse = CoarseSpace::new(op, problem, self.aggregate, coarse);
        steps(op, step);
        copy(begun, x);
        copy(before, x);
        while report.iterations < self.iterations && self.memory.best.residual > self.tolerance {
            if !self.memory.budget.pays(coarse.cost()) {
                break;
            }
            begun.copy_from_slice(x);
            op.start(x, &mut self.memory.accumulator);
            let mut rows = Rows { op, problem, step, coupling: &[], lambda: 1.0 };
            for _ in 0..SWEEPS {
                before.copy_from_slice(x);
                rows.visit(0..x.len(), x, &mut self.memory.accumulator);
            }
            report.iterations += 1;
            let value = coarse.correct(before, x, &mut self.memory);
            let SolverMemory { best, history, .. } = &mut self.memory;
            best.offer(x, value, self.measure, history);
            if !value.is_finite() {
                break;
            }
            report.change = largest_change(begun, x);
            if self.step.is_met(report.change, largest_magnitude(x)) {
                report.status = LcpStatus::Stagnated;
                break;
            }
        }
        report
    }
}

best_methods!(TwoLevelGaussSeidel, crate::solver::check_dense);
