use drystone_core::{BodyIndex, Configuration, ForceField, State};
use drystone_math::{Vec3, Wrench};
use std::any::Any;

/// The axes in which a constant force is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Axes {
    /// Fixed in the world: a rope pulled from afar.
    #[default]
    World,
    /// Turning with the body: a rocket.
    Body,
}

/// A constant force at a point of a body, and a constant torque.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointWrench {
    /// The body.
    pub body: BodyIndex,
    /// Point of application, in the body frame (m).
    pub point: Vec3,
    /// Force (N).
    pub force: Vec3,
    /// Torque in addition to that of the force (N m).
    pub torque: Vec3,
    /// The axes of force and torque.
    pub axes: Axes,
}

impl ForceField for PointWrench {
    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn copied(&self) -> Option<Box<dyn ForceField>> {
        Some(Box::new(*self))
    }

    fn depends_on_velocity(&self) -> bool {
        false
    }

    fn accumulate(&self, configuration: &Configuration, state: &State, wrenches: &mut [Wrench]) {
        let i = self.body.at();
        let (Some(body), Some(wrench)) = (configuration.bodies.get(i), wrenches.get_mut(i)) else { return };
        let q = state.orientation[i];
        let (force, torque) = match self.axes {
            Axes::World => (self.force, self.torque),
            Axes::Body => (q * self.force, q * self.torque),
        };
        *wrench += Wrench::at(force, q * (self.point - body.center)) + Wrench::new(Vec3::ZERO, torque);
    }

    fn remove_body(&mut self, removed: BodyIndex) -> bool {
        self.body.without(removed).inspect(|b| self.body = *b).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::fixtures::two_bodies;

    #[test]
    fn power_is_force_times_the_velocity_of_its_point() {
        let (c, s) = two_bodies();
        let point = Vec3::new(0.3, -0.1, 0.2);
        for axes in [Axes::World, Axes::Body] {
            let field =
                PointWrench { body: BodyIndex(0), point, force: Vec3::new(1.0, 2.0, 3.0), torque: Vec3::ZERO, axes };
            let mut wrenches = [Wrench::ZERO; 2];
            field.accumulate(&c, &s, &mut wrenches);
            let anchor = crate::force::Anchor::Body { body: BodyIndex(0), point };
            let (_, v) = anchor.motion(&c, &s).unwrap();
            let w = wrenches[0];
            let power = w.force.dot(s.linear_velocity[0]) + w.torque.dot(s.angular_velocity[0]);
            assert!((power - w.force.dot(v)).abs() < 1e-14);
        }
    }
}
