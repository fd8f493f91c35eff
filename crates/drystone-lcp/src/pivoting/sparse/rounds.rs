//! Rounds on the problem itself and on definite ones around the last answer.
use super::SparseWorkspace;
use super::descent::descend;
use super::run::{End, Run, exchange};
use crate::LcpStatus;
use crate::sparse_direct::structure::Pattern;

/// Shift that the proximal rounds add to the diagonal, relative to it: at first, at least, at most.
const FIRST_SHIFT: f64 = 1e-3;
const LEAST_SHIFT: f64 = 1e-9;
const LARGEST_SHIFT: f64 = 1.0;
/// Its change after a round that was solved, and after one that was not.
const NARROWER: f64 = 0.1;
const WIDER: f64 = 10.0;
/// A round in which the best residual does not fall to this fraction of its value is idle, and this many idle rounds in a
/// row end the solve.
const SLOW: f64 = 0.9;
const IDLE: usize = 4;

/// The state of the rounds.
pub(super) struct Rounds {
    /// The smallest shift to be tried from here on.
    least: f64,
    idle: usize,
    /// True if A and its bounds allow descent steps; true if these have taken over.
    may_descend: bool,
    descending: bool,
}

impl Rounds {
    pub(super) fn new<P: Pattern>(run: &Run<'_, '_, P>) -> Self {
        let may_descend = run.space.factors.is_symmetric() && !run.problem.has_dependencies();
        Self { least: LEAST_SHIFT, idle: 0, may_descend, descending: false }
    }

    /// Plays one round and acts on how it ended; false if the solve is over.
    pub(super) fn play<P: Pattern>(&mut self, run: &mut Run<'_, '_, P>) -> bool {
        let before = run.best_residual;
        let end = if self.descending { descend(run) } else { exchange(run) };
        run.report.status = match end {
            End::Accurate | End::Agreement => LcpStatus::Converged,
            End::Limit => LcpStatus::IterationLimit,
            End::Broken => LcpStatus::Failed,
            End::Cycle | End::Consistent => LcpStatus::Stagnated,
        };
        // Redundant rows in the way, or a cycle: move on to, or continue with, the definite problem around the last
        // answer.
        let proximal = run.shift > 0.0;
        match end {
            End::Consistent if proximal => self.narrow(run, before),
            // Exchanges that cycle give way to steps that descend.
            End::Cycle if proximal && self.may_descend && !self.descending => {
                self.descending = true;
                back_to_centre(run);
                true
            }
            End::Consistent | End::Cycle => self.widen(run),
            End::Accurate | End::Agreement | End::Limit | End::Broken => false,
        }
    }

    /// A smaller shift around the answer.
    fn narrow<P: Pattern>(&mut self, run: &mut Run<'_, '_, P>, before: f64) -> bool {
        self.idle = if run.best_residual > SLOW * before { self.idle + 1 } else { 0 };
        if run.shift <= self.least && self.idle >= IDLE {
            return false;
        }
        run.shift = (run.shift * NARROWER).max(self.least);
        let SparseWorkspace { x, centre, .. } = &mut *run.space;
        centre.copy_from_slice(x);
        true
    }

    /// A larger shift around the previous answer; a shift that has failed once is not tried again.
    fn widen<P: Pattern>(&mut self, run: &mut Run<'_, '_, P>) -> bool {
        if run.shift >= LARGEST_SHIFT {
            return false;
        }
        if run.shift > 0.0 {
            self.least = run.shift * WIDER;
            run.shift = self.least.min(LARGEST_SHIFT);
        } else {
            self.least = LEAST_SHIFT;
            run.shift = FIRST_SHIFT;
        }
        back_to_centre(run);
        run.partition_at_x();
        true
    }
}

fn back_to_centre<P: Pattern>(run: &mut Run<'_, '_, P>) {
    let SparseWorkspace { x, centre, .. } = &mut *run.space;
    x.copy_from_slice(centre);
}
