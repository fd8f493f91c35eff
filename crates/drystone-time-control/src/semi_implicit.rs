use crate::equal_steps;
use crate::step_end::drift_to;
use drystone_core::catalogue::Implementation;
use drystone_core::{DetectMode, Kernel, Restore, Save, Scope, StepFailure, TimeControl, TimeReport};

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "semi-implicit",
    summary: "equal steps with contacts found at the predicted position (fake position update)",
    source: "Erleben 2005, section 4.12, Figure 4.15", // B-02
    parameters: SemiImplicit::PARAMETERS,
};

in_equal_steps! {
    /// Contacts are found at `s' = s + h S u`, the velocity problem is posed at `s` with the gaps that those contacts have
    /// there.
    ///
    /// # Source
    /// B-02, thesis (4.19), Figure 4.15. Differs in: gaps are re-evaluated at `s` from the contacts' anchors, so that a
    /// body about to hit is neither stopped early (B-23) nor overlooked (B-24). What turns at the fake position it may still go into (B-25).
    SemiImplicit {}
}

impl TimeControl for SemiImplicit {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        let mut report = TimeReport::default();
        equal_steps(kernel.time(), dt, self.sub_steps, |t, h, end| {
            kernel.script(t)?;
            let start = kernel.save(Scope::All, Save::Motion);
            kernel.predict(Scope::All, h)?;
            kernel.script(end)?;
            report.detected(&kernel.detect(Scope::All, DetectMode::default())?);
            kernel.restore(Scope::All, start, Restore::Poses);
            kernel.release(start);
            kernel.script(t)?;
            kernel.renew(Scope::All)?;
            if report.sub_steps == 0 {
                kernel.stagger(h);
            }
            report.resolve.merge(&kernel.resolve(Scope::All, h)?);
            report.solve.merge(&kernel.solve(Scope::All, h, h)?);
            drift_to(kernel, [h, end], &mut report)
        })?;
        kernel.synchronize(dt / f64::from(self.sub_steps));
        Ok(report)
    }
}
