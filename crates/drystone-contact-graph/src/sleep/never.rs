use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{SleepMemory, SleepObservation, SleepPolicy};
use drystone_math::Real;

/// No body ever sleeps.
#[derive(Debug, Clone, Copy, Default)]
pub struct Never;

impl Never {
    /// Its entry in the catalogue.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "never",
        summary: "no body ever sleeps",
        source: "Erleben 2005, section 6.5: real-time guarantees must not rest on sleeping",
        parameters: &[],
    };

    /// From the settings of its description, which has none.
    pub fn from_settings(_: &Settings) -> Self {
        Self
    }
}

impl SleepPolicy for Never {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn lets_sleep(&self) -> bool {
        false
    }

    fn is_sleepy(&self, _observation: &SleepObservation, _h: Real, _memory: &mut SleepMemory) -> bool {
        false
    }
}
