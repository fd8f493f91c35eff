use drystone_core::{Instant, Kernel, Rate, RateOf, Save, Scope, StepFailure, TimeReport};

/// Butcher's tableau of an explicit method: stages, weights, and those of an embedded method of another order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tableau {
    /// Its name.
    pub name: &'static str,
    /// The order of the method.
    pub order: u32,
    /// Row by row below the diagonal: the weights of the earlier stages in each stage.
    pub stages: &'static [&'static [f64]],
    /// The weight of each stage in the step.
    pub weights: &'static [f64],
    /// The weights of the embedded method; empty if there is none.
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

/// The least time that a stage looks ahead, as a fraction of the step.
const INSTANT: f64 = 1e-3;

/// Look-ahead of the stages of a step for gaps that close.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ahead {
    /// By the step, from wherever a stage is.
    WholeStep,
    /// To the end of the step. What arrives after that is the next step's: a contact that is held sooner loses the velocity with which it is to bounce.
    ToItsEnd,
}

/// The rates of a step's stages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stages {
    rates: [Rate; STAGES],
    count: usize,
}

impl Tableau {
    /// The classical method of order 4.
    pub const CLASSICAL: Self = TABLEAUS[3];

    /// The names of [`TABLEAUS`].
    pub const NAMES: &'static [&'static str] = &{
        let mut names = [""; TABLEAUS.len()];
        let mut i = 0;
        while i < names.len() {
            names[i] = TABLEAUS[i].name;
            i += 1;
        }
        names
    };

    /// Its name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The tableau of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        TABLEAUS.iter().find(|t| t.name == name).copied()
    }

    /// The stages of a step of `h` seconds from an instant, at which the kernel is, at contacts as they are known. A stage looks ahead for gaps that close by as much
    /// as `ahead` says.
    pub(crate) fn stages(
        &self,
        kernel: &mut dyn Kernel,
        start: Instant,
        ([t, h], ahead): ([f64; 2], Ahead),
        report: &mut TimeReport,
    ) -> Result<Stages, StepFailure> {
        let mut found = Stages { rates: [Rate(0); STAGES], count: 0 };
        for (i, row) in self.stages.iter().enumerate() {
            if i > 0 {
                found.sum(kernel, start, h, row)?;
                kernel.script(t + h * row.iter().sum::<f64>())?;
                kernel.renew(Scope::All)?;
            }
            let left = match ahead {
                Ahead::WholeStep => h,
                Ahead::ToItsEnd => h * (1.0 - row.iter().sum::<f64>()).max(INSTANT),
            };
            let (rate, solved) = kernel.rate(Scope::All, RateOf::Motion, h, left)?;
            report.solve.merge(&solved);
            found.rates[i] = rate;
            found.count = i + 1;
        }
        Ok(found)
    }

    /// The weight of each stage in the state after a fraction `c` of a step. For the classical method this is of order three; for the others, as in Baraff, of
    /// order two: `c ((1 - c) k_1 + c k)`, with the step's own rate k.
    pub(crate) fn weights_at(&self, c: f64) -> [f64; STAGES] {
        let mut weights = [0.0; STAGES];
        for (k, (weight, end)) in weights.iter_mut().zip(self.weights).enumerate() {
            let first = if k == 0 { c - c * c } else { 0.0 };
            *weight = c * c * end + first;
        }
        if *self == Self::CLASSICAL {
            let middle = c * c * (1.0 - 2.0 / 3.0 * c);
            weights[0] = c * (1.0 - c * (1.5 - 2.0 / 3.0 * c));
            (weights[1], weights[2]) = (middle, middle);
            weights[3] = c * c * (2.0 / 3.0 * c - 0.5);
        }
        weights
    }
}

/// Disagreement of two stages of a step that stand for the same time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Runaway {
    /// The square of the step's length times the rate at which the equations respond to a displacement (rad^2).
    squared: f64,
    /// The effect of the disagreement on the displacement over the step (m).
    way: f64,
}

/// Steps beyond this many radians of the fastest motion are thrown further each time: the classical method bears 2.8, others about as much.
const BORNE: f64 = 2.0;

impl Runaway {
    /// Returns true if the step is too long for the method, and the disagreement is more than a tolerance (m).
    pub(crate) fn exceeds(self, tolerance: f64) -> bool {
        self.squared > BORNE * BORNE && self.way > tolerance
    }

    /// Returns true if twice the step would still be stable.
    pub(crate) fn is_calm(self) -> bool {
        4.0 * self.squared < BORNE * BORNE
    }
}

impl Tableau {
    /// Two stages that stand for the same time in the step, of which the later is the better: any difference comes from how the rates respond to the state.
    fn twins(&self) -> Option<[usize; 2]> {
        let time = |i: usize| self.stages[i].iter().sum::<f64>();
        let count = self.stages.len();
        (1..count).find(|&i| i + 1 < count && (time(i) - time(i + 1)).abs() < 1e-12).map(|i| [i, i + 1])
    }
}

impl Stages {
    /// Disagreement of two stages for the same time: the difference of their accelerations, relative to that of their
    /// positions.
    ///
    /// # Source
    /// Hairer and Wanner 1996, section IV.2: an estimate of the dominant eigenvalue from two stages at the same time. Here it is the change of accelerations
    /// over that of places, which is the square of that eigenvalue for a motion of second order.
    pub(crate) fn runaway(
        &self,
        tableau: &Tableau,
        kernel: &mut dyn Kernel,
        start: Instant,
        h: f64,
    ) -> Result<Runaway, StepFailure> {
        let Some([first, second]) = tableau.twins() else { return Ok(Runaway::default()) };
        let place = |kernel: &mut dyn Kernel, row: &[f64]| -> Result<Instant, StepFailure> {
            self.sum(kernel, start, h, row)?;
            Ok(kernel.save(Scope::All, Save::Motion))
        };
        let mut unit = [0.0; STAGES];
        let mut along = |kernel: &mut dyn Kernel, stage: usize| {
            unit.fill(0.0);
            unit[stage] = 1.0;
            place(kernel, &unit)
        };
        let rates = [along(kernel, first)?, along(kernel, second)?];
        let places = [place(kernel, tableau.stages[first])?, place(kernel, tableau.stages[second])?];
        let [of_rates, of_places] = [rates, places].map(|[a, b]| {
            let apart = kernel.difference(a, b);
            kernel.release(a);
            kernel.release(b);
            apart
        });
        // h times the difference of accelerations, and of velocities; the step takes a part of it that the later stage counts for
        let way = tableau.weights[second] * h * of_rates.speed;
        let squared = if of_places.way > 0.0 { h * of_rates.speed / of_places.way } else { 0.0 };
        Ok(Runaway { squared, way })
    }

    /// The state that a sum of the stages leads to from an instant.
    pub(crate) fn sum(
        &self,
        kernel: &mut dyn Kernel,
        start: Instant,
        h: f64,
        weights: &[f64],
    ) -> Result<(), StepFailure> {
        let mut terms = [(Rate(0), 0.0); STAGES];
        let count = weights.len().min(self.count);
        for (term, (rate, weight)) in terms.iter_mut().zip(self.rates.iter().zip(weights)) {
            *term = (*rate, weight * h);
        }
        kernel.combine(start, &terms[..count])
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

    #[test]
    fn the_state_within_a_step_starts_and_ends_with_it() {
        for t in TABLEAUS {
            assert_eq!(t.weights_at(0.0), [0.0; STAGES]);
            let end = t.weights_at(1.0);
            assert!(t.weights.iter().zip(end).all(|(w, e)| (w - e).abs() < 1e-15), "{}", t.name);
            // all that is constant, and what is linear in time
            let c: Vec<f64> = t.stages.iter().map(|row| row.iter().sum()).collect();
            for part in [0.25, 0.6] {
                let weights = t.weights_at(part);
                assert!((weights.iter().sum::<f64>() - part).abs() < 1e-15);
                let linear: f64 = weights.iter().zip(&c).map(|(w, c)| w * c).sum();
                assert!((linear - 0.5 * part * part).abs() < 1e-15 || t.order == 1, "{}: {linear}", t.name);
            }
        }
        // order three of the classical method: quadratic rates too
        let quadratic: f64 = TABLEAUS[3].weights_at(0.3).iter().zip([0.0, 0.25, 0.25, 1.0]).map(|(w, c)| w * c).sum();
        assert!((quadratic - 0.3_f64.powi(3) / 3.0).abs() < 1e-15);
    }
}
