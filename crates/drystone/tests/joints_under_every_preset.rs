//! Joints, motors, springs and dry friction against the simplest closed forms, under every preset that takes joints.

use drystone::prelude::*;
use drystone_joints::{JointDescription, Motor, Spring};
use drystone_motion::force::SpringDamper;
use std::f64::consts::TAU;

const G: f64 = 9.81;
const H: f64 = 0.01;

/// Presets with inertia that take joints.
fn presets() -> impl Iterator<Item = Paradigm> {
    let without = [Paradigm::FIRST_ORDER, Paradigm::IMPULSE, Paradigm::PENALTY, Paradigm::POSITION_NCP];
    Paradigm::ALL.iter().copied().filter(move |p| !without.contains(p))
}

fn world(paradigm: Paradigm, gravity: f64) -> World {
    World::builder().paradigm(paradigm).gravity(Vec3::NEG_Y * gravity).build().unwrap()
}

fn block(world: &mut World, mass: f64, at: Vec3) -> BodyId {
    world.add(Body::dynamic(Shape::cuboid(0.2, 0.2, 0.2).unwrap()).mass(mass).at(at)).unwrap()
}

fn join(world: &mut World, bodies: [Option<BodyId>; 2], description: &JointDescription<'_>) -> JointId {
    let poses = bodies.map(|b| b.map_or(Pose::IDENTITY, |b| world.pose(b).unwrap()));
    world.add_joint(bodies, drystone_joints::build(description, &poses[0], &poses[1]).unwrap()).unwrap()
}

fn on(kind: &str, anchor: Vec3, axis: Vec3) -> JointDescription<'_> {
    JointDescription { anchor: Some(anchor), axis: Some(axis), ..JointDescription::new(kind) }
}

fn run(world: &mut World, seconds: f64) {
    for _ in 0..(seconds / H).round() as usize {
        world.advance(H).unwrap();
    }
}

/// Asserts that `found` equals `wanted` up to the fraction `allowed`.
fn near(paradigm: Paradigm, what: &str, [found, wanted]: [f64; 2], allowed: f64) {
    let off = (found - wanted).abs() / wanted.abs();
    assert!(off < allowed, "{}: {what} {found} for {wanted}", paradigm.name);
}

/// A nut on a thread along y falls with `g / (1 + I k^2 / m)`, where k is the turn per metre (rad/m), and turns at k times its speed.
#[test]
fn a_nut_falls_along_its_thread() {
    for paradigm in presets() {
        let mut world = world(paradigm, G);
        let nut = block(&mut world, 2.0, Vec3::ZERO);
        let (inertia, turn) = (2.0 * 0.4 * 0.4 / 6.0, TAU / 0.5);
        join(&mut world, [None, Some(nut)], &JointDescription { lead: Some(0.5), ..on("screw", Vec3::ZERO, Vec3::Y) });
        run(&mut world, 1.0);
        let Twist { linear, angular } = world.velocity(nut).unwrap();
        near(paradigm, "speed", [-linear.y, G / (1.0 + inertia * turn * turn / 2.0)], 1e-3);
        near(paradigm, "turn", [angular.y / linear.y, turn], 1e-6);
    }
}

/// Two wheels that mesh and touch: with half as many teeth on the first, `a = t / (I_1 + I_2 / 4)`. The axles could press the wheels together with
/// any force, but do not.
#[test]
fn wheels_that_touch_turn_by_their_teeth() {
    for paradigm in presets() {
        let mut world = world(paradigm, 0.0);
        let wheel = |radius, mass, x| Body::dynamic(Shape::cylinder(radius, 0.1).unwrap()).mass(mass).at(Vec3::X * x);
        let wheels = [wheel(0.5, 2.0, 0.0), wheel(1.0, 3.0, 1.5)].map(|b| world.add(b).unwrap());
        for (wheel, x) in wheels.into_iter().zip([0.0, 1.5]) {
            join(&mut world, [None, Some(wheel)], &on("hinge", Vec3::X * x, Vec3::Y));
        }
        let teeth = JointDescription { teeth: Some([20, 40]), axis2: Some(Vec3::Y), ..on("gear", Vec3::ZERO, Vec3::Y) };
        join(&mut world, wheels.map(Some), &teeth);
        let mut told = 0;
        for _ in 0..100 {
            world.apply_torque(wheels[0], Vec3::Y).unwrap();
            told += u32::from(world.advance(H).unwrap().converged == Some(false));
        }
        let [a, b] = wheels.map(|w| world.velocity(w).unwrap().angular.y);
        let wanted = 1.0 / (0.5 * 2.0 * 0.25 + 0.5 * 3.0 / 4.0);
        near(paradigm, "first wheel", [a, wanted], 1e-3);
        near(paradigm, "second wheel", [b, -0.5 * wanted], 1e-3);
        // rounding does not count as a lack of convergence, even without gravity
        assert_eq!(told, 0, "{}: steps told as not converged", paradigm.name);
    }
}

/// Two weights on a cord over two wheels: directly, and as a tackle in which the second weight hangs on a doubled part.
#[test]
fn weights_over_wheels_move_as_the_cord_says() {
    for paradigm in presets() {
        for (ratio, masses) in [(1.0, [2.0, 3.0]), (2.0, [1.0, 3.0])] {
            let mut world = world(paradigm, G);
            let [a, b] = [Vec3::NEG_X, Vec3::X];
            let weights = [block(&mut world, masses[0], a), block(&mut world, masses[1], b)];
            let cord = JointDescription {
                anchor: Some(a),
                anchor2: Some(b),
                pulleys: Some([a + Vec3::Y * 5.0, b + Vec3::Y * 5.0]),
                ratio: Some(ratio),
                ..JointDescription::new("pulley")
            };
            join(&mut world, weights.map(Some), &cord);
            run(&mut world, 1.0);
            let tension = G * (1.0 + ratio) / (1.0 / masses[0] + ratio * ratio / masses[1]);
            let rise = tension / masses[0] - G;
            let [first, second] = weights.map(|w| world.velocity(w).unwrap().linear.y);
            near(paradigm, "first weight", [first, rise], 1e-3);
            near(paradigm, "second weight", [second, -rise / ratio], 1e-3);
        }
    }
}

/// A motor lifts a weight with `(F - m g) / m` until it reaches its speed; one too weak to hold the weight lets it fall with `g - F / m`.
#[test]
fn motors_do_what_their_force_allows() {
    for paradigm in presets() {
        for (velocity, max_force, wanted) in [(1.0, 15.0, 1.0 - 0.5 / (15.0 - G)), (0.0, 5.0, -0.5 * (G - 5.0))] {
            let mut world = world(paradigm, G);
            let weight = block(&mut world, 1.0, Vec3::ZERO);
            let motor = Some(Motor::Velocity { velocity, max_force });
            join(&mut world, [None, Some(weight)], &JointDescription { motor, ..on("slider", Vec3::ZERO, Vec3::Y) });
            run(&mut world, 1.0);
            near(paradigm, "way", [world.position(weight).unwrap().y, wanted], 0.02);
        }
    }
}

/// A servo reaches its target and holds a weight there.
#[test]
fn a_servo_holds_its_place() {
    for paradigm in presets() {
        let mut world = world(paradigm, G);
        let weight = block(&mut world, 1.0, Vec3::ZERO);
        let motor = Some(Motor::Position { target: 0.5, max_force: 50.0 });
        join(&mut world, [None, Some(weight)], &JointDescription { motor, ..on("slider", Vec3::ZERO, Vec3::Y) });
        run(&mut world, 3.0);
        near(paradigm, "place", [world.position(weight).unwrap().y, 0.5], 1e-3);
    }
}

/// Dry friction in a slider holds a weight smaller than the friction force in place, and takes its share of a heavier one.
#[test]
fn dry_friction_of_a_slider_holds_or_slows() {
    for paradigm in presets() {
        for (friction, wanted) in [(10.0, 0.0), (5.0, G - 5.0)] {
            let mut world = world(paradigm, G);
            let weight = block(&mut world, 1.0, Vec3::ZERO);
            join(&mut world, [None, Some(weight)], &JointDescription { friction, ..on("slider", Vec3::ZERO, Vec3::Y) });
            run(&mut world, 1.0);
            let (speed, way) = (-world.velocity(weight).unwrap().linear.y, -world.position(weight).unwrap().y);
            assert!((speed - wanted).abs() < 1e-3 * G, "{}: {speed} m/s for {wanted}", paradigm.name);
            assert!(wanted > 0.0 || way.abs() < 1e-4, "{}: crept {way} m", paradigm.name);
        }
    }
}

/// A weight on the spring of a slider sags by m g / k.
#[test]
fn a_spring_gives_way_by_the_weight_over_its_stiffness() {
    for paradigm in presets() {
        let mut world = world(paradigm, G);
        let weight = block(&mut world, 1.0, Vec3::ZERO);
        let spring = Some(Spring { stiffness: 100.0, damping: 5.0, rest: 0.0 });
        join(&mut world, [None, Some(weight)], &JointDescription { spring, ..on("slider", Vec3::ZERO, Vec3::Y) });
        run(&mut world, 4.0);
        near(paradigm, "sag", [world.position(weight).unwrap().y, -G / 100.0], 2e-3);
    }
}

/// Two shafts at 40 degrees with a universal joint between them, over-constrained: the second turns at between cos 40 and 1 / cos 40 of the first's
/// speed.
#[test]
fn a_universal_joint_hands_on_a_speed_that_goes_up_and_down() {
    let angle = 40_f64.to_radians();
    let along = Vec3::new(angle.cos(), 0.0, angle.sin());
    for paradigm in presets() {
        let mut world = world(paradigm, 0.0);
        let first = block(&mut world, 1.0, Vec3::X * -0.5);
        let second = Body::dynamic(Shape::cuboid(0.2, 0.2, 0.2).unwrap()).mass(1.0).at(along * 0.5);
        let second = world.add(second.oriented(Quat::from_rotation_y(-angle))).unwrap();
        let motor = Some(Motor::Velocity { velocity: 5.0, max_force: 1e4 });
        join(&mut world, [None, Some(first)], &JointDescription { motor, ..on("hinge", Vec3::X * -0.5, Vec3::X) });
        join(&mut world, [None, Some(second)], &on("cylindrical", along * 0.5, along));
        let cross = JointDescription {
            axis2: Some(Vec3::new(-angle.sin(), 0.0, angle.cos())),
            ..on("universal", Vec3::ZERO, Vec3::Y)
        };
        join(&mut world, [Some(first), Some(second)], &cross);
        run(&mut world, 0.5);
        let mut range = [f64::INFINITY, 0.0];
        for _ in 0..150 {
            world.advance(H).unwrap();
            let ratio = world.velocity(second).unwrap().angular.dot(along) / world.velocity(first).unwrap().angular.x;
            range = [ratio.min(range[0]), ratio.max(range[1])];
        }
        near(paradigm, "least ratio", [range[0], angle.cos()], 5e-3);
        near(paradigm, "largest ratio", [range[1], 1.0 / angle.cos()], 5e-3);
    }
}

/// A spring added as a force holds a ball m g / k below its end, also under presets that take no joints.
#[test]
fn a_spring_among_the_forces_holds_a_weight_under_every_preset() {
    for &paradigm in Paradigm::ALL.iter().filter(|p| p.name != Paradigm::FIRST_ORDER.name) {
        let mut world = world(paradigm, G);
        let ball = world.add(Body::dynamic(Shape::sphere(0.1).unwrap()).mass(1.0)).unwrap();
        let index = world.body_index(ball).unwrap();
        world.add_force(SpringDamper::mouse(index, Vec3::ZERO, Vec3::ZERO, 100.0, 5.0, f64::INFINITY));
        run(&mut world, 4.0);
        near(paradigm, "sag", [world.position(ball).unwrap().y, -G / 100.0], 5e-3);
    }
}
