//! Springs and dampers of joints against closed forms.

use drystone::Paradigm;
use drystone::prelude::*;
use drystone_joints::{JointDescription, Spring};

const MASS: f64 = 1.0;

/// Displacement and energy after `steps` steps of `h` seconds of a mass on a slider's spring, let go at 0.5 m.
fn slide(paradigm: Paradigm, stiffness: f64, damping: f64, h: f64, steps: usize) -> (f64, f64) {
    let mut world = World::builder().paradigm(paradigm).gravity(Vec3::ZERO).build().unwrap();
    let body = world.add(Body::dynamic(Shape::cuboid(0.1, 0.1, 0.1).unwrap()).mass(MASS)).unwrap();
    let spring = Some(Spring { stiffness, damping, rest: -0.5 });
    let slider = JointDescription { axis: Some(Vec3::X), spring, ..JointDescription::new("slider") };
    let source = drystone_joints::build(&slider, &Pose::IDENTITY, &Pose::IDENTITY).unwrap();
    world.add_joint([None, Some(body)], source).unwrap();
    for _ in 0..steps {
        world.advance(h).unwrap();
    }
    let (x, v) = (world.position(body).unwrap().x + 0.5, world.velocity(body).unwrap().linear.x);
    (x, 0.5 * MASS * v * v + 0.5 * stiffness * x * x)
}

/// `x(t)` of `m x'' + c x' + k x = 0` from 0.5 m at rest.
fn closed_form(stiffness: f64, damping: f64, t: f64) -> f64 {
    let decay = 0.5 * damping / MASS;
    let turn = (stiffness / MASS - decay * decay).sqrt();
    0.5 * (-decay * t).exp() * ((turn * t).cos() + decay / turn * (turn * t).sin())
}

fn order(paradigm: Paradigm) -> f64 {
    let (stiffness, damping, t) = (100.0, 1.0, 3.75);
    let off = |steps: usize| {
        let h = t / steps as f64;
        (slide(paradigm, stiffness, damping, h, steps).0 - closed_form(stiffness, damping, t)).abs()
    };
    (off(1500) / off(3000)).log2()
}

#[test]
fn springs_are_of_order_two_in_a_mechanism_and_of_order_one_elsewhere() {
    let two = order(Paradigm::MECHANISM);
    assert!((two - 2.0).abs() < 0.1, "{two}");
    let one = order(Paradigm::VELOCITY_LCP);
    assert!(one > 0.7 && one < 1.3, "{one}");
    let shock = order(Paradigm::SHOCK_PROPAGATION);
    assert!(shock > 0.7 && shock < 1.3, "{shock}");
}

#[test]
fn an_undamped_spring_keeps_its_energy_by_the_trapezoidal_rule_and_no_spring_is_too_stiff() {
    for stiffness in [100.0, 1e4, 1e8] {
        let (_, energy) = slide(Paradigm::MECHANISM, stiffness, 0.0, 0.01, 1000);
        let start = 0.125 * stiffness;
        // what it keeps is the energy at the ends of steps, which a leapfrog sees through a shifted quadratic form
        assert!(energy < 1.1 * start, "k = {stiffness}: {energy} J of {start} J");
        let (x, energy) = slide(Paradigm::VELOCITY_LCP, stiffness, 0.0, 0.01, 1000);
        assert!(energy < start && x.is_finite(), "k = {stiffness}: {energy} J of {start} J");
    }
    let (_, energy) = slide(Paradigm::MECHANISM, 100.0, 0.0, 0.01, 1000);
    assert!((energy / 12.5 - 1.0).abs() < 0.01, "{energy}");
}

#[test]
fn the_step_does_not_change_the_static_load() {
    // 9.81 N on 100 N/m, whatever the paradigm and the step
    for paradigm in [Paradigm::VELOCITY_LCP, Paradigm::SHOCK_PROPAGATION, Paradigm::MECHANISM] {
        for h in [1.0 / 60.0, 1e-3] {
            let mut world = World::builder().paradigm(paradigm).gravity([0.0, -9.81, 0.0]).build().unwrap();
            let body = world.add(Body::dynamic(Shape::sphere(0.1).unwrap()).mass(MASS)).unwrap();
            let spring = Some(Spring { stiffness: 100.0, damping: 20.0, rest: 0.0 });
            let slider = JointDescription { axis: Some(Vec3::Y), spring, ..JointDescription::new("slider") };
            let source = drystone_joints::build(&slider, &Pose::IDENTITY, &Pose::IDENTITY).unwrap();
            world.add_joint([None, Some(body)], source).unwrap();
            for _ in 0..(4.0 / h) as usize {
                world.advance(h).unwrap();
            }
            let y = world.position(body).unwrap().y;
            // what creeps may fall asleep a little early
            let near = if world.is_sleepy(body).unwrap() { 2e-3 } else { 1e-6 };
            assert!((y + 0.0981).abs() < near, "{} at {h}: {y}", paradigm.name);
        }
    }
}
