//! What of a frame's work each task of a run may take.

use super::task::{Task, Weight};
use super::worker::Shared;
use drystone_math::Real;

impl Shared<'_> {
    fn size_of(&self, task: &Task) -> Real {
        (self.edges_of(task).len() + self.joints_of(*task).len()).max(1) as Real
    }

    /// Weighs the tasks of a run.
    pub(super) fn weighed(mut self, tasks: &[Task]) -> Self {
        self.weight = Weight::default();
        for task in tasks {
            let size = self.size_of(task);
            self.weight.sum += size;
            self.weight.cubes += size.powi(3);
        }
        self
    }

    /// The part of the work that is left which the other tasks of the run have. One half goes by the sizes of tasks, the other by their cubes, as the cost of direct methods does: a
    /// large group has most of it beside small ones, and these have enough. It depends on no other task's solve, so it is the same on any number of threads.
    pub(super) fn others_than(&self, task: &Task) -> Real {
        let (size, all) = (self.size_of(task), self.weight);
        if all.sum <= size {
            return 0.0;
        }
        1.0 - 0.5 * (size / all.sum + size.powi(3) / all.cubes)
    }
}
