//! Energy, momenta and joint errors of a state.

use drystone_core::{BodyFrame, BodyIndex, Configuration, JointError, State};
use drystone_math::{Pose, Twist, Vec3};

/// Kinetic energy of the dynamic bodies (J).
pub fn kinetic_energy(configuration: &Configuration, state: &State) -> f64 {
    let mut sum = 0.0;
    for (i, body) in configuration.bodies.iter().enumerate().filter(|(_, b)| b.is_dynamic()) {
        let w = state.orientation[i].conjugate() * state.angular_velocity[i];
        sum += 0.5 * (body.mass * state.linear_velocity[i].length_squared() + body.inertia.quadratic(w));
    }
    sum
}

/// Potential energy of the dynamic bodies in uniform gravity, zero at the world's origin, and of the force fields
/// that have one (J).
pub fn potential_energy(configuration: &Configuration, state: &State) -> f64 {
    let mut sum = 0.0;
    for (i, body) in configuration.bodies.iter().enumerate().filter(|(_, b)| b.is_dynamic()) {
        sum -= body.mass * configuration.gravity.dot(state.position[i]);
    }
    sum + configuration.forces.iter().map(|f| f.potential(configuration, state)).sum::<f64>()
}

/// Linear (kg m/s) and angular momentum (kg m^2/s) of the dynamic bodies about the world's origin.
pub fn momentum(configuration: &Configuration, state: &State) -> [Vec3; 2] {
    let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
    for (i, body) in configuration.bodies.iter().enumerate().filter(|(_, b)| b.is_dynamic()) {
        let q = state.orientation[i];
        let p = body.mass * state.linear_velocity[i];
        let spin = q * body.inertia.mul_vec(q.conjugate() * state.angular_velocity[i]);
        linear += p;
        angular += state.position[i].cross(p) + spin;
    }
    [linear, angular]
}

/// The largest gap and the largest misalignment of all joints.
pub fn joint_error(configuration: &Configuration, state: &State) -> JointError {
    let world = BodyFrame { pose: Pose::IDENTITY, velocity: Twist::default() };
    let frame =
        |b: Option<BodyIndex>| b.map_or(world, |b| BodyFrame { pose: state.pose(b), velocity: state.velocity(b) });
    let mut worst = JointError::default();
    for joint in &configuration.joints {
        let (a, b) = (frame(joint.bodies[0]), frame(joint.bodies[1]));
        let e = joint.source.error([&a, &b]);
        worst.linear = worst.linear.max(e.linear);
        worst.angular = worst.angular.max(e.angular);
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::BodyProperties;
    use drystone_geometry::Shape;
    use drystone_math::Quat;

    #[test]
    fn of_a_turning_box() {
        let shape = Shape::cuboid(0.5, 1.0, 1.5).unwrap();
        let mass = shape.mass_properties(2.0).unwrap();
        let configuration = Configuration {
            bodies: vec![BodyProperties::dynamic(shape, &mass).unwrap()],
            gravity: Vec3::new(0.0, -10.0, 0.0),
            ..Configuration::default()
        };
        let mut state = State::default();
        // a quarter turn about z: the body's x axis points along the world's y
        let q = Quat::from_rotation_z(core::f64::consts::FRAC_PI_2);
        let velocity = Twist::new(Vec3::new(3.0, 0.0, 0.0), Vec3::new(0.0, 2.0, 0.0));
        state.push(Pose::new(Vec3::new(0.0, 5.0, 0.0), q), velocity);
        let (m, ixx) = (12.0, 12.0 / 3.0 * (1.0 + 2.25));
        assert!((kinetic_energy(&configuration, &state) - (0.5 * m * 9.0 + 0.5 * ixx * 4.0)).abs() < 1e-12);
        assert!((potential_energy(&configuration, &state) - m * 50.0).abs() < 1e-12);
        let [p, l] = momentum(&configuration, &state);
        assert!((p - Vec3::new(36.0, 0.0, 0.0)).length() < 1e-12);
        assert!((l - Vec3::new(0.0, 2.0 * ixx, -180.0)).length() < 1e-12);
    }
}
