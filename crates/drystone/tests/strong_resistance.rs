//! Forces that depend on velocity are stable at any step: they end a motion, and never turn it round.

use drystone::prelude::*;
use drystone_core::{Configuration, State};
use drystone_math::Wrench;
use drystone_motion::force::{CustomField, Drag};
use drystone_testkit::Random;

fn ball(world: &mut World, mass: f64, velocity: Vec3) -> BodyId {
    let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(mass);
    world.add(ball.linear_velocity(velocity).angular_velocity([0.0, 5.0, 0.0])).unwrap()
}

/// Random drag, from gentle to a million times what an explicit step bears, on a body that is thrown: it slows down at each step, keeps its direction, and ends
/// where the equation of motion has it. The same force as a closure.
#[test]
fn drag_of_any_strength_slows_down_and_never_turns_round() {
    for paradigm in Paradigm::ALL.iter().filter(|p| p.name != Paradigm::FIRST_ORDER.name) {
        let mut random = Random::new(9);
        for k in 0..8 {
            let (mass, speed, h) = (random.range(0.005, 2.0), random.range(1.0, 30.0), random.range(0.002, 0.03));
            // how many times the stable step one step is
            let stiffness = 10f64.powf(random.range(-2.0, 6.0));
            let quadratic = stiffness * mass / (h * speed);
            let mut world = World::builder().paradigm(*paradigm).gravity([0.0; 3]).build().unwrap();
            let thrown = random.direction() * speed;
            let body = ball(&mut world, mass, thrown);
            if k % 2 == 0 {
                let angular = stiffness * 0.004 * mass / h;
                world.add_force(Drag { quadratic, angular, ..Drag::default() });
            } else {
                world.add_force(CustomField(move |_: &Configuration, state: &State, wrenches: &mut [Wrench]| {
                    let v = state.linear_velocity[0];
                    wrenches[0].force -= v * (quadratic * v.length());
                }));
            }
            let mut last = speed;
            let steps = 40;
            for _ in 0..steps {
                world.advance(h).unwrap_or_else(|e| panic!("{}: {e}", paradigm.name));
                let v = world.velocity(body).unwrap();
                let along = v.linear.dot(thrown) / speed;
                assert!(along > 0.0 && along <= last, "{}: {last} to {along} m/s", paradigm.name);
                assert!(v.angular.y >= 0.0 && v.angular.y <= 5.0 + 1e-9, "{}: {} rad/s", paradigm.name, v.angular);
                last = along;
            }
            let right = speed / (1.0 + stiffness * f64::from(steps));
            // implicit steps are of order one, and Runge-Kutta stages of none where the step is too large
            assert!((last / right - 1.0).abs() < 0.5, "{}: {last} m/s, right {right}", paradigm.name);
        }
    }
}

/// A parachute reaches its terminal velocity at any step.
#[test]
fn what_falls_reaches_its_terminal_velocity() {
    let mut random = Random::new(10);
    for paradigm in Paradigm::ALL.iter().filter(|p| p.name != Paradigm::FIRST_ORDER.name) {
        let (mass, terminal, h) = (random.range(0.01, 1.0), 10f64.powf(random.range(-2.0, 0.5)), 1.0 / 60.0);
        let mut world = World::builder().paradigm(*paradigm).build().unwrap();
        let body = ball(&mut world, mass, Vec3::ZERO);
        world.add_force(Drag { quadratic: mass * 9.81 / (terminal * terminal), ..Drag::default() });
        for _ in 0..120 {
            world.advance(h).unwrap();
        }
        let v = -world.velocity(body).unwrap().linear.y;
        assert!((v / terminal - 1.0).abs() < 0.02, "{}: {v} m/s, right {terminal}", paradigm.name);
    }
}

/// A resistance that is taken away leaves nothing behind, whatever bodies come afterwards: they fall freely.
#[test]
fn a_resistance_that_is_gone_leaves_nothing_behind() {
    for paradigm in Paradigm::ALL.iter().filter(|p| p.name != Paradigm::FIRST_ORDER.name) {
        let mut world = World::builder().paradigm(*paradigm).build().unwrap();
        ball(&mut world, 1.0, Vec3::X);
        let drag = world.add_force(Drag { quadratic: 100.0, ..Drag::default() });
        world.advance(0.01).unwrap();
        world.remove_force(drag).unwrap();
        let later: Vec<_> = [3.0, 6.0, 9.0]
            .map(|x| {
                let added = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(1.0).at([x, 0.0, 0.0]);
                world.add(added).unwrap()
            })
            .into();
        for _ in 0..10 {
            world.advance(0.01).unwrap_or_else(|e| panic!("{}: {e}", paradigm.name));
        }
        for body in later {
            let v = world.velocity(body).unwrap().linear;
            assert!((v - Vec3::NEG_Y * 0.981).length() < 1e-9, "{}: {v}", paradigm.name);
        }
    }
}

/// A force that is not finite is named.
#[test]
fn a_failure_names_the_force() {
    let mut world = World::builder().build().unwrap();
    ball(&mut world, 1.0, Vec3::X);
    world.add_force(Drag { viscous: 0.1, ..Drag::default() });
    world.add_force(CustomField(|_: &Configuration, state: &State, wrenches: &mut [Wrench]| {
        wrenches[0].force.x += if state.time > 0.1 { f64::NAN } else { 0.0 };
    }));
    let failure = (0..20).find_map(|_| world.advance(1.0 / 60.0).err()).unwrap();
    assert!(failure.to_string().contains("force 1 "), "{failure}");
}
