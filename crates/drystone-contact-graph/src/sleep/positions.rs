use drystone_core::catalogue::Implementation;
use drystone_core::{SleepMemory, SleepObservation, SleepPolicy, settings};
use drystone_math::Real;

settings! {
    /// Sleepy when the pose has stayed within thresholds of where it was some steps ago.
    ///
    /// Stops a thrown ball at its apex, and takes no account of scale: kept as the thesis' bad example (O-75).
    ///
    /// # Source
    /// H-30; Erleben 2005, section 6.5, first heuristic. The change of orientation is measured by the angle
    /// turned since the window began, `|w| h` summed over its steps.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Positions {
        /// largest displacement (m) and rotation (rad) since the window began
        threshold: Real = real(1e-3, 0.0, 1e3),
        /// consecutive steps needed
        steps: u32 = integer(5, 1, 10_000),
    }
}

impl Positions {
    /// Its entry in the catalogue.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "positions",
        summary: "sleepy when position and orientation have stayed within a threshold for some steps",
        source: "Erleben 2005, section 6.5 (after ODE's auto-disable)",
        parameters: Self::PARAMETERS,
    };
}

impl SleepPolicy for Positions {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    /// Not this policy: it is kept to show how it hangs bodies in the air.
    fn asks_for_support(&self) -> bool {
        false
    }

    fn is_sleepy(&self, observation: &SleepObservation, h: Real, memory: &mut SleepMemory) -> bool {
        let place = observation.pose.position;
        memory.reference += observation.velocity.angular.length() * h;
        let near = (place - memory.vector).length() <= self.threshold && memory.reference <= self.threshold;
        if memory.calm_steps == 0 || !near {
            *memory = SleepMemory { calm_steps: 1, vector: place, ..SleepMemory::default() };
            return false;
        }
        super::count(self.steps, memory)
    }
}
