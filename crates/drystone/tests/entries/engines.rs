//! The switches of Vortex: both kinds of friction, its three steppers, joints that give; feedback on joints alone (E-44).

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, WorldBuilder};
use drystone_core::catalogue::Value;

const H: f64 = 0.01;
const G: f64 = 9.81;

fn choice(kind: ModuleKind, name: Option<&str>, settings: &[(&str, Value)]) -> ModuleChoice {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    ModuleChoice { kind, name: name.map(str::to_owned), settings }
}

fn vortex(choices: Vec<ModuleChoice>, surface: Material) -> (World, drystone_core::MaterialIndex) {
    let builder = World::builder().paradigm(Paradigm::VORTEX).gravity([0.0, -G, 0.0]);
    let mut world = choices.into_iter().fold(builder, WorldBuilder::choose).build().unwrap();
    let m = world.add_material(surface).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(m)).unwrap();
    (world, m)
}

/// The speed (m/s) after half a second of a block of this mass, thrown at 4 m/s.
fn thrown(friction: &str, mass: f64) -> f64 {
    let settings = [("friction", Value::Text(friction.to_owned())), ("box_limit", Value::Real(3.0))];
    let friction = choice(ModuleKind::ConstraintSolver, None, &settings);
    let (mut world, m) = vortex(vec![friction], Material { friction: 0.3, restitution: 0.0, ..Material::default() });
    let block = Body::dynamic(Shape::cuboid(0.5, 0.1, 0.5).unwrap()).mass(mass).material(m);
    let block = world.add(block.at([0.0, 0.1, 0.0]).linear_velocity([4.0, 0.0, 0.0])).unwrap();
    for _ in 0..50 {
        world.advance(H).unwrap();
    }
    world.velocity(block).unwrap().linear.x
}

// E-26, E-27
#[test]
fn box_friction_does_not_know_the_normal_force_and_scaled_boxes_do() {
    for mass in [4.0, 8.0] {
        // friction of at most 3 N at each of four corners
        let found = thrown("box", mass);
        assert!((found - (4.0 - 12.0 / mass * 0.5)).abs() < 1e-3, "{mass}: {found}");
        let found = thrown("scaled-box", mass);
        assert!((found - (4.0 - 0.3 * G * 0.5)).abs() < 2e-2, "{mass}: {found}");
    }
}

/// A ball dropped from 1 m with e = 0.5: how high it comes back (m), how deep it got into the floor (m), and how often steps were taken back.
fn dropped(choices: Vec<ModuleChoice>) -> (f64, f64, u64) {
    let (mut world, m) = vortex(choices, Material { friction: 0.0, restitution: 0.5, ..Material::default() });
    let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).at([0.0, 1.1, 0.0]).material(m);
    let ball = world.add(ball).unwrap();
    let (mut apex, mut deepest, mut back, mut rising) = (0.0_f64, 0.0_f64, 0, false);
    for _ in 0..85 {
        back += world.advance(H).unwrap().calls.rollbacks;
        let y = world.position(ball).unwrap().y - 0.1;
        rising |= world.velocity(ball).unwrap().linear.y > 0.0;
        apex = if rising { apex.max(y) } else { 0.0 };
        deepest = deepest.max(-y);
    }
    (apex, deepest, back)
}

#[test]
fn its_three_steppers_are_there() {
    // the stable stepper resolves collisions before the step
    let (apex, deepest, back) = dropped(vec![]);
    assert!((apex - 0.25).abs() < 0.01 && deepest < 1e-3 && back == 0, "{apex} {deepest} {back}");
    // the stepper to the time of impact takes steps back to it
    let (apex, deepest, back) = dropped(vec![choice(ModuleKind::TimeControl, Some("retroactive"), &[])]);
    assert!((apex - 0.25).abs() < 0.01 && deepest < 1e-3 && back > 0, "{apex} {deepest} {back}");
    // the original stepper ignores collisions: nothing bounces if the constraint solver is told not to either
    let original = vec![
        choice(ModuleKind::CollisionSolver, Some("none"), &[]),
        choice(ModuleKind::ConstraintSolver, None, &[("restitution", Value::Bool(false))]),
    ];
    let (apex, ..) = dropped(original);
    assert!(apex < 0.01, "{apex}");
}

#[test]
fn feedback_pushes_joints_back_and_no_contact() {
    // a ball 1 cm in the floor, and one 1 cm off its anchor: the speed that the repair leaves in them
    let speeds = |stabilization: &str| {
        let settings = [("stabilization", Value::Text(stabilization.to_owned())), ("erp", Value::Real(0.5))];
        let surface = Material { friction: 0.0, restitution: 0.0, ..Material::default() };
        let (mut world, m) = vortex(vec![choice(ModuleKind::ConstraintSolver, None, &settings)], surface);
        world.set_gravity(Vec3::ZERO).unwrap();
        let ball = |at: [f64; 3]| Body::dynamic(Shape::sphere(0.1).unwrap()).at(at).material(m);
        let [deep, off] = [[0.0, 0.09, 0.0], [3.0, 1.0, 0.0]].map(|at| world.add(ball(at)).unwrap());
        let joint = drystone_joints::JointDescription {
            anchor: Some(Vec3::new(3.0, 1.0, 0.0)),
            erp: 0.5,
            ..drystone_joints::JointDescription::new("ball")
        };
        let pose = world.pose(off).unwrap();
        world.add_joint([None, Some(off)], drystone_joints::build(&joint, &Pose::IDENTITY, &pose).unwrap()).unwrap();
        world.set_pose(off, pose.position + Vec3::X * 0.01, Quat::IDENTITY).unwrap();
        world.advance(H).unwrap();
        [deep, off].map(|b| world.velocity(b).unwrap().linear.length())
    };
    let [contact, joint] = speeds("feedback");
    assert!(contact < 1e-6 && (joint - 0.5 * 0.01 / H).abs() < 1e-6, "{contact} {joint}");
    let [contact, _] = speeds("baumgarte");
    assert!((contact - 0.5 * 0.01 / H).abs() < 1e-3, "with feedback on contacts it leaves the floor: {contact}");
}
