use crate::{PREDICTIVE, SUB_STEPS, equal_steps, look_ahead};
use drystone_core::catalogue::{Implementation, Parameter, Settings};
use drystone_core::{Instant, Kernel, Rate, RateOf, Save, Scope, StepFailure, TimeControl, TimeReport};

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "runge-kutta",
    summary: "explicit Runge-Kutta methods by their tableau over contacts found once a step, with step control by embedded pairs",
    source: "Baraff 1995, sections 4 and 8; Kutta 1901; Bogacki and Shampine 1989; Dormand and Prince 1980",
    parameters: &[
        SUB_STEPS,
        PREDICTIVE,
        Parameter::choice(
            "method",
            "classical",
            &["euler", "midpoint", "heun", "classical", "bogacki-shampine", "dormand-prince"],
            "the tableau: orders 1, 2, 2, 4, 3 and 5; the last two are embedded pairs",
        ),
        Parameter::real(
            "tolerance",
            0.0,
            0.0,
            1.0,
            "largest way that a surface point may be off in a step by the estimate of an embedded pair (m); zero for equal steps",
        ),
    ],
};

/// Butcher's tableau of an explicit method: stages, weights, and those of an embedded method of another order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tableau {
    /// Its name.
    pub name: &'static str,
    /// The order of the method.
    pub order: u32,
    /// Row by row below the diagonal: what each stage takes of those before it.
    pub stages: &'static [&'static [f64]],
    /// What the step takes of each stage.
    pub weights: &'static [f64],
    /// The same of the embedded method; empty where there is none.
    pub embedded: &'static [f64],
}

/// The methods.
pub const TABLEAUS: &[Tableau] = &[
    Tableau { name: "euler", order: 1, stages: &[&[]], weights: &[1.0], embedded: &[] },
    Tableau { name: "midpoint", order: 2, stages: &[&[], &[0.5]], weights: &[0.0, 1.0], embedded: &[] },
    Tableau { name: "heun", order: 2, stages: &[&[], &[1.0]], weights: &[0.5, 0.5], embedded: &[] },
    Tableau {
        name: "classical",
        order: 4,
        stages: &[&[], &[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0]],
        weights: &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
        embedded: &[],
    },
    Tableau {
        name: "bogacki-shampine",
        order: 3,
        stages: &[&[], &[0.5], &[0.0, 0.75], &[2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0]],
        weights: &[2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0, 0.0],
        embedded: &[7.0 / 24.0, 0.25, 1.0 / 3.0, 0.125],
    },
    Tableau {
        name: "dormand-prince",
        order: 5,
        stages: &[
            &[],
            &[0.2],
            &[3.0 / 40.0, 9.0 / 40.0],
            &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
            &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
            &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
            &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
        ],
        weights: &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0, 0.0],
        embedded: &[
            5179.0 / 57600.0,
            0.0,
            7571.0 / 16695.0,
            393.0 / 640.0,
            -92097.0 / 339_200.0,
            187.0 / 2100.0,
            1.0 / 40.0,
        ],
    },
];

/// Most stages of a method.
const STAGES: usize = 7;
/// Times a step is halved before it is taken as it is.
const HALVINGS: u32 = 20;

/// Explicit Runge-Kutta steps.
///
/// Contacts are found once a step and held through its stages, with gaps at the poses of each: a body that leaves an edge is carried until the step ends, at most
/// (Baraff's "road-runner physics"). Stages are rates of motion, rigid joints holding accelerations, so that smooth motion is followed to the order of the method;
/// where a contact opens or closes within the step it is of order one. The projection at the end takes out what positions drift.
///
/// With an embedded pair and a tolerance, a step is halved until the difference of the two methods is below it.
///
/// # Source
/// B-22, C-04 … C-06; Baraff 1995, sections 4 and 8.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RungeKutta {
    /// Equal steps a frame; each is cut further where the tolerance asks for it.
    pub sub_steps: u32,
    /// Whether contacts that can close within the step are found in advance.
    pub predictive: bool,
    /// The method.
    pub tableau: Tableau,
    /// Way that a point may be off in a step (m); zero for equal steps.
    pub tolerance: f64,
}

impl RungeKutta {
    /// From checked settings.
    pub fn from_settings(s: &Settings) -> Self {
        let tableau = TABLEAUS.iter().find(|t| t.name == s.text("method")).unwrap_or(&TABLEAUS[3]);
        Self {
            sub_steps: s.integer("sub_steps") as u32,
            predictive: s.switch("predictive"),
            tableau: *tableau,
            tolerance: s.real("tolerance"),
        }
    }

    /// The stages of a step of `h` seconds from an instant.
    fn stages(
        &self,
        kernel: &mut dyn Kernel,
        start: Instant,
        [t, h]: [f64; 2],
        report: &mut TimeReport,
    ) -> Result<[(Rate, f64); STAGES], StepFailure> {
        let mut terms = [(Rate(0), 0.0); STAGES];
        for (i, row) in self.tableau.stages.iter().enumerate() {
            if i > 0 {
                for (term, weight) in terms.iter_mut().zip(*row) {
                    term.1 = weight * h;
                }
                kernel.combine(start, &terms[..row.len()])?;
                kernel.script(t + h * row.iter().sum::<f64>())?;
                kernel.refresh(Scope::All, None);
            }
            let (rate, solved) = kernel.rate(Scope::All, RateOf::Motion, h, h)?;
            report.solve.merge(&solved);
            terms[i].0 = rate;
        }
        Ok(terms)
    }

    /// The state at the end of a step, and how far the embedded method is off it (m).
    fn finish(
        &self,
        kernel: &mut dyn Kernel,
        start: Instant,
        h: f64,
        mut terms: [(Rate, f64); STAGES],
    ) -> Result<f64, StepFailure> {
        let Tableau { weights, embedded, .. } = self.tableau;
        let mut sum = |kernel: &mut dyn Kernel, weights: &[f64]| {
            for (term, weight) in terms.iter_mut().zip(weights) {
                term.1 = weight * h;
            }
            kernel.combine(start, &terms[..weights.len()])
        };
        if self.tolerance == 0.0 || embedded.is_empty() {
            sum(kernel, weights)?;
            return Ok(0.0);
        }
        sum(kernel, embedded)?;
        let other = kernel.save(Scope::All, Save::Motion);
        sum(kernel, weights)?;
        let end = kernel.save(Scope::All, Save::Motion);
        let off = kernel.difference(other, end);
        kernel.release(other);
        kernel.release(end);
        Ok(off.way.max(off.speed * h))
    }

    /// From `t` to `end` in steps that are halved where they are too long.
    fn stretch(
        &self,
        kernel: &mut dyn Kernel,
        [mut t, end]: [f64; 2],
        report: &mut TimeReport,
    ) -> Result<(), StepFailure> {
        let mut h = end - t;
        let mut halvings = 0;
        while t < end {
            let last = t + h >= end;
            h = if last { end - t } else { h };
            kernel.script(t)?;
            report.detected(&kernel.detect(Scope::All, look_ahead(self.predictive, h))?);
            report.resolve.merge(&kernel.resolve(Scope::All, h)?);
            let start = kernel.save(Scope::All, Save::Contacts);
            let terms = self.stages(kernel, start, [t, h], report)?;
            let off = self.finish(kernel, start, h, terms)?;
            kernel.release_rates();
            if off > self.tolerance && halvings < HALVINGS {
                kernel.restore(Scope::All, start, drystone_core::Restore::All);
                kernel.release(start);
                report.rollbacks += 1;
                halvings += 1;
                h *= 0.5;
                continue;
            }
            kernel.release(start);
            t = if last { end } else { t + h };
            kernel.script(t)?;
            kernel.refresh(Scope::All, None);
            report.correction.merge(&kernel.correct(Scope::All)?);
            report.sub_steps += 1;
            // a step that was good enough by far may have been too short
            let slack = 0.5_f64.powi(self.tableau.order as i32 + 1);
            if off < slack * self.tolerance && halvings > 0 {
                halvings -= 1;
                h *= 2.0;
            }
        }
        Ok(())
    }
}

impl TimeControl for RungeKutta {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        let mut report = TimeReport::default();
        equal_steps(kernel.time(), dt, self.sub_steps, |t, _, end| {
            self.stretch(kernel, [t, end], &mut report)?;
            kernel.set_time(end);
            Ok(())
        })?;
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tableaus_meet_the_conditions_of_their_order() {
        for t in TABLEAUS {
            let c: Vec<f64> = t.stages.iter().map(|row| row.iter().sum()).collect();
            let sum = |w: &[f64], power: u32| -> f64 { w.iter().zip(&c).map(|(w, c)| w * c.powi(power as i32)).sum() };
            for power in 0..t.order {
                let wanted = 1.0 / f64::from(power + 1);
                assert!((sum(t.weights, power) - wanted).abs() < 1e-14, "{}: {power}", t.name);
            }
            assert_eq!((t.stages.len(), t.stages.len() <= STAGES), (t.weights.len(), true));
            if !t.embedded.is_empty() {
                assert!((sum(t.embedded, 0) - 1.0).abs() < 1e-14 && (sum(t.embedded, 1) - 0.5).abs() < 1e-14);
            }
        }
    }
}
