use crate::equal_steps;
use drystone_core::catalogue::Implementation;
use drystone_core::{Bouncing, DetectMode, Kernel, Scope, StepFailure, TimeControl, TimeReport};

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "explicit-euler",
    summary: "negative example: positions are advanced with the old, unconstrained velocities",
    source: "Erleben 2005, equation (6.75)", // B-14
    parameters: ExplicitEuler::PARAMETERS,
};

in_equal_steps! {
    /// Positions move at the old velocities, then velocities are constrained: two touching balls that move down onto a
    /// plane penetrate it by `h |u|`, and the correction drives one into the other.
    ///
    /// # Source
    /// B-14, thesis (6.75). Kept to show why [`crate::FixedStep`] does it the other way round.
    ExplicitEuler {}
}

impl TimeControl for ExplicitEuler {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn bouncing(&self) -> Bouncing {
        Bouncing::ByConstraintSolver
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        let mut report = TimeReport::default();
        equal_steps(kernel.time(), dt, self.sub_steps, |t, h, end| {
            kernel.script(t)?;
            report.detected(&kernel.detect(Scope::All, DetectMode::default())?);
            kernel.drift(Scope::All, h)?;
            report.solve.merge(&kernel.solve(Scope::All, h, h)?);
            kernel.script(end)?;
            kernel.set_time(end);
            report.sub_steps += 1;
            Ok(())
        })?;
        Ok(report)
    }
}
