use crate::ConstraintRows;
use crate::joint_start::JointStart;
use crate::row_solver::RowSolver;
use core::ops::{Deref, DerefMut};
use drystone_core::SolveReport;

/// A solver of corrections, with an exact solve of the joints before its sweeps.
pub(crate) struct StartedSolver<'a> {
    solver: &'a mut RowSolver,
    /// The exact solver of joints, if it is used, with the number of contacts, whose rows come last.
    start: Option<(&'a mut JointStart, usize)>,
}

impl<'a> StartedSolver<'a> {
    /// `start` is the exact solver of joints, if it is to be used, with the number of contacts.
    pub(crate) fn new(solver: &'a mut RowSolver, start: Option<(&'a mut JointStart, usize)>) -> Self {
        Self { solver, start }
    }

    /// Solves, starting from the exact solution of the joints if that is to be used.
    pub(crate) fn begin_and_solve(&mut self, rows: &mut ConstraintRows) -> SolveReport {
        if let Some((start, contacts)) = &mut self.start {
            start.run(rows, rows.len() - *contacts);
        }
        self.solver.solve(rows)
    }
}

impl Deref for StartedSolver<'_> {
    type Target = RowSolver;

    fn deref(&self) -> &RowSolver {
        self.solver
    }
}

impl DerefMut for StartedSolver<'_> {
    fn deref_mut(&mut self) -> &mut RowSolver {
        self.solver
    }
}
