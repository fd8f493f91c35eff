use drystone_core::catalogue::{Implementation, Parameter, Settings};
use drystone_core::{SleepMemory, SleepObservation, SleepPolicy};
use drystone_math::Real;

/// Sleepy when both velocities stayed below thresholds.
///
/// # Source
/// H-31; seed `004_1a7b6777e6ce649b.txt`, section 6.5, second heuristic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Velocities {
    /// Threshold of the centre's speed (m/s).
    pub linear: Real,
    /// Threshold of the angular speed (rad/s).
    pub angular: Real,
    /// Steps in a row.
    pub steps: u32,
}

impl Velocities {
    /// Its entry in the catalogue.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "velocities",
        summary: "sleepy when linear and angular speed stayed below thresholds for some steps",
        source: "Erleben 2005, section 6.5",
        parameters: &[
            Parameter::real("linear", 0.02, 0.0, 1e3, "speed of the centre of mass (m/s)"),
            Parameter::real("angular", 0.02, 0.0, 1e3, "angular speed (rad/s)"),
            Parameter::integer("steps", 10, 1, 10_000, "steps in a row"),
        ],
    };

    /// With the given settings.
    pub fn from_settings(settings: &Settings) -> Self {
        Self {
            linear: settings.real("linear"),
            angular: settings.real("angular"),
            steps: settings.integer("steps") as u32,
        }
    }
}

impl SleepPolicy for Velocities {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn is_sleepy(&self, observation: &SleepObservation, _h: Real, memory: &mut SleepMemory) -> bool {
        let v = &observation.velocity;
        let calm = v.linear.length() <= self.linear && v.angular.length() <= self.angular;
        if calm { super::count(self.steps, memory) } else { super::restart(memory) }
    }
}
