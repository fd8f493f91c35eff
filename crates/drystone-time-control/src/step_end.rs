//! The ends of steps that move bodies by the velocities of their solve.

use drystone_core::{Kernel, Scope, StepFailure, TimeReport};

/// Moves all bodies for `h` seconds to the end of a step, and ends it there.
pub(crate) fn drift_to(
    kernel: &mut dyn Kernel,
    [h, end]: [f64; 2],
    report: &mut TimeReport,
) -> Result<(), StepFailure> {
    kernel.drift(Scope::All, h)?;
    kernel.script(end)?;
    end_step(kernel, end, report)
}

/// Ends a step at the bodies' present poses: overlap and joint error are projected, and the clock goes on.
pub(crate) fn end_step(kernel: &mut dyn Kernel, end: f64, report: &mut TimeReport) -> Result<(), StepFailure> {
    project(kernel, Scope::All, report)?;
    kernel.set_time(end);
    report.sub_steps += 1;
    Ok(())
}

/// Takes overlap and joint error out of the bodies' present poses.
pub(crate) fn project(kernel: &mut dyn Kernel, scope: Scope, report: &mut TimeReport) -> Result<(), StepFailure> {
    report.correction.merge(&kernel.project(scope)?);
    Ok(())
}
