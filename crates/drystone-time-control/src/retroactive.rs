use crate::backtracking::{Backtracking, Stretch};
use crate::{SUB_STEPS, equal_steps};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{Kernel, Scope, StepFailure, TimeControl, TimeReport};

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "retroactive",
    summary: "steps taken back to the time of impact, found by root search, or done again with the contact that was missed",
    source: "Erleben 2005, sections 2.2.1 and 4.12; Stewart and Trinkle 1996; Baraff 1989, 1995",
    parameters: drystone_core::parameters![&[SUB_STEPS], Backtracking::PARAMETERS],
};

/// Backtracking: a step that went into something is taken back.
///
/// # Source
/// See [`Backtracking`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retroactive {
    /// Equal steps a frame; each is cut where bodies collide.
    pub sub_steps: u32,
    /// How a step is taken back.
    pub backtracking: Backtracking,
}

impl Default for Retroactive {
    fn default() -> Self {
        Self { sub_steps: 1, backtracking: Backtracking::default() }
    }
}

impl Retroactive {
    /// From checked settings.
    pub fn from_settings(s: &Settings) -> Self {
        Self { sub_steps: s.integer("sub_steps") as u32, backtracking: Backtracking::from_settings(s) }
    }
}

impl TimeControl for Retroactive {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
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
