use drystone_core::catalogue::{Implementation, Parameter, Settings};
use drystone_core::{SleepMemory, SleepObservation, SleepPolicy};
use drystone_math::Real;

/// Sleepy when the kinetic energy stayed below a threshold.
///
/// # Source
/// H-32; seed `004_1a7b6777e6ce649b.txt`, sections 5.6 and 6.5, after Milenkovic and Schmidl.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KineticEnergy {
    /// Threshold (J).
    pub threshold: Real,
    /// Steps in a row.
    pub steps: u32,
}

impl KineticEnergy {
    /// Its entry in the catalogue.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "kinetic-energy",
        summary: "sleepy when the kinetic energy stayed below a threshold for some steps",
        source: "Milenkovic and Schmidl 2001; Erleben 2005, section 6.5",
        parameters: &[
            Parameter::real("threshold", 1e-3, 0.0, 1e12, "kinetic energy (J)"),
            Parameter::integer("steps", 10, 1, 10_000, "steps in a row"),
        ],
    };

    /// With the given settings.
    pub fn from_settings(settings: &Settings) -> Self {
        Self { threshold: settings.real("threshold"), steps: settings.integer("steps") as u32 }
    }
}

impl SleepPolicy for KineticEnergy {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn is_sleepy(&self, observation: &SleepObservation, _h: Real, memory: &mut SleepMemory) -> bool {
        if observation.kinetic_energy <= self.threshold {
            super::count(self.steps, memory)
        } else {
            super::restart(memory)
        }
    }
}
