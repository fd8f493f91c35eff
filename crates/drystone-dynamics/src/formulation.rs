use crate::chord_limit::ChordWork;
use crate::{ConstraintRows, RowParameters};
use drystone_core::{GroupAnswer, GroupProblem, SolveReport, Step, Unread};
use drystone_lcp::{LcpSolver, Share};
use drystone_math::{Real, Twist};

/// One way to pose the velocity problem of a group and to solve it, once. The layers around it
/// (impacts, geometric stiffness, the bound on chords) are the same for all formulations.
pub(crate) trait Formulation: Send + core::fmt::Debug {
    /// The name in scene files.
    fn name(&self) -> &'static str;

    /// Parameters of its rows.
    fn parameters(&self) -> &RowParameters;

    /// Begins the solve of a group: everything solved from here on shares the work that a group may take.
    fn begin(&mut self, share: Share);

    /// Solves the problem from its start value, leaving out the fraction `given_up` of what rows ask for because their constraints are curved.
    fn solve(&mut self, problem: &GroupProblem, step: Step, given_up: Real, answer: &mut GroupAnswer) -> Outcome;

    /// See [`drystone_core::ConstraintSolver::unread`].
    fn unread(&self) -> &'static [Unread] {
        &[]
    }

    /// Another instance of its complementarity solver.
    fn lcp(&self) -> Box<dyn LcpSolver>;

    /// Another instance with the same settings.
    fn fork(&self) -> Box<dyn Formulation>;
}

/// The outcome of a solve.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Outcome {
    pub(crate) report: SolveReport,
    /// The work of the chords of its rows; `None` if there were no rows.
    pub(crate) chords: Option<ChordWork>,
}

impl From<SolveReport> for Outcome {
    fn from(report: SolveReport) -> Self {
        Self { report, chords: None }
    }
}

/// Writes the velocity of a body after a change by impulses.
pub(crate) fn write_velocity(problem: &GroupProblem, answer: &mut GroupAnswer, body: usize, change: Twist) {
    let b = &problem.bodies[body];
    answer.velocity[body] = b.velocity + b.external + change;
}

/// Hands the multipliers of the rows back to the joints and contacts that they belong to.
pub(crate) fn write_multipliers(problem: &GroupProblem, rows: &mut ConstraintRows, answer: &mut GroupAnswer) {
    rows.basis.leave(&mut rows.x);
    let count = problem.rows.len();
    answer.rows.copy_from_slice(&rows.x[..count]);
    for (k, (own, c)) in rows.contacts.iter().zip(&problem.contacts).enumerate() {
        answer.contacts[k] = own.impulse(&rows.x);
        if let Some(torque) = answer.torques.get_mut(c.surface as usize) {
            *torque = own.torque(&rows.x);
        }
    }
}
