use drystone_core::catalogue::Implementation;
use drystone_core::{SleepMemory, SleepObservation, SleepPolicy, settings};
use drystone_math::Real;

settings! {
    /// Sleepy when the kinetic energy has stayed below a threshold.
    ///
    /// # Source
    /// H-32; Erleben 2005, sections 5.6 and 6.5, after Milenkovic and Schmidl.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct KineticEnergy {
        /// largest kinetic energy (J)
        threshold: Real = real(1e-3, 0.0, 1e12),
        /// consecutive steps needed
        steps: u32 = integer(10, 1, 10_000),
    }
}

impl KineticEnergy {
    /// Its entry in the catalogue.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "kinetic-energy",
        summary: "sleepy when the kinetic energy has stayed below a threshold for some steps",
        source: "Milenkovic and Schmidl 2001; Erleben 2005, section 6.5",
        parameters: Self::PARAMETERS,
    };
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
