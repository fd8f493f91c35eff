use crate::torque_free::{add_spin, impulse_change, next_momentum, tumbles};
use crate::{rotate_finite, rotate_infinitesimal, rotate_partial_finite};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{BodyIndex, BodyProperties, Configuration, MotionSolver, State, choice, settings};
use drystone_math::{Quat, Real, Twist, Vec3, Wrench};

choice! {
    /// Update rule of an orientation by an angular velocity.
    #[derive(Default)]
    pub enum OrientationUpdate {
        /// First order, then renormalised (C-09).
        Infinitesimal = "infinitesimal",
        /// By the exact rotation (C-10).
        #[default]
        Finite = "finite",
        /// Exact about [`drystone_core::BodyProperties::spin_axis`], first order for the rest (C-11); finite for bodies
        /// without such an axis.
        PartialFinite = "partial-finite",
    }
}

choice! {
    /// Integration rule of the gyroscopic torque, if it acts.
    enum GyroscopicRule {
        /// By the midpoint rule, at the end of a drift.
        Midpoint = "midpoint",
        /// At the start of the step, in the kick.
        Explicit = "explicit",
    }
}

settings! {
    /// The settings as scene files have them.
    struct EulerSettings {
        /// orientation update; partial-finite is exact about a body's spin axis
        orientation: OrientationUpdate = choice(Finite),
        /// whether the gyroscopic torque -w x I w acts
        gyroscopic: bool = switch(true),
        /// how it acts: midpoint conserves the energy of a free body, explicit (the thesis') adds to it
        gyroscopic_rule: GyroscopicRule = choice(Midpoint) if gyroscopic is ["true"],
    }
}

/// Integration rule of the gyroscopic torque over a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GyroscopicTorque {
    /// Not at all.
    None,
    /// At the start of the step, as the text has it: feeds energy into fast tumbling, until it breaks.
    Explicit,
    /// By the midpoint rule in body axes: a free body keeps its kinetic energy to rounding.
    #[default]
    Midpoint,
}

/// Velocities first, by the forces at the start of the step; then poses, by the new velocities.
///
/// # Source
/// C-07; thesis (4.19), (6.76). The gyroscopic torque is `-w x I w` (R-12: the thesis' Fig. 4.27 overwrites the
/// torque with the opposite sign). Differs in: that torque is taken by the midpoint rule unless asked otherwise, and at the end of the drift. The turn about
/// the new angular velocity does not change that velocity in body axes, so the energy that the rule keeps there is kept by the
/// step; momentum is kept to order one, whereas `lie-midpoint` keeps both. What a surface gives back is a fraction of the velocity at which the body comes,
/// that torque included: if it were among the forces of the kick, which a bounce does not reverse, tumbling bodies would gain from surfaces that give back all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SemiImplicitEuler {
    /// Update rule of orientations.
    pub orientation: OrientationUpdate,
    /// Treatment of the gyroscopic torque.
    pub gyroscopic: GyroscopicTorque,
}

impl Default for SemiImplicitEuler {
    fn default() -> Self {
        Self::with(&EulerSettings::default())
    }
}

impl SemiImplicitEuler {
    /// Name, parameters and source.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "semi-implicit-euler",
        summary: "velocities from the forces at the start of the step, then poses from the new velocities; order 1",
        source: "Erleben 2005, equations (4.19) and (6.76); section 4.14",
        parameters: EulerSettings::PARAMETERS,
    };

    /// From settings made for [`Self::DESCRIPTION`].
    pub fn from_settings(settings: &Settings) -> Self {
        Self::with(&EulerSettings::from_settings(settings))
    }

    fn with(settings: &EulerSettings) -> Self {
        let gyroscopic = match (settings.gyroscopic, settings.gyroscopic_rule) {
            (false, _) => GyroscopicTorque::None,
            (true, GyroscopicRule::Explicit) => GyroscopicTorque::Explicit,
            (true, GyroscopicRule::Midpoint) => GyroscopicTorque::Midpoint,
        };
        Self { orientation: settings.orientation, gyroscopic }
    }
}

impl MotionSolver for SemiImplicitEuler {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn kick(
        &self,
        configuration: &Configuration,
        state: &State,
        bodies: &[BodyIndex],
        wrenches: &[Wrench],
        h: Real,
        change: &mut [Twist],
    ) {
        for &b in bodies {
            let i = b.at();
            let properties = configuration.body(b);
            let (q, w) = (state.orientation[i], state.angular_velocity[i]);
            let mut wrench = wrenches[i];
            let turning = w != Vec3::ZERO && !properties.inertia.is_isotropic();
            if turning && self.gyroscopic == GyroscopicTorque::Explicit {
                wrench.torque -= w.cross(q * properties.inertia.mul_vec(q.conjugate() * w));
            }
            change[i] = impulse_change(properties, q, &wrench, h);
        }
    }

    fn drift(&self, configuration: &Configuration, state: &mut State, bodies: &[BodyIndex], h: Real) {
        for &b in bodies {
            let i = b.at();
            let properties = configuration.body(b);
            state.position[i] += state.linear_velocity[i] * h;
            let (q, w) = (state.orientation[i], state.angular_velocity[i]);
            let next = match (self.orientation, properties.spin_axis) {
                (OrientationUpdate::Infinitesimal, _) => rotate_infinitesimal(q, w, h),
                (OrientationUpdate::PartialFinite, Some(axis)) => rotate_partial_finite(q, w, q * axis, h),
                _ => rotate_finite(q, w, h),
            };
            state.orientation[i] = next;
            add_spin(state, b, self.spin_change(properties, next, w, h));
        }
    }

    fn spin_change(&self, body: &BodyProperties, orientation: Quat, angular_velocity: Vec3, h: Real) -> Vec3 {
        if self.gyroscopic != GyroscopicTorque::Midpoint || !tumbles(body, angular_velocity) {
            return Vec3::ZERO;
        }
        let inverse = &body.inverse_inertia;
        let p = body.inertia.mul_vec(orientation.conjugate() * angular_velocity);
        orientation * inverse.mul_vec(next_momentum(inverse, p, h) - p)
    }

    /// `w' x w''`, w'' along the spin axis and w' across it, if the update applies them one after the other: a spin that is done before the axle turns is
    /// equivalent to a steady velocity with that acceleration.
    fn drift_acceleration(&self, body: &BodyProperties, orientation: Quat, angular_velocity: Vec3) -> Vec3 {
        match (self.orientation, body.spin_axis) {
            (OrientationUpdate::PartialFinite, Some(axis)) => {
                let axis = orientation * axis;
                let along = axis * axis.dot(angular_velocity);
                (angular_velocity - along).cross(along)
            }
            _ => Vec3::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_geometry::Shape;
    use drystone_math::Pose;

    #[test]
    fn rows_are_told_how_the_partial_finite_update_turns_a_body() {
        let q = Quat::from_scaled_axis(Vec3::new(0.3, -0.7, 1.1));
        let (w, axis, arm) = (Vec3::new(3.0, 1.0, -2.0), Vec3::Y, Vec3::new(0.2, 0.5, -0.4));
        let mut body = BodyProperties::fixed(Shape::sphere(0.1).unwrap());
        body.spin_axis = Some(axis);
        let solver =
            SemiImplicitEuler { orientation: OrientationUpdate::PartialFinite, ..SemiImplicitEuler::default() };
        let at = |h: Real| rotate_partial_finite(q, w, q * axis, h) * arm;
        // both sides of the second derivative of an arm, twice what is left of the tangent over h^2
        let h = 1e-4;
        let bend = (at(h) - at(0.0) - w.cross(q * arm) * h) * (2.0 / (h * h));
        let steady = w.cross(w.cross(q * arm));
        let told = steady + solver.drift_acceleration(&body, q, w).cross(q * arm);
        assert!((bend - told).length() < 1e-2 && (bend - steady).length() > 1.0, "{bend} {told} {steady}");
        assert_eq!(SemiImplicitEuler::default().drift_acceleration(&body, q, w), Vec3::ZERO);
    }

    /// A wheel at 100 rad/s about its own axle, steered at 1 rad/s about the vertical for a second: the angle (rad) between its axle and
    /// where steering has it. `spin_axis` is what the body says of itself.
    fn axle_error(orientation: OrientationUpdate, spin_axis: Option<Vec3>) -> Real {
        let solver = SemiImplicitEuler { orientation, ..SemiImplicitEuler::default() };
        let mut body = BodyProperties::fixed(Shape::sphere(0.1).unwrap());
        body.spin_axis = spin_axis;
        let mut configuration = Configuration::default();
        configuration.bodies.push(body);
        let mut state = State::default();
        state.push(Pose::IDENTITY, Twist::ZERO);
        for _ in 0..100 {
            state.angular_velocity[0] = state.orientation[0] * Vec3::X * 100.0 + Vec3::Y;
            solver.drift(&configuration, &mut state, &[BodyIndex(0)], 0.01);
        }
        (state.orientation[0] * Vec3::X).angle_between(Quat::from_rotation_y(1.0) * Vec3::X)
    }

    #[test]
    fn a_body_with_a_spin_axis_keeps_its_axle() {
        let kept = axle_error(OrientationUpdate::PartialFinite, Some(Vec3::X));
        assert!(kept < 1e-4, "{kept}");
        // the controls: no axis to keep, another axis, another update
        for (update, axis) in [
            (OrientationUpdate::PartialFinite, None),
            (OrientationUpdate::PartialFinite, Some(Vec3::Z)),
            (OrientationUpdate::Finite, Some(Vec3::X)),
            (OrientationUpdate::Infinitesimal, Some(Vec3::X)),
        ] {
            let lost = axle_error(update, axis);
            assert!(lost > 0.1, "{update:?} {axis:?}: {lost}");
        }
    }
}
