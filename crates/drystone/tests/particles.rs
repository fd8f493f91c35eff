//! Particles through the seams made for rigid bodies (A-30, P-24): time control, contact graph and complementarity problem do not need rotations.

use drystone::prelude::*;

const DT: f64 = 0.002;

/// A ball with friction on a slope. Returns its speed (m/s) and spin (rad/s) after a second.
fn down_a_slope(paradigm: Paradigm, turns: bool, inertia: f64, degrees: f64, friction: f64) -> (f64, f64) {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let gravity = [9.81 * sin, -9.81 * cos, 0.0];
    let mut world = World::builder().paradigm(paradigm).gravity(gravity).build().unwrap();
    let surface = Material { friction, restitution: 0.0, ..Material::default() };
    let material = world.add_material(surface).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(material)).unwrap();
    let body = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(2.0).inertia([inertia; 3]).locked(false, !turns);
    let id = world.add(body.at([0.0, 0.1, 0.0]).material(material)).unwrap();
    for _ in 0..500 {
        world.advance(DT).unwrap();
    }
    let velocity = world.velocity(id).unwrap();
    (velocity.linear.x, velocity.angular.length())
}

#[test]
fn a_particle_slides_where_a_ball_rolls() {
    // a particle slides with g (sin - mu cos), whatever its inertia; a ball with 2/5 m r^2 rolls with g sin / 1.4
    let (sin, cos) = 30.0_f64.to_radians().sin_cos();
    let (slides, rolls) = (9.81 * (sin - 0.3 * cos), 9.81 * sin / 1.4);
    for paradigm in [Paradigm::VELOCITY_LCP, Paradigm::REAL_TIME, Paradigm::MECHANISM, Paradigm::TIMEWARP] {
        let name = paradigm.name;
        let (speed, spin) = down_a_slope(paradigm, false, 0.008, 30.0, 0.3);
        assert!((speed - slides).abs() < 0.01 * slides && spin == 0.0, "{name}: {speed} {spin}, expected {slides}");
        let (other, _) = down_a_slope(paradigm, false, 80.0, 30.0, 0.3);
        assert!(other.to_bits() == speed.to_bits(), "{name}: {other} {speed}");
        let (speed, spin) = down_a_slope(paradigm, true, 0.008, 30.0, 0.3);
        assert!((speed - rolls).abs() < 0.01 * rolls && spin > 30.0, "{name}: {speed} {spin}, expected {rolls}");
    }
}
