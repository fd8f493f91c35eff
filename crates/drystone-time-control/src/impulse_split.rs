use crate::equal_steps;
use drystone_core::catalogue::Implementation;
use drystone_core::{DetectMode, Kernel, LayerStep, Restore, Save, Scope, StepFailure, TimeControl, TimeReport};

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "impulse-split",
    summary: "collisions found by a trial motion, then velocities, then contacts, then positions; projection layer by layer",
    source: "Guendelman, Bridson and Fedkiw 2003; Erleben 2005, section 6.4.1, Figure 2.8",
    parameters: ImpulseSplit::PARAMETERS,
};

in_equal_steps! {
    /// Collisions before velocities, contacts after them: what rests does not bounce.
    ///
    /// A trial motion over the step, forces in it, shows which bodies will meet. Collisions are resolved with the velocities from before the forces, so that gravity makes no
    /// resting contact look like a collision; then velocities change by forces and contacts, contacts without restitution; then positions. What is left of overlap
    /// is projected layer by layer from the ground up.
    ///
    /// # Source
    /// A-23, B-27, H-37, L-27. Differs in: contacts are of those pairs that the trial motion found, at the poses from which it began, so that none acts before it is reached; and sweeps
    /// over contacts are those of the constraint solver.
    ImpulseSplit {}
}

impl TimeControl for ImpulseSplit {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        let mut report = TimeReport::default();
        equal_steps(kernel.time(), dt, self.sub_steps, |t, h, end| {
            kernel.script(t)?;
            let start = kernel.save(Scope::All, Save::Motion);
            kernel.apply_forces(Scope::All, h)?;
            kernel.predict(Scope::All, h)?;
            kernel.script(end)?;
            report.detected(&kernel.detect(Scope::All, DetectMode::default())?);
            kernel.restore(Scope::All, start, Restore::Motion);
            kernel.release(start);
            kernel.script(t)?;
            // bodies that roll meet there at other points than those that were found, taken back with them
            kernel.renew(Scope::All)?;
            report.resolve.merge(&kernel.resolve(Scope::All, h)?);
            report.solve.merge(&kernel.solve(Scope::All, h, h)?);
            kernel.drift(Scope::All, h)?;
            kernel.script(end)?;
            report.correction.merge(&kernel.propagate(Scope::All, &[LayerStep::Refresh, LayerStep::Correct])?);
            kernel.set_time(end);
            report.sub_steps += 1;
            Ok(())
        })?;
        Ok(report)
    }
}
