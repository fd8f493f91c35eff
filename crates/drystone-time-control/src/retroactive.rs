use crate::backtracking::{Backtracking, Stretch};
use crate::equal_steps;
use drystone_core::catalogue::Implementation;
use drystone_core::{Kernel, Levels, Scope, StepFailure, TimeControl, TimeReport};

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "retroactive",
    summary: "steps taken back to the time of impact, found by root search, or redone with the missed contact",
    source: "Erleben 2005, sections 2.2.1 and 4.12; Stewart and Trinkle 1996; Baraff 1989, 1995",
    parameters: Retroactive::PARAMETERS,
};

in_equal_steps! {
    /// Backtracking: a step that went into something is taken back.
    ///
    /// # Source
    /// See [`Backtracking`].
    Retroactive {
        /// how a step is taken back
        backtracking: Backtracking = all(),
    }
}

impl TimeControl for Retroactive {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn needs(&self) -> Levels {
        crate::backtracking::NEEDS
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        let mut report = TimeReport::default();
        equal_steps(kernel.time(), dt, self.sub_steps, |from, _, to| {
            self.backtracking.advance(kernel, Stretch { scope: Scope::All, from, to }, &mut report)?;
            kernel.set_time(to);
            Ok(())
        })?;
        Ok(report)
    }
}
