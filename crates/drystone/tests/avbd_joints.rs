//! Motors, limits and springs of joints under `avbd`, against closed forms.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::catalogue::Value;
use drystone_joints::{Motor, Spring};

const G: f64 = 9.81;
const H: f64 = 0.01;

fn world(gravity: f64, settings: &[(&str, Value)]) -> World {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    let choice = ModuleChoice { kind: ModuleKind::ConstraintSolver, name: None, settings };
    World::builder().paradigm(Paradigm::AVBD).gravity([0.0, -gravity, 0.0]).choose(choice).build().unwrap()
}

fn cube(mass: f64) -> Body {
    Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(mass)
}

fn run(world: &mut World, seconds: f64) {
    for _ in 0..(seconds / H).round() as usize {
        world.advance(H).unwrap();
    }
}

fn near(found: f64, wanted: f64, tolerance: f64, what: &str) {
    assert!((found - wanted).abs() <= tolerance, "{what}: {found}, expected {wanted}");
}

#[test]
fn a_slider_motor_accelerates_by_its_force_and_keeps_its_speed() {
    let motor = Motor::Velocity { velocity: 1.0, max_force: 4.0 };
    for (kind, seconds, wanted) in [("early", 0.3, 0.6), ("there", 1.0, 1.0), ("stays", 5.0, 1.0)] {
        let mut w = world(0.0, &[]);
        let body = w.add(cube(2.0)).unwrap();
        w.join(Joint::slider(Joint::WORLD, body).axis(Vec3::X).motor(motor)).unwrap();
        run(&mut w, seconds);
        near(w.velocity(body).unwrap().linear.x, wanted, 1e-6, kind);
    }
    // a load above its force moves it with the difference: 20 N of weight against 4 N of motor
    let mut w = world(G, &[]);
    let body = w.add(cube(2.0)).unwrap();
    w.join(Joint::slider(Joint::WORLD, body).axis(Vec3::Y).motor(motor)).unwrap();
    run(&mut w, 0.5);
    near(w.velocity(body).unwrap().linear.y, -(G - 2.0) * 0.5, 1e-6, "stalls");
    // a load below its force is lifted at the motor's speed
    let strong = Motor::Velocity { velocity: 0.5, max_force: 40.0 };
    let mut w = world(G, &[]);
    let body = w.add(cube(2.0)).unwrap();
    w.join(Joint::slider(Joint::WORLD, body).axis(Vec3::Y).motor(strong)).unwrap();
    run(&mut w, 1.0);
    near(w.velocity(body).unwrap().linear.y, 0.5, 1e-6, "lifts");
}

#[test]
fn a_hinge_motor_turns_a_wheel_by_its_torque() {
    // inertia of a unit cube of 6 kg: 1 kg m^2
    let motor = Motor::Velocity { velocity: 3.0, max_force: 2.0 };
    for (seconds, wanted) in [(1.0, 2.0), (2.0, 3.0)] {
        let mut w = world(0.0, &[]);
        let body = w.add(cube(6.0)).unwrap();
        w.join(Joint::hinge(Joint::WORLD, body).anchor(Vec3::ZERO).axis(Vec3::Z).motor(motor)).unwrap();
        run(&mut w, seconds);
        near(w.velocity(body).unwrap().angular.z, wanted, 1e-6, "spin");
        assert!(w.position(body).unwrap().length() < 1e-6);
    }
}

#[test]
fn a_servo_holds_its_place_within_its_force() {
    for (force, holds) in [(30.0, true), (10.0, false)] {
        let mut w = world(G, &[]);
        let body = w.add(cube(2.0)).unwrap();
        let servo = Motor::Position { target: 0.4, max_force: force };
        w.join(Joint::slider(Joint::WORLD, body).axis(Vec3::Y).motor(servo)).unwrap();
        run(&mut w, 3.0);
        let y = w.position(body).unwrap().y;
        assert_eq!((y - 0.4).abs() < 1e-3, holds, "{force} N against {} N: {y}", 2.0 * G);
        if !holds {
            near(w.velocity(body).unwrap().linear.y, -(G - 5.0) * 3.0, 1e-4, "gives way");
        }
    }
}

/// The row of a servo is neither a position row nor a velocity row, so every preset that takes joints has to handle it.
#[test]
fn a_servo_holds_its_place_under_every_preset_that_takes_joints() {
    let mut wrong = Vec::new();
    for paradigm in Paradigm::ALL.iter().filter(|p| p.name != "first-order") {
        let mut w = World::builder().paradigm(*paradigm).gravity([0.0, -G, 0.0]).build().unwrap();
        let body = w.add(cube(2.0)).unwrap();
        let servo = Motor::Position { target: 0.4, max_force: 30.0 };
        w.join(Joint::slider(Joint::WORLD, body).axis(Vec3::Y).motor(servo)).unwrap();
        let refused = (0..300).find_map(|_| w.advance(H).err());
        let y = w.position(body).unwrap().y;
        println!("{:26} {y} {refused:?}", paradigm.name);
        if refused.is_none() && (y - 0.4).abs() > 5e-3 {
            wrong.push((paradigm.name, y));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn limits_stop_a_slider_and_a_hinge_and_let_go() {
    let mut w = world(0.0, &[]);
    let body = w.add(cube(2.0).linear_velocity([1.0, 0.0, 0.0])).unwrap();
    w.join(Joint::slider(Joint::WORLD, body).axis(Vec3::X).limits(-0.2, 0.3)).unwrap();
    run(&mut w, 0.25);
    near(w.position(body).unwrap().x, 0.25, 1e-9, "free within its limits");
    run(&mut w, 1.0);
    near(w.position(body).unwrap().x, 0.3, 1e-4, "stopped");
    near(w.velocity(body).unwrap().linear.x, 0.0, 1e-4, "at rest");
    // the limit does not hold it back
    w.set_velocity(body, Twist::new(Vec3::X * -1.0, Vec3::ZERO)).unwrap();
    run(&mut w, 0.2);
    near(w.position(body).unwrap().x, 0.1, 1e-3, "leaves");
    // an arm falls onto its limit and rests there
    let mut w = world(G, &[]);
    let arm = w.add(cube(2.0).at([2.0, 0.0, 0.0])).unwrap();
    w.join(Joint::hinge(Joint::WORLD, arm).anchor(Vec3::ZERO).axis(Vec3::Z).limits(-0.5, 0.5)).unwrap();
    run(&mut w, 4.0);
    let p = w.position(arm).unwrap();
    near(p.y.atan2(p.x), -0.5, 1e-3, "angle");
    assert!(w.velocity(arm).unwrap().angular.length() < 1e-3, "{:?}", w.velocity(arm));
}

#[test]
fn springs_swing_by_implicit_euler_and_bear_their_load() {
    // k = 50 N/m under 2 kg from 0.2 m: v' = (v - h k x / m) / (1 + h^2 k / m + h c / m), x' = x + h v'
    for damping in [0.0, 3.0] {
        let (m, k) = (2.0, 50.0);
        let mut w = world(0.0, &[]);
        let body = w.add(cube(m)).unwrap();
        let spring = Spring { stiffness: k, damping, rest: 0.2 };
        w.join(Joint::slider(Joint::WORLD, body).axis(Vec3::X).spring(spring)).unwrap();
        let (mut x, mut v) = (-0.2, 0.0);
        for step in 0..200 {
            w.advance(H).unwrap();
            v = (v - H * k * x / m) / (1.0 + H * H * k / m + H * damping / m);
            x += H * v;
            near(w.position(body).unwrap().x, 0.2 + x, 1e-6, &format!("damping {damping}, step {step}"));
        }
    }
    let mut w = world(G, &[]);
    let body = w.add(cube(2.0)).unwrap();
    let spring = Spring { stiffness: 200.0, damping: 20.0, rest: 0.0 };
    w.join(Joint::slider(Joint::WORLD, body).axis(Vec3::Y).spring(spring)).unwrap();
    run(&mut w, 5.0);
    near(w.position(body).unwrap().y, -2.0 * G / 200.0, 1e-6, "hangs");
}

#[test]
fn joint_friction_slows_down_evenly_and_holds() {
    let mut w = world(0.0, &[]);
    let body = w.add(cube(6.0).angular_velocity([0.0, 0.0, 3.0])).unwrap();
    w.join(Joint::hinge(Joint::WORLD, body).anchor(Vec3::ZERO).axis(Vec3::Z).friction(1.5)).unwrap();
    run(&mut w, 1.0);
    near(w.velocity(body).unwrap().angular.z, 1.5, 1e-6, "slowed by 1.5 rad/s^2");
    run(&mut w, 1.5);
    near(w.velocity(body).unwrap().angular.z, 0.0, 1e-6, "stopped");
}

#[test]
fn a_joint_bears_what_hangs_on_it() {
    let mut w = world(G, &[]);
    let body = w.add(cube(3.0).at([1.0, 0.0, 0.0])).unwrap();
    let weld = w.join(Joint::fixed(Joint::WORLD, body)).unwrap();
    run(&mut w, 2.0);
    let found = w.joint_reaction(weld).unwrap();
    near(found.force.length(), 3.0 * G, 1e-3 * 3.0 * G, "force");
    assert!((w.position(body).unwrap() - Vec3::X).length() < 1e-5);
    // with springs instead of multipliers the joint gives way
    let mut w = world(G, &[("dual_update", Value::Bool(false))]);
    let body = w.add(cube(3.0).at([1.0, 0.0, 0.0])).unwrap();
    w.join(Joint::fixed(Joint::WORLD, body)).unwrap();
    run(&mut w, 2.0);
    assert!((w.position(body).unwrap() - Vec3::X).length() > 1e-4);
}
