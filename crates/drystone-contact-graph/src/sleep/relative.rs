use drystone_core::catalogue::{Implementation, Parameter, Settings};
use drystone_core::{SleepMemory, SleepObservation, SleepPolicy};
use drystone_math::Real;

/// Sleepy when the kinetic energy stayed below a threshold times the mass, and neither it nor the velocity changed over the
/// same steps.
///
/// A window of `steps` steps begins when the energy is below the threshold. At its end the body is sleepy if its energy
/// is not above that at the beginning, and the mean acceleration of its centre and about it is below a bound; otherwise another
/// window begins. A body that is sleepy stays so until it exceeds one of the bounds.
///
/// # Source
/// H-33; seed `004_1a7b6777e6ce649b.txt`, section 6.5. Differs in: the text asks that the change of energy be
/// "non-decreasing", which would let only bodies sleep that speed up; non-increasing is meant. Growth by less than
/// `slack` times the threshold is rounding, not growth: without it a resting body whose solver leaves 1e-5 m/s of noise
/// would never sleep. The bound on the acceleration is ours: what begins to slide or to swing gains energy as the square of
/// the time, and looks at rest to the energy for the first few steps of any size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KineticEnergyRelative {
    /// Threshold of kinetic energy over mass (J/kg): half a squared speed.
    pub threshold: Real,
    /// Steps in a row.
    pub steps: u32,
    /// Part of the threshold by which the energy may grow over the window.
    pub slack: Real,
    /// Mean acceleration over the window that counts as none (m/s^2), of the centre of mass and at the radius of gyration.
    pub acceleration: Real,
}

impl KineticEnergyRelative {
    /// Its entry in the catalogue.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "kinetic-energy-relative",
        summary: "sleepy when kinetic energy over mass stayed below a threshold and did not grow, for some steps",
        source: "Erleben 2005, section 6.5",
        parameters: &[
            Parameter::real("threshold", 1e-3, 0.0, 1e12, "kinetic energy over mass (J/kg)"),
            Parameter::integer("steps", 5, 1, 10_000, "steps in a row"),
            Parameter::real("slack", 0.01, 0.0, 1.0, "part of the threshold that counts as no growth"),
            Parameter::real(
                "acceleration",
                0.02,
                0.0,
                1e12,
                "mean acceleration over the steps that counts as none (m/s^2)",
            ),
        ],
    };

    /// With the given settings.
    pub fn from_settings(settings: &Settings) -> Self {
        Self {
            threshold: settings.real("threshold"),
            steps: settings.integer("steps") as u32,
            slack: settings.real("slack"),
            acceleration: settings.real("acceleration"),
        }
    }
}

impl SleepPolicy for KineticEnergyRelative {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn is_sleepy(&self, observation: &SleepObservation, h: Real, memory: &mut SleepMemory) -> bool {
        let (energy, bound) = (observation.kinetic_energy, self.threshold * observation.mass);
        // negated: an energy that is not a number is not calm
        if energy.is_nan() || energy > bound {
            memory.calm_steps = 0;
            return false;
        }
        let velocity = observation.velocity.linear;
        let window =
            SleepMemory { calm_steps: 1, reference: energy, vector: velocity, turning: observation.velocity.angular };
        if memory.calm_steps == 0 {
            *memory = window;
        } else {
            memory.calm_steps = memory.calm_steps.saturating_add(1);
        }
        if memory.calm_steps < self.steps {
            return false;
        }
        let time = h * Real::from(memory.calm_steps - 1);
        let turns_up = (observation.velocity.angular - memory.turning).length() * observation.gyration;
        let speeds_up = (velocity - memory.vector).length().max(turns_up) > self.acceleration * time;
        if energy <= memory.reference + self.slack * bound && !speeds_up {
            return true;
        }
        *memory = window;
        false
    }
}
