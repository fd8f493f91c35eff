use crate::force::Targets;
use drystone_core::{BodyIndex, Configuration, ForceField, State};
use drystone_math::{Real, Wrench};
use std::any::Any;

/// Linear viscous damping by rates: velocities decay as `exp(-rate t)`, whatever the mass and the inertia.
///
/// # Source
/// C-18; H-26; thesis 5.6 and 6.4.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Damping {
    /// Rate of the linear velocity (1/s).
    pub linear: Real,
    /// Rate of the angular velocity (1/s).
    pub angular: Real,
    /// The bodies that it acts on.
    pub targets: Targets,
}

impl ForceField for Damping {
    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn gives_potential_only(&self) -> bool {
        self.linear >= 0.0 && self.angular >= 0.0
    }

    fn copied(&self) -> Option<Box<dyn ForceField>> {
        Some(Box::new(self.clone()))
    }

    fn accumulate(&self, configuration: &Configuration, state: &State, wrenches: &mut [Wrench]) {
        self.targets.each(configuration.bodies.len().min(wrenches.len()), |i| {
            let (body, q) = (&configuration.bodies[i], state.orientation[i]);
            wrenches[i].force -= state.linear_velocity[i] * (self.linear * body.mass);
            let spin = body.inertia.mul_vec(q.conjugate() * state.angular_velocity[i]);
            wrenches[i].torque -= q * spin * self.angular;
        });
    }

    fn remove_body(&mut self, removed: BodyIndex) -> bool {
        self.targets.remove_body(removed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::fixtures::two_bodies;

    #[test]
    fn decays_at_its_rate() {
        let (c, s) = two_bodies();
        let mut wrenches = [Wrench::ZERO; 2];
        let damping = Damping { linear: 0.5, angular: 0.25, targets: Targets::These(vec![BodyIndex(1), BodyIndex(7)]) };
        damping.accumulate(&c, &s, &mut wrenches);
        assert_eq!(wrenches[0], Wrench::ZERO);
        assert!((wrenches[1].force + s.linear_velocity[1] * 1.0).length() < 1e-15);
        let q = s.orientation[1];
        let change = q * c.bodies[1].inverse_inertia.mul_vec(q.conjugate() * wrenches[1].torque);
        assert!((change + s.angular_velocity[1] * 0.25).length() < 1e-15);
    }
}
