//! No point of connected bodies moves faster than it would with all of their energy.

use drystone_core::{BodyIndex, BodyProperties, Configuration, LinkageBound, State};
use drystone_geometry::Shape;
use drystone_math::{Pose, Real, Twist, Vec3};

/// Balls of 1 and 3 kg and of radius 0.5 m, with these velocities.
fn balls(velocities: [Twist; 2]) -> (Configuration, State) {
    let (mut c, mut s) = (Configuration::default(), State::default());
    c.gravity = Vec3::NEG_Y * 9.81;
    for (mass, velocity) in [1.0, 3.0].into_iter().zip(velocities) {
        let shape = Shape::sphere(0.5).unwrap();
        let volume = core::f64::consts::PI / 6.0;
        let properties = shape.mass_properties(mass / volume).unwrap();
        c.bodies.push(BodyProperties::dynamic(shape, &properties).unwrap());
        s.push(Pose::IDENTITY, velocity);
    }
    (c, s)
}

const BOTH: [BodyIndex; 2] = [BodyIndex(0), BodyIndex(1)];

/// 1/m + r^2 / I of a solid ball of this mass, of which r^2 / I is 5 / (2 m).
fn yields(mass: Real) -> Real {
    1.0 / mass + 2.5 / mass
}

#[test]
fn in_flight_the_common_motion_is_none_of_the_energy() {
    let (v, w) = (Vec3::new(3.0, -2.0, 1.0), Vec3::X * 2.0);
    let (c, s) = balls([Twist::new(v + Vec3::X * 6.0, w), Twist::new(v - Vec3::X * 2.0, Vec3::ZERO)]);
    // energy of the motion about the common centre of mass: (1 x 36 + 3 x 4 + 0.1 x 4) / 2
    let energy = 0.5 * (36.0 + 12.0 + 0.1 * 4.0);
    let linkage = LinkageBound::of(&c, &s, &BOTH, false);
    for (k, mass) in [1.0, 3.0].into_iter().enumerate() {
        let bound = linkage.body(&c.bodies[k]);
        assert!((bound.velocity - v).length() < 1e-12 && bound.acceleration == c.gravity && bound.growth == 0.0);
        // the share that this body can take of it, while the others move the opposite way
        let spin = (2.0 * energy * (yields(mass) - 1.0 / 4.0)).sqrt();
        assert!((bound.spin - spin).abs() < 1e-9, "{} for {spin}", bound.spin);
    }
}

#[test]
fn what_is_held_has_all_of_it_and_what_gravity_adds() {
    let v = Vec3::new(3.0, -2.0, 1.0);
    let (c, s) = balls([Twist::new(v, Vec3::ZERO); 2]);
    let energy = 0.5 * 4.0 * 14.0;
    let held = LinkageBound::of(&c, &s, &BOTH, true).with_energy(5.0);
    // a torque of 7 N m between the two balls: I = 0.1 and 0.3 kg m^2
    let driven = held.driven(7.0, [Some(&c.bodies[0]), Some(&c.bodies[1])]);
    let drive = 7.0 * (1.0 / 0.1 + 1.0 / 0.3_f64).sqrt();
    for (k, mass) in [1.0, 3.0].into_iter().enumerate() {
        let (bound, with_drive) = (held.body(&c.bodies[k]), driven.body(&c.bodies[k]));
        let spin = (2.0 * (energy + 5.0) * yields(mass)).sqrt();
        assert!((bound.spin - spin).abs() < 1e-9, "{} for {spin}", bound.spin);
        assert!((bound.growth - 9.81 * (4.0 * yields(mass)).sqrt()).abs() < 1e-9, "{bound:?}");
        assert!((with_drive.growth - bound.growth - drive * yields(mass).sqrt()).abs() < 1e-9, "{with_drive:?}");
    }
}

/// If the axes are not principal ones, the tensor is bounded from above by its Frobenius norm.
#[test]
fn axes_that_are_not_principal_ones_make_the_bound_no_less() {
    let (mut c, s) = balls([Twist::new(Vec3::ZERO, Vec3::Z), Twist::ZERO]);
    let own = c.bodies[0].inverse_inertia.diagonal.x;
    c.bodies[0].inverse_inertia.off_diagonal = Vec3::new(0.5 * own, 0.0, 0.0);
    let frobenius = own * (3.0 + 2.0 * 0.25_f64).sqrt();
    let bound = LinkageBound::of(&c, &s, &BOTH, true).body(&c.bodies[0]);
    let energy = 0.5 * 0.1;
    let spin = (2.0 * energy * (1.0 + 0.25 * frobenius)).sqrt();
    assert!((bound.spin - spin).abs() < 1e-9, "{} for {spin}", bound.spin);
}
