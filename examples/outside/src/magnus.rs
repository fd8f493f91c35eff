use drystone_core::catalogue::{Implementation, Parameter};
use drystone_core::{BodyIndex, Configuration, ForceField, State};
use drystone_math::{Real, Wrench};
use drystone_motion::force::Targets;

/// The lift of a spinning ball: a coefficient times angular velocity x velocity.
#[derive(Debug, Clone)]
pub struct Magnus {
    /// Coefficient (kg).
    pub coefficient: Real,
    /// On which bodies.
    pub targets: Targets,
}

impl Magnus {
    /// How it is listed.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "magnus",
        summary: "lift of a spinning ball: coefficient times angular velocity x velocity",
        source: "this example",
        parameters: &[Parameter::real("coefficient", 0.0, -1e6, 1e6, "force for 1 rad/s across 1 m/s (kg)")],
    };
}

impl ForceField for Magnus {
    fn accumulate(&self, configuration: &Configuration, state: &State, wrenches: &mut [Wrench]) {
        self.targets.each(configuration.bodies.len().min(wrenches.len()), |i| {
            wrenches[i].force += state.angular_velocity[i].cross(state.linear_velocity[i]) * self.coefficient;
        });
    }

    fn remove_body(&mut self, removed: BodyIndex) -> bool {
        self.targets.remove_body(removed)
    }
}
