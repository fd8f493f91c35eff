use drystone_core::catalogue::Implementation;
use drystone_core::{SleepMemory, SleepObservation, SleepPolicy, settings};
use drystone_math::Real;

settings! {
    /// Sleepy when both velocities have stayed below thresholds.
    ///
    /// # Source
    /// H-31; Erleben 2005, section 6.5, second heuristic.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Velocities {
        /// largest speed of the centre of mass (m/s)
        linear: Real = real(0.02, 0.0, 1e3),
        /// largest angular speed (rad/s)
        angular: Real = real(0.02, 0.0, 1e3),
        /// consecutive steps needed
        steps: u32 = integer(10, 1, 10_000),
    }
}

impl Velocities {
    /// Its entry in the catalogue.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "velocities",
        summary: "sleepy when linear and angular speed have stayed below thresholds for some steps",
        source: "Erleben 2005, section 6.5",
        parameters: Self::PARAMETERS,
    };
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
