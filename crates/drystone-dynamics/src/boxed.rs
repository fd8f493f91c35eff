use crate::chord_limit::ChordWork;
use crate::formulation::{Formulation, Outcome, write_multipliers, write_velocity};
use crate::fused::FusedSweep;
use crate::joint_start::JointStart;
use crate::row_solver::RowSolver;
use crate::{ConstraintRows, RowParameters, assemble};
use drystone_core::{GroupAnswer, GroupProblem, Step};
use drystone_lcp::{DiscPasses, LcpSolver};
use drystone_math::Real;

/// One boxed complementarity problem in the impulses of a group, over any complementarity solver: friction in boxes or discs.
///
/// # Source
/// Thesis 4.3 … 4.6, 6.4.
#[derive(Debug)]
pub(crate) struct Boxed {
    pub(crate) parameters: RowParameters,
    pub(crate) solver: RowSolver,
    /// Where the solver is plain Gauss-Seidel: how many sweeps, and whether the residual is measured.
    pub(crate) plain_sweeps: Option<(usize, bool)>,
    rows: ConstraintRows,
    fused: FusedSweep,
    joint_start: JointStart,
    changes: Vec<Real>,
}

impl Boxed {
    pub(crate) fn new(parameters: RowParameters, solver: Box<dyn LcpSolver>) -> Self {
        Self::over(parameters, RowSolver::new(solver), None)
    }

    /// With its own passes for friction on discs.
    pub(crate) fn within(parameters: RowParameters, solver: Box<dyn LcpSolver>, discs: DiscPasses) -> Self {
        Self::over(parameters, RowSolver::within(solver, discs), None)
    }

    fn over(parameters: RowParameters, solver: RowSolver, plain_sweeps: Option<(usize, bool)>) -> Self {
        let (rows, fused, joint_start, changes) = Default::default();
        Self { parameters, solver, plain_sweeps, rows, fused, joint_start, changes }
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

    fn solve(&mut self, problem: &GroupProblem, step: Step, given_up: Real, answer: &mut GroupAnswer) -> Outcome {
        let parameters = &self.parameters.started(step);
        let Self { rows, fused, joint_start, changes, solver, .. } = self;
        let Step { h, horizon, .. } = step;
        if let Some((iterations, measure)) = self.plain_sweeps
            && FusedSweep::takes(problem, parameters.friction)
        {
            if problem.contacts.is_empty() {
                return Outcome::default();
            }
            fused.load_velocities(problem, parameters, h, horizon);
            fused.sweep(iterations);
            fused.unload_velocities(answer);
            return fused.report(iterations, measure).into();
        }
        rows.given_up = given_up;
        assemble(problem, parameters, h, horizon, rows);
        if rows.is_empty() {
            return Outcome::default();
        }
        let started = parameters.joint_start
            && !solver.chosen().is_direct()
            && JointStart::is_needed(problem, parameters.orthogonal_joints)
            && joint_start.run(rows, problem.rows.len());
        if started || (parameters.warm_start && h > 0.0) {
            rows.limit_start(changes);
        }
        let report = solver.solve(rows);
        solver.with_changes(rows, |i, change| write_velocity(problem, answer, i, change));
        let chords = Some(ChordWork::of(rows, changes));
        write_multipliers(problem, rows, answer);
        Outcome { report, chords }
    }

    fn lcp(&self) -> Box<dyn LcpSolver> {
        self.solver.chosen_fork()
    }

    fn fork(&self) -> Box<dyn Formulation> {
        Box::new(self.again())
    }
}
