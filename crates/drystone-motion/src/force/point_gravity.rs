use drystone_core::{Configuration, ForceField, State};
use drystone_math::{Real, Vec3, Wrench};
use std::any::Any;

/// Attraction towards a point: `-GM m r / (r^2 + s^2)^(3/2)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointGravity {
    /// The point, world frame (m).
    pub center: Vec3,
    /// Strength GM (m^3/s^2); below zero it repels.
    pub strength: Real,
    /// Softening length s (m), above zero: keeps the force finite at the point.
    pub softening: Real,
}

impl PointGravity {
    fn offset(&self, position: Vec3) -> (Vec3, Real) {
        let r = position - self.center;
        // a positive floor keeps the force finite at the point even without softening
        let soft = self.softening * self.softening;
        (r, (r.length_squared() + soft).max(Real::MIN_POSITIVE).sqrt())
    }
}

impl ForceField for PointGravity {
    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn gives_potential_only(&self) -> bool {
        true
    }

    fn copied(&self) -> Option<Box<dyn ForceField>> {
        Some(Box::new(*self))
    }

    fn depends_on_velocity(&self) -> bool {
        false
    }

    fn accumulate(&self, configuration: &Configuration, state: &State, wrenches: &mut [Wrench]) {
        for ((body, position), wrench) in configuration.bodies.iter().zip(&state.position).zip(wrenches) {
            let (r, d) = self.offset(*position);
            wrench.force -= r / d * (self.strength * body.mass / (d * d)).min(Real::MAX);
        }
    }

    fn potential(&self, configuration: &Configuration, state: &State) -> Real {
        let bodies = configuration.bodies.iter().zip(&state.position).filter(|(b, _)| b.mass > 0.0);
        bodies.map(|(b, p)| -self.strength * b.mass / self.offset(*p).1).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::fixtures::two_bodies;

    #[test]
    fn is_the_gradient_of_its_potential() {
        let (c, mut s) = two_bodies();
        let field = PointGravity { center: Vec3::new(0.5, 0.0, 2.0), strength: 7.0, softening: 0.1 };
        let mut wrenches = [Wrench::ZERO; 2];
        field.accumulate(&c, &s, &mut wrenches);
        let d = 1e-6;
        for (axis, component) in [(Vec3::X, 0), (Vec3::Y, 1), (Vec3::Z, 2)] {
            let place = s.position[0];
            s.position[0] = place + axis * d;
            let up = field.potential(&c, &s);
            s.position[0] = place - axis * d;
            let down = field.potential(&c, &s);
            s.position[0] = place;
            assert!((wrenches[0].force[component] + (up - down) / (2.0 * d)).abs() < 1e-8);
        }
    }

    #[test]
    fn is_finite_at_the_point() {
        let (c, s) = two_bodies();
        let field = PointGravity { center: s.position[0], strength: 7.0, softening: 0.0 };
        let mut wrenches = [Wrench::ZERO; 2];
        field.accumulate(&c, &s, &mut wrenches);
        assert!(wrenches[0].is_finite());
    }
}
