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
    /// Assembles the rows for a direct solver: they start from the multipliers of the last solve if the parameters say so, unless that would add energy.
    pub fn pose(&mut self, problem: &GroupProblem, parameters: &RowParameters, step: Step) {
        self.assemble(problem, parameters, step);
        self.limit_start(parameters, step);
    }

    /// Assembles the rows for an iterative solver: joints start from their exact solution if sweeps need that, contacts from their usual start value, unless
    /// that would add energy.
    pub fn pose_for_sweeps(&mut self, problem: &GroupProblem, parameters: &RowParameters, step: Step) {
        self.assemble(problem, parameters, step);
        let Self { rows, joint_start, changes } = self;
        let needed = if parameters.orthogonal_joints {
            JointStart::is_needed_by_orthogonal(problem)
        } else {
            JointStart::is_needed(problem)
        };
        let started = !rows.is_empty() && parameters.joint_start && needed && joint_start.run(rows, problem.rows.len());
        if started {
            rows.limit_start(changes);
        } else {
            self.limit_start(parameters, step);
        }
    }

    fn assemble(&mut self, problem: &GroupProblem, parameters: &RowParameters, step: Step) {
        let parameters = &parameters.started(step);
        if !(step.again && assemble_again(problem, parameters, step.h, &mut self.rows)) {
            assemble(problem, parameters, step.h, step.horizon, &mut self.rows);
        }
    }

    /// Scales the start down if it adds energy.
    fn limit_start(&mut self, parameters: &RowParameters, step: Step) {
        let warm = parameters.started(step).warm_start && step.h > 0.0;
        if warm && !self.rows.is_empty() {
            self.rows.limit_start(&mut self.changes);
        }
    }
}
