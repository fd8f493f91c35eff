use crate::equal_steps;
use crate::step_end::drift_to;
use drystone_core::catalogue::Implementation;
use drystone_core::{Kernel, Scope, StepFailure, TimeControl, TimeReport};

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "load-propagation",
    summary: "equal steps; in stacks at rest, loads are passed down layer by layer before the whole group is solved",
    source: "after Guendelman, Bridson and Fedkiw 2003, and Erleben 2005, section 6.4; confined to groups at rest",
    parameters: LoadPropagation::PARAMETERS,
};

in_predictive_steps! {
    /// Shock propagation turned round, and confined to what rests.
    ///
    /// Shock propagation holds the lower bodies and solves what stands on them: errors do not reach the next layer, and neither do forces
    /// and momentum. Here the loads of a stack at rest are passed down, each layer on one that does not give way, so that what is
    /// below bears all that stands on it. Forces that hold every body where it is are the balance of the stack, and nothing is left to solve;
    /// others are where the solve of the whole group begins. What collides, rolls, hangs or tips is no stack at rest: there a step is that
    /// of [`crate::FixedStep`].
    ///
    /// # Source
    /// The order of layers is that of Guendelman, Bridson and Fedkiw 2003, section 6, and Erleben 2005, section 6.4.2, from the top
    /// down; the velocities of neither are used. What falls onto a low layer is seen before it is in there, and lifts nothing (L-22).
    LoadPropagation {}
}

impl TimeControl for LoadPropagation {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        let mut report = TimeReport::default();
        equal_steps(kernel.time(), dt, self.sub_steps, |t, h, end| {
            kernel.script(t)?;
            report.detected(&kernel.detect(Scope::All, self.look_ahead(h))?);
            if report.sub_steps == 0 {
                kernel.stagger(h);
            }
            report.resolve.merge(&kernel.resolve(Scope::All, h)?);
            report.solve.merge(&kernel.solve_carried(Scope::All, h, h)?);
            drift_to(kernel, [h, end], &mut report)
        })?;
        kernel.synchronize(dt / f64::from(self.sub_steps));
        Ok(report)
    }
}
