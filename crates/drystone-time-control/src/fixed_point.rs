use crate::step_end::end_step;
use crate::{ahead, equal_steps};
use drystone_core::catalogue::Implementation;
use drystone_core::{
    Configuration, ContactSet, DetectMode, Instant, Kernel, Restore, Save, Scope, StepFailure, TimeControl, TimeReport,
};

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "fixed-point",
    summary: "equal steps whose contact problem is posed at their end, by fixed-point iteration",
    source: "Erleben 2005, section 4.12, Figure 4.22; Sauer and Schömer 1998", // B-09
    parameters: FixedPoint::PARAMETERS,
};

in_equal_steps! {
    /// The nonlinear problem of a step, contacts held at its end, by fixed-point iteration: the velocity problem is posed at a guess of the end, its solution leads
    /// to another end, and so on.
    ///
    /// The iteration converges to the problem of SiLVIA's method in distances, with whatever friction and
    /// complementarity solver the constraint solver has. Contacts are those that are found on the way, added to those
    /// of the start; their gaps are linearised about the present guess, (4.38) of the text. A gap that is to open again
    /// in this linearisation needs a constraint solver that takes it whole: `stabilization = "baumgarte"` with `erp =
    /// 1`. Under projection what bends is projected afterwards.
    ///
    /// # Source
    /// B-09, thesis Figure 4.22. Differs in: the figure returns the position alone, and its `LCP(s', u)` leaves open which gap the problem at s' has; contacts are looked for anew at
    /// each guess. No joints: their rows have the error of the present guess, with nothing that takes it back.
    FixedPoint {
        /// maximum solves per step
        iterations: u32 = integer(30, 1, 1_000_000),
        /// iteration ends when the end of the step moves by no more than this (m, of any point of a body)
        tolerance: f64 = real(1e-10, 0.0, 1e6),
    }
}

impl FixedPoint {
    /// Solves at the present poses, a guess of those at `end`, and goes there from the start of the step. Returns whether that is where it was.
    fn solve_here(
        &self,
        kernel: &mut dyn Kernel,
        start: Instant,
        [h, end]: [f64; 2],
        report: &mut TimeReport,
    ) -> Result<bool, StepFailure> {
        let guess = kernel.save(Scope::All, Save::Motion);
        // a guess may overlap: that is no overlap of the motion
        let before = report.penetration;
        report
            .detected(&kernel.detect(Scope::All, DetectMode { contacts: ContactSet::Union, ..DetectMode::default() })?);
        report.penetration = before;
        kernel.rewind_gaps(Scope::All, h);
        kernel.restore(Scope::All, start, Restore::Velocities);
        kernel.script_end(end, h)?;
        report.solve.merge(&kernel.solve(Scope::All, h, h)?);
        kernel.restore(Scope::All, start, Restore::Poses);
        kernel.drift(Scope::All, h)?;
        kernel.script_end(end, h)?;
        let now = kernel.save(Scope::All, Save::Motion);
        let apart = kernel.difference(guess, now);
        kernel.release(guess);
        kernel.release(now);
        Ok(apart.way <= self.tolerance)
    }
}

impl TimeControl for FixedPoint {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn solves_elsewhere(&self) -> bool {
        true
    }

    fn cannot(&self, configuration: &Configuration) -> Option<&'static str> {
        (!configuration.joints.is_empty()).then_some("joints")
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        let mut report = TimeReport::default();
        equal_steps(kernel.time(), dt, self.sub_steps, |t, h, end| {
            kernel.script(t)?;
            report.detected(&kernel.detect(Scope::All, ahead(h))?);
            if report.sub_steps == 0 {
                kernel.stagger(h);
            }
            report.resolve.merge(&kernel.resolve(Scope::All, h)?);
            let start = kernel.save(Scope::All, Save::Motion);
            kernel.predict(Scope::All, h)?;
            kernel.script_end(end, h)?;
            let mut settled = false;
            for _ in 0..self.iterations {
                settled = self.solve_here(kernel, start, [h, end], &mut report)?;
                if settled {
                    break;
                }
                report.rollbacks += 1;
            }
            report.unsettled += u64::from(!settled);
            kernel.release(start);
            kernel.script(end)?;
            end_step(kernel, end, &mut report)
        })?;
        kernel.synchronize(dt / f64::from(self.sub_steps));
        Ok(report)
    }
}
