use crate::{PREDICTIVE, SUB_STEPS, equal_steps, look_ahead};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{Kernel, Scope, StepFailure, TimeControl, TimeReport};

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "fixed",
    summary: "equal steps: detect, resolve impacts, constrain velocities, move, project",
    source: "thesis 2.2.1, (6.76); B-01, B-15",
    parameters: &[SUB_STEPS, PREDICTIVE],
};

/// Euler steps of equal length with constrained velocities.
///
/// # Source
/// B-01, B-15, thesis (6.76) with the projection of (6.78) at the new positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedStep {
    /// Equal steps a frame.
    pub sub_steps: u32,
    /// Whether contacts that can close within the step are found in advance.
    pub predictive: bool,
}

impl Default for FixedStep {
    fn default() -> Self {
        Self { sub_steps: 1, predictive: true }
    }
}

impl FixedStep {
    /// From checked settings.
    pub fn from_settings(s: &Settings) -> Self {
        Self { sub_steps: s.integer("sub_steps") as u32, predictive: s.switch("predictive") }
    }
}

impl TimeControl for FixedStep {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        let mut report = TimeReport::default();
        equal_steps(kernel.time(), dt, self.sub_steps, |t, h, end| {
            kernel.script(t)?;
            report.detected(&kernel.detect(look_ahead(self.predictive, h))?);
            report.resolve.merge(&kernel.resolve(Scope::All)?);
            report.solve.merge(&kernel.solve(Scope::All, h, h)?);
            kernel.drift(Scope::All, h)?;
            kernel.script(end)?;
            kernel.refresh(Scope::All);
            report.correction.merge(&kernel.correct(Scope::All)?);
            kernel.set_time(end);
            report.sub_steps += 1;
            Ok(())
        })?;
        Ok(report)
    }
}
