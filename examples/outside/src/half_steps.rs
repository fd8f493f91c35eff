use drystone_core::{DetectMode, Kernel, Scope, StepFailure, TimeControl, TimeReport};

/// Two equal steps for each that is asked for.
#[derive(Debug, Clone, Copy)]
pub struct HalfSteps;

impl TimeControl for HalfSteps {
    fn name(&self) -> &'static str {
        "half-steps"
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        let mut report = TimeReport::default();
        let (start, h) = (kernel.time(), 0.5 * dt);
        // the last step ends at exactly t + dt, whatever the rounding of the first
        for end in [start + h, start + dt] {
            kernel.script(kernel.time())?;
            report.detected(&kernel.detect(Scope::All, DetectMode { look_ahead: h, ..DetectMode::default() })?);
            report.resolve.merge(&kernel.resolve(Scope::All, h)?);
            report.solve.merge(&kernel.solve(Scope::All, h, h)?);
            kernel.drift(Scope::All, h)?;
            kernel.script(end)?;
            kernel.refresh(Scope::All, None);
            report.correction.merge(&kernel.correct(Scope::All)?);
            kernel.set_time(end);
            report.sub_steps += 1;
        }
        Ok(report)
    }
}
