//! A group's problem as it is handed to a complementarity solver.
use crate::assemble::{assemble, assemble_again};
use crate::joint_start::JointStart;
use crate::{ConstraintRows, RowParameters};
use drystone_core::{GroupProblem, Step};
use drystone_math::Real;

/// The rows of a group's problem with the multipliers from which a solver begins.
#[derive(Debug, Default)]
pub struct PosedRows {
    /// The rows, their start in `x`.
    pub rows: ConstraintRows,
    joint_start: JointStart,
    pub(crate) changes: Vec<Real>,
}

impl PosedRows {
    /// Assembles the rows. An iterative solver begins from the joints' own solution, contacts at what they start from; one that is `direct` needs no
    /// such start. Neither begins from one that adds energy.
    pub fn pose(&mut self, problem: &GroupProblem, parameters: &RowParameters, step: Step, direct: bool) {
        let Self { rows, joint_start, changes } = self;
        let parameters = &parameters.started(step);
        if !(step.again && assemble_again(problem, parameters, step.h, rows)) {
            assemble(problem, parameters, step.h, step.horizon, rows);
        }
        if rows.is_empty() {
            return;
        }
        let started = parameters.joint_start
            && !direct
            && JointStart::is_needed(problem, parameters.orthogonal_joints)
            && joint_start.run(rows, problem.rows.len());
        if started || (parameters.warm_start && step.h > 0.0) {
            rows.limit_start(changes);
        }
    }
}
