use crate::equal_steps;
use drystone_core::catalogue::Implementation;
use drystone_core::{DetectMode, Kernel, LayerStep, Levels, Scope, StepFailure, TimeControl, TimeReport};

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "shock-propagation",
    summary: "weighted dynamics, then dynamics and projection layer by layer, bottom up",
    source: "Erleben 2005, section 6.4.3, Figures 6.47, 6.56, 6.60", // B-28, L-11, L-17, L-18
    parameters: ShockPropagation::PARAMETERS,
};

in_predictive_steps! {
    /// Velocity-based shock propagation.
    ///
    /// `dynamics(f h)` lets bodies feel each other's weight; with `f = 0` it resolves impacts alone. The rest of the step
    /// runs layer by layer, the lower bodies fixated, and so leaves no error to the layers above.
    ///
    /// # Source
    /// L-11, L-17, L-18, L-19, L-20, thesis Figures 6.56 (plain) and 6.60 (modified). Differs in: with `reevaluate` each layer sees its
    /// contacts at the present poses, so a penetrating grid is clean after one frame instead of one per layer (L-16), and
    /// errors do not ripple upwards (L-21).
    ShockPropagation {
        /// f: fraction of the step during which bodies feel the weight of others
        weight: f64 = real(0.0, 0.0, 1.0),
        /// detect once more at the end and project globally (Figure 6.60)
        modified: bool = switch(false),
        /// re-evaluate contacts within the sweep, which the thesis could not
        reevaluate: bool = switch(true),
    }
}

impl TimeControl for ShockPropagation {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    /// If one of its two solves has no part of the step, that one resolves impacts.
    fn needs(&self) -> Levels {
        if self.weight > 0.0 && self.weight < 1.0 { Levels::VELOCITY } else { Levels::IMPULSES }
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        let mut report = TimeReport::default();
        let Self { weight: f, modified, reevaluate, .. } = *self;
        equal_steps(kernel.time(), dt, self.sub_steps, |t, h, end| {
            kernel.script(t)?;
            report.detected(&kernel.detect(Scope::All, self.look_ahead(h))?);
            if report.sub_steps == 0 {
                kernel.stagger(h);
            }
            report.resolve.merge(&kernel.resolve(Scope::All, h)?);

            // dynamics(f h)
            report.solve.merge(&kernel.solve(Scope::All, f * h, h)?);
            if f > 0.0 {
                kernel.drift(Scope::All, f * h)?;
                kernel.script(t + f * h)?;
            }

            // shock-propagation(dynamics((1 - f) h), error-correction())
            let rest = (1.0 - f) * h;
            let (from, to) = (LayerStep::Script { t: t + f * h }, LayerStep::Script { t: end });
            let (solve, drift) = (LayerStep::Solve { h: rest, horizon: h }, LayerStep::Drift { h: rest });
            let stale = [from, solve, drift, to, LayerStep::Correct];
            let fresh = [from, LayerStep::Refresh, solve, drift, to, LayerStep::Refresh, LayerStep::Correct];
            report.solve.merge(&kernel.propagate(Scope::All, if reevaluate { &fresh } else { &stale })?);
            kernel.script(end)?;

            if modified {
                report.detected(&kernel.detect(Scope::All, DetectMode::default())?);
                report.correction.merge(&kernel.correct(Scope::All)?);
            }
            kernel.set_time(end);
            report.sub_steps += 1;
            Ok(())
        })?;
        kernel.synchronize(dt / f64::from(self.sub_steps));
        Ok(report)
    }
}
