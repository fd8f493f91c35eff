use crate::{PREDICTIVE, SUB_STEPS, equal_steps, look_ahead};
use drystone_core::catalogue::{Implementation, Parameter, Settings};
use drystone_core::{Kernel, Scope, StepFailure, TimeControl, TimeReport};

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "fixed",
    summary: "equal steps: detect, resolve impacts, constrain velocities, move, project",
    source: "Erleben 2005, section 2.2.1, equation (6.76)", // B-01, B-15
    parameters: &[
        SUB_STEPS,
        PREDICTIVE,
        Parameter::choice(
            "evaluation",
            "eager",
            &["eager", "moderate", "lazy"],
            "what each sub-step does anew: detection and forces, forces alone, or nothing but motion",
        ),
    ],
};

/// What a sub-step after the first evaluates anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Evaluation {
    /// Contacts and forces.
    #[default]
    Eager,
    /// Forces, at the contacts found at the start of the frame.
    Moderate,
    /// Nothing: the forces of the first sub-step go on, for what is no longer there too.
    Lazy,
}

/// Euler steps of equal length with constrained velocities.
///
/// # Source
/// B-01, B-15, thesis (6.76) with the projection of (6.78) at the new positions; A-13, thesis 2.2.3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedStep {
    /// Equal steps per frame.
    pub sub_steps: u32,
    /// Whether contacts that can close within the step are found in advance.
    pub predictive: bool,
    /// What sub-steps evaluate anew.
    pub evaluation: Evaluation,
}

impl Default for FixedStep {
    fn default() -> Self {
        Self { sub_steps: 1, predictive: true, evaluation: Evaluation::Eager }
    }
}

impl FixedStep {
    /// From checked settings.
    pub fn from_settings(s: &Settings) -> Self {
        Self {
            sub_steps: s.integer("sub_steps") as u32,
            predictive: s.switch("predictive"),
            evaluation: match s.text("evaluation") {
                "moderate" => Evaluation::Moderate,
                "lazy" => Evaluation::Lazy,
                _ => Evaluation::Eager,
            },
        }
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
            match (report.sub_steps, self.evaluation) {
                (0, Evaluation::Moderate | Evaluation::Lazy) => {
                    // these contacts are the frame's
                    report.detected(&kernel.detect(Scope::All, look_ahead(self.predictive, dt))?);
                }
                (_, Evaluation::Eager) => report.detected(&kernel.detect(Scope::All, look_ahead(self.predictive, h))?),
                _ => kernel.refresh(Scope::All, None),
            }
            if report.sub_steps > 0 && self.evaluation == Evaluation::Lazy {
                kernel.repeat(Scope::All)?;
            } else {
                report.resolve.merge(&kernel.resolve(Scope::All, h)?);
                report.solve.merge(&kernel.solve(Scope::All, h, h)?);
            }
            kernel.drift(Scope::All, h)?;
            kernel.script(end)?;
            kernel.refresh(Scope::All, None);
            report.correction.merge(&kernel.correct(Scope::All)?);
            kernel.set_time(end);
            report.sub_steps += 1;
            Ok(())
        })?;
        Ok(report)
    }
}
