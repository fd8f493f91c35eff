//! One boxed problem per group: `w = A x + b`, `A = J W J^T`, `lo <= x <= hi`, w >= 0 at lo, w <= 0 at hi, w = 0 between; then
//! `u' = u + h W F + W J^T x`. Friction rows are bounded by `mu x_n`, each alone (box) or in pairs (disc). Source: thesis 4.3 to 4.6, 6.4.

use crate::RowParameters;
use crate::chord_limit::ChordWork;
use crate::formulation::{Formulation, Outcome, write_multipliers, write_velocity};
use crate::fused::FusedSweep;
use crate::posed::PosedRows;
use crate::row_solver::RowSolver;
use drystone_core::{GroupAnswer, GroupProblem, Step};
use drystone_lcp::{LcpSolver, PlainSweeps, Share};
use drystone_math::Real;

/// One boxed complementarity problem in the impulses of a group, for any complementarity solver: friction in boxes or discs.
///
/// # Source
/// Thesis 4.3 … 4.6, 6.4.
#[derive(Debug)]
pub(crate) struct Boxed {
    pub(crate) parameters: RowParameters,
    pub(crate) solver: RowSolver,
    /// Set if the solver amounts to plain Gauss-Seidel, whose sweeps may then be made without rows.
    pub(crate) plain_sweeps: Option<PlainSweeps>,
    posed: PosedRows,
    fused: FusedSweep,
}

impl Boxed {
    pub(crate) fn new(parameters: RowParameters, solver: Box<dyn LcpSolver>) -> Self {
        Self::over(parameters, RowSolver::new(solver), None)
    }

    fn over(parameters: RowParameters, solver: RowSolver, plain_sweeps: Option<PlainSweeps>) -> Self {
        let (posed, fused) = Default::default();
        Self { parameters, solver, plain_sweeps, posed, fused }
    }

    /// Another one with the same settings.
    pub(crate) fn again(&self) -> Self {
        Self::over(self.parameters, self.solver.fork(), self.plain_sweeps)
    }
}

impl Formulation for Boxed {
    fn name(&self) -> &'static str {
        "boxed"
    }

    fn parameters(&self) -> &RowParameters {
        &self.parameters
    }

    fn begin(&mut self, share: Share) {
        self.solver.begin(share);
    }

    fn solve(&mut self, problem: &GroupProblem, step: Step, given_up: Real, answer: &mut GroupAnswer) -> Outcome {
        let Self { parameters, posed, fused, solver, .. } = self;
        if let Some(PlainSweeps { iterations, measured }) = self.plain_sweeps
            && FusedSweep::takes(problem, parameters.friction)
        {
            if problem.contacts.is_empty() {
                return Outcome::default();
            }
            fused.load_velocities(problem, &parameters.started(step), step.h, step.horizon);
            let stands = parameters.reuse_up_to(problem, step).is_some_and(|most| fused.residual() <= most);
            let iterations = if stands { 0 } else { step.iterations(iterations) };
            // the solver leaves cycles by pivoting, which needs rows
            if !fused.sweep_and_watch(iterations) {
                fused.unload_velocities(answer);
                return fused.report(iterations, measured.then(|| fused.residual())).into();
            }
        }
        if let Some(own) = self.plain_sweeps {
            solver.sweep_at_most(step.iterations(own.iterations));
        }
        posed.rows.given_up = given_up;
        if solver.is_direct() {
            posed.pose(problem, parameters, step);
        } else {
            posed.pose_for_sweeps(problem, parameters, step);
        }
        let PosedRows { rows, .. } = posed;
        if rows.is_empty() {
            return Outcome::default();
        }
        let reused = parameters.reuse_up_to(problem, step).and_then(|most| solver.take_start(rows, most));
        let report = reused.unwrap_or_else(|| solver.solve(rows));
        solver.with_changes(rows, |i, change| write_velocity(problem, answer, i, change));
        let equations = rows.unbounded && solver.is_exact();
        let chords = if equations { ChordWork::of_equations(rows) } else { ChordWork::of(rows, solver.changes(rows)) };
        write_multipliers(problem, rows, answer);
        Outcome { report, chords: Some(chords) }
    }

    fn lcp(&self) -> Box<dyn LcpSolver> {
        self.solver.chosen_fork()
    }

    fn fork(&self) -> Box<dyn Formulation> {
        Box::new(self.again())
    }
}
