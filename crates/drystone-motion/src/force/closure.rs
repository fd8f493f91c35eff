use drystone_core::{BodyIndex, Configuration, ForceField, State};
use drystone_math::{Real, Wrench};

/// A wrench on one body as a function of time.
pub struct TimeDependentWrench<F> {
    /// The body.
    pub body: BodyIndex,
    /// From the time (s) to the wrench (world frame, about the centre of mass).
    pub wrench: F,
}

impl<F: Fn(Real) -> Wrench + Send + Sync> ForceField for TimeDependentWrench<F> {
    fn depends_on_velocity(&self) -> bool {
        false
    }

    fn accumulate(&self, _configuration: &Configuration, state: &State, wrenches: &mut [Wrench]) {
        if let Some(w) = wrenches.get_mut(self.body.at()) {
            *w += (self.wrench)(state.time);
        }
    }

    fn remove_body(&mut self, removed: BodyIndex) -> bool {
        self.body.without(removed).inspect(|b| self.body = *b).is_some()
    }
}

/// Any field on some bodies, from a closure that is given their columns, in the order of `bodies`. It follows them when other bodies are removed, and is
/// dropped when one of them is.
pub struct BodiesField<F> {
    /// The bodies.
    pub bodies: Vec<BodyIndex>,
    /// From the present columns of the bodies, with the arguments of [`ForceField::accumulate`].
    pub field: F,
}

impl<F: Fn(&[BodyIndex], &Configuration, &State, &mut [Wrench]) + Send + Sync> ForceField for BodiesField<F> {
    fn accumulate(&self, configuration: &Configuration, state: &State, wrenches: &mut [Wrench]) {
        if self.bodies.iter().all(|b| b.at() < wrenches.len()) {
            (self.field)(&self.bodies, configuration, state, wrenches);
        }
    }

    fn remove_body(&mut self, removed: BodyIndex) -> bool {
        let left: Option<Vec<_>> = self.bodies.iter().map(|b| b.without(removed)).collect();
        left.inspect(|bodies| self.bodies.clone_from(bodies)).is_some()
    }
}

/// Any field, from a closure with the arguments of [`ForceField::accumulate`]. It must not refer to bodies by their columns, which move when a body is removed;
/// a [`BodiesField`] may.
pub struct CustomField<F>(pub F);

impl<F: Fn(&Configuration, &State, &mut [Wrench]) + Send + Sync> ForceField for CustomField<F> {
    fn accumulate(&self, configuration: &Configuration, state: &State, wrenches: &mut [Wrench]) {
        (self.0)(configuration, state, wrenches);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::fixtures::two_bodies;
    use drystone_math::Vec3;

    #[test]
    fn closures_are_fields() {
        let (c, mut s) = two_bodies();
        s.time = 2.0;
        let mut wrenches = [Wrench::ZERO; 2];
        let push = |t: Real| Wrench::new(Vec3::X * t, Vec3::ZERO);
        TimeDependentWrench { body: BodyIndex(1), wrench: push }.accumulate(&c, &s, &mut wrenches);
        TimeDependentWrench { body: BodyIndex(9), wrench: push }.accumulate(&c, &s, &mut wrenches);
        let field = CustomField(|_: &Configuration, s: &State, w: &mut [Wrench]| w[0].torque += s.position[1]);
        field.accumulate(&c, &s, &mut wrenches);
        assert_eq!(wrenches[1].force, Vec3::X * 2.0);
        assert_eq!(wrenches[0].torque, s.position[1]);
    }
}
