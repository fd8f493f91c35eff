use crate::force::Targets;
use drystone_core::{BodyIndex, Configuration, ForceField, State};
use drystone_math::{Real, Vec3, Wrench};
use std::any::Any;

/// Resistance of a medium: `-(a + b |v - u|) (v - u)` against a medium that streams at u, and `-c w` against spin.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Drag {
    /// a: viscous coefficient (N s/m), `6 pi eta r` for a small ball.
    pub viscous: Real,
    /// b: quadratic coefficient (N s^2/m^2), `rho C_d A / 2`.
    pub quadratic: Real,
    /// c: resistance against spin (N m s).
    pub angular: Real,
    /// u: velocity of the medium (m/s).
    pub wind: Vec3,
    /// The bodies that it acts on.
    pub targets: Targets,
}

impl ForceField for Drag {
    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn gives_potential_only(&self) -> bool {
        self.wind == Vec3::ZERO && self.viscous >= 0.0 && self.quadratic >= 0.0 && self.angular >= 0.0
    }

    fn copied(&self) -> Option<Box<dyn ForceField>> {
        Some(Box::new(self.clone()))
    }

    fn accumulate(&self, configuration: &Configuration, state: &State, wrenches: &mut [Wrench]) {
        self.targets.each(configuration.bodies.len().min(wrenches.len()), |i| {
            let v = state.linear_velocity[i] - self.wind;
            wrenches[i].force -= v * (self.viscous + self.quadratic * v.length());
            wrenches[i].torque -= state.angular_velocity[i] * self.angular;
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
    fn falls_at_the_terminal_velocity() {
        let (c, mut s) = two_bodies();
        let drag = Drag { quadratic: 0.5, wind: Vec3::X, ..Drag::default() };
        // weight 2 g balanced by b v^2
        s.linear_velocity[0] = Vec3::new(1.0, -(2.0 * 9.81_f64 / 0.5).sqrt(), 0.0);
        let mut wrenches = [Wrench::ZERO; 2];
        drag.accumulate(&c, &s, &mut wrenches);
        assert!((wrenches[0].force - Vec3::Y * 2.0 * 9.81).length() < 1e-13);
    }
}
