//! The configurations that stand for the engines of the thesis' section 2.5: their switches do what is claimed of them.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::catalogue::Value;
use drystone_joints::JointDescription;

const H: f64 = 0.01;
const G: f64 = 9.81;

fn choice(key: &str, value: Value) -> ModuleChoice {
    ModuleChoice { kind: ModuleKind::ConstraintSolver, name: None, settings: vec![(key.to_owned(), value)] }
}

fn setting(key: &str, value: f64) -> ModuleChoice {
    choice(key, Value::Real(value))
}

fn floor(paradigm: Paradigm, choices: Vec<ModuleChoice>) -> World {
    let mut builder = World::builder().paradigm(paradigm).gravity([0.0, -G, 0.0]);
    for choice in choices {
        builder = builder.choose(choice);
    }
    let mut world = builder.build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    world
}

#[test]
fn a_ball_sinks_by_the_mixing_times_its_weight() {
    // at rest `cfm F / h = erp depth / h`
    let depth = |cfm: f64, erp: f64| {
        let mut world = floor(Paradigm::ODE, vec![setting("cfm", cfm), setting("erp", erp)]);
        let ball = world.add(Body::dynamic(Shape::sphere(0.1).unwrap()).mass(2.0).at([0.0, 0.1, 0.0])).unwrap();
        for _ in 0..600 {
            world.advance(H).unwrap();
        }
        0.1 - world.position(ball).unwrap().y
    };
    for (cfm, erp) in [(1e-5, 0.8), (1e-5, 0.2), (3e-6, 0.8)] {
        let (found, expected) = (depth(cfm, erp), cfm * 2.0 * G / erp);
        assert!((found - expected).abs() < 1e-3 * expected, "{cfm} {erp}: {found}, expected {expected}");
    }
    assert!(depth(0.0, 0.8).abs() < 1e-5, "rigid without mixing");
}

#[test]
fn a_soft_limit_yields_by_the_mixing_times_the_weight_whatever_the_mixing() {
    // a slider that hangs at its lower limit: `limit_cfm F / h = erp depth / h`, also if the mixing is many times `h^2 / m`
    let depth = |limit_cfm: f64, h: f64| {
        let mut world = World::builder().paradigm(Paradigm::ODE).gravity([0.0, -G, 0.0]).build().unwrap();
        let body = world.add(Body::dynamic(Shape::cuboid(0.1, 0.1, 0.1).unwrap()).mass(2.0)).unwrap();
        let description = JointDescription {
            anchor: Some(Vec3::ZERO),
            axis: Some(Vec3::Y),
            limits: Some([-0.05, f64::INFINITY]),
            limit_cfm,
            erp: 0.2,
            ..JointDescription::new("slider")
        };
        let joint = drystone_joints::build(&description, &Pose::IDENTITY, &Pose::IDENTITY).unwrap();
        world.add_joint([None, Some(body)], joint).unwrap();
        for _ in 0..(10.0 / h).round() as usize {
            world.advance(h).unwrap();
        }
        -0.05 - world.position(body).unwrap().y
    };
    for h in [0.01, 0.005] {
        for limit_cfm in [1e-6, 1e-5, 1e-4, 1e-3] {
            let (found, expected) = (depth(limit_cfm, h), limit_cfm * 2.0 * G / 0.2);
            // sweeps converge slowly if the mixing is as large as the diagonal
            assert!((found - expected).abs() < 5e-3 * expected, "{h} {limit_cfm}: {found}, expected {expected}");
        }
    }
}

// E-34
#[test]
fn penetration_is_repaired_by_a_velocity_that_stays() {
    let leap = |choices| {
        let mut world = floor(Paradigm::ODE, choices);
        let ball = world.add(Body::dynamic(Shape::sphere(0.1).unwrap()).at([0.0, 0.09, 0.0])).unwrap();
        world.advance(H).unwrap();
        (world.velocity(ball).unwrap().linear.y, world.position(ball).unwrap().y)
    };
    // it flies on with erp times the depth over the step, less half a step of gravity
    let (speed, height) = leap(vec![]);
    assert!((speed - 0.8 * 0.01 / H + 0.5 * G * H).abs() < 1e-4 && (height - 0.098).abs() < 1e-6, "{speed} {height}");
    // the control: projection leaves no velocity
    let (speed, height) = leap(vec![choice("stabilization", Value::Text("projection".to_owned()))]);
    assert!(speed.abs() < 1e-4 && (height - 0.1).abs() < 1e-5, "{speed} {height}");
}

/// The joint error (m) after one step of a body released with its anchors 1 cm apart.
fn relaxed(gamma: f64) -> f64 {
    let builder = World::builder().paradigm(Paradigm::VORTEX).gravity([0.0; 3]);
    let mut world = builder.build().unwrap();
    let ball = world.add(Body::dynamic(Shape::sphere(0.1).unwrap())).unwrap();
    let joint = JointDescription { anchor: Some(Vec3::ZERO), erp: gamma, ..JointDescription::new("ball") };
    let joint = drystone_joints::build(&joint, &Pose::IDENTITY, &Pose::IDENTITY).unwrap();
    world.add_joint([None, Some(ball)], joint).unwrap();
    world.set_pose(ball, Vec3::X * 0.01, Quat::IDENTITY).unwrap();
    world.advance(H).unwrap();
    world.position(ball).unwrap().length()
}

#[test]
fn joints_are_relaxed_by_gamma() {
    for gamma in [0.0, 0.3, 0.8, 1.0] {
        let found = relaxed(gamma);
        assert!((found - 0.01 * (1.0 - gamma)).abs() < 1e-9, "{gamma}: {found}");
    }
}

#[test]
fn the_stable_stepper_resolves_collisions_before_the_step() {
    let impacts = |choices: Vec<ModuleChoice>| {
        let mut world = floor(Paradigm::VORTEX, choices);
        let m = world.add_material(Material { restitution: 0.5, ..Material::default() }).unwrap();
        let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).at([0.0, 0.1, 0.0]).material(m);
        world.add(ball.linear_velocity([0.0, -2.0, 0.0])).unwrap();
        world.advance(H).unwrap().calls.resolve.impacts
    };
    assert!(impacts(vec![]) > 0);
    let original = ModuleChoice { kind: ModuleKind::CollisionSolver, name: Some("none".to_owned()), settings: vec![] };
    assert_eq!(impacts(vec![original]), 0, "the original stepper ignores them");
}
