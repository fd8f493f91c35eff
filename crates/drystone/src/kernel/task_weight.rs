//! The share of a frame's work that each task of a run may take.

use super::task::{Task, Weight};
use super::worker::Shared;
use drystone_math::Real;

impl Shared<'_> {
    fn size_of(&self, task: &Task) -> Real {
        (self.edges_of(task).len() + self.joints_of(*task).len()).max(1) as Real
    }

    /// Computes the weight of the tasks of a run.
    pub(super) fn weighed(mut self, tasks: &[Task]) -> Self {
        self.weight = Weight::default();
        for task in tasks {
            let size = self.size_of(task);
            self.weight.sum += size;
            self.weight.cubes += size.powi(3);
        }
        self
    }

    /// The fraction of the remaining work that belongs to the other tasks of the run. One half of the work is distributed by the sizes of the tasks, the other by
    /// their cubes, like the cost of direct methods: a large group gets most of it beside small ones, and these get enough. The fraction does not depend on the
    /// solves of other tasks, so it is the same on any number of threads.
    pub(super) fn others_than(&self, task: &Task) -> Real {
        let (size, all) = (self.size_of(task), self.weight);
        if all.sum <= size {
            return 0.0;
        }
        1.0 - 0.5 * (size / all.sum + size.powi(3) / all.cubes)
    }
}
