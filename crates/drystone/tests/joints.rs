//! Reactions of joints, and joints that break.

use drystone::prelude::*;
use drystone_core::JointStrength;
use drystone_joints::{JointDescription, Motor};

const G: f64 = 9.81;
const H: f64 = 1.0 / 240.0;

/// Two boxes of 2 kg and 1 kg, one welded to the world and the other to the first, side by side along x.
fn bracket(strength: JointStrength) -> (World, [BodyId; 2], [JointId; 2]) {
    let settings = vec![("iterations".to_owned(), drystone_core::catalogue::Value::Integer(2000))];
    let choice = drystone::ModuleChoice { kind: drystone::ModuleKind::Lcp, name: None, settings };
    let mut world = World::builder().choose(choice).build().unwrap();
    let shape = || Shape::cuboid(0.5, 0.1, 0.1).unwrap();
    let one = world.add(Body::dynamic(shape()).mass(2.0).at([0.5, 0.0, 0.0])).unwrap();
    let two = world.add(Body::dynamic(shape()).mass(1.0).at([1.5, 0.0, 0.0])).unwrap();
    let weld = |x: f64, poses: [Pose; 2]| {
        let description = JointDescription { anchor: Some(Vec3::new(x, 0.0, 0.0)), ..JointDescription::new("fixed") };
        drystone_joints::build(&description, &poses[0], &poses[1]).unwrap()
    };
    let poses = [one, two].map(|b| world.pose(b).unwrap());
    let wall = world.add_joint([None, Some(one)], weld(0.0, [Pose::IDENTITY, poses[0]])).unwrap();
    let seam = world.add_joint([Some(one), Some(two)], weld(1.0, poses)).unwrap();
    world.set_strength(seam, strength).unwrap();
    (world, [one, two], [wall, seam])
}

#[test]
fn a_bracket_bears_its_weight_and_moment() {
    let (mut world, _, [wall, seam]) = bracket(JointStrength::UNBREAKABLE);
    for _ in 0..60 {
        world.advance(H).unwrap();
    }
    let near = |a: Vec3, b: Vec3| assert!((a - b).length() < 1e-6, "{a} against {b}");
    let reaction = world.joint_reaction(wall).unwrap();
    near(reaction.force, Vec3::Y * 3.0 * G);
    near(reaction.torque, Vec3::Z * (2.0 * 0.5 + 1.0 * 1.5) * G);
    near(reaction.point, Vec3::ZERO);
    let reaction = world.joint_reaction(seam).unwrap();
    near(reaction.force, Vec3::Y * G);
    near(reaction.torque, Vec3::Z * 0.5 * G);
}

#[test]
fn a_seam_breaks_by_force_or_torque_and_lets_go() {
    for strength in [
        JointStrength { force: 0.9 * G, ..JointStrength::UNBREAKABLE },
        JointStrength { torque: 0.49 * G, ..JointStrength::UNBREAKABLE },
    ] {
        let (mut world, [one, two], [wall, seam]) = bracket(strength);
        let before = world.snapshot();
        for _ in 0..61 {
            world.advance(H).unwrap();
        }
        assert_eq!((world.is_broken(wall), world.is_broken(seam)), (Some(false), Some(true)));
        // the joint still held through the step that broke it; in free fall since then, the integrator may be ahead by half a step
        let fallen = -world.position(two).unwrap().y;
        let time = 60.0 * H;
        let exact = 0.5 * G * time * time;
        assert!((-1e-6..G * time * 0.5 * H + 1e-6).contains(&(fallen - exact)), "{fallen} against {exact}");
        assert!(world.position(one).unwrap().y.abs() < 1e-9);
        assert_eq!(world.joint_error(seam).unwrap().linear, 0.0);
        world.restore(&before).unwrap();
        assert_eq!(world.is_broken(seam), Some(false));
    }
}

#[test]
fn a_seam_that_is_strong_enough_holds() {
    let strength = JointStrength { force: 1.1 * G, torque: 0.6 * G };
    let (mut world, _, [_, seam]) = bracket(strength);
    for _ in 0..60 {
        world.advance(H).unwrap();
    }
    assert_eq!(world.is_broken(seam), Some(false));
    assert!(world.set_strength(seam, JointStrength { force: f64::NAN, ..strength }).is_err());
    // the broken mark stays with its joint when an earlier joint is removed and the indices shift
    let first = world.joints()[0];
    world.set_strength(seam, JointStrength { force: 0.0, torque: 0.0 }).unwrap();
    world.advance(H).unwrap();
    world.remove_joint(first).unwrap();
    assert_eq!(world.is_broken(seam), Some(true));
}

/// A ball of 2 kg circles a point at 5 rad/s, 1 m from it, on a joint of this kind without gravity. Returns the joint's force after a second (N),
/// and whether it held.
fn whirled(paradigm: Paradigm, kind: &str, strength: JointStrength, h: f64) -> (f64, bool) {
    let mut world = World::builder().paradigm(paradigm).gravity([0.0; 3]).build().unwrap();
    let ball = Body::dynamic(Shape::sphere(0.05).unwrap()).mass(2.0).at(Vec3::X);
    let ball = world.add(ball.linear_velocity([0.0, 0.0, -5.0]).angular_velocity([0.0, 5.0, 0.0])).unwrap();
    let anchor2 = ["distance", "rope"].contains(&kind).then_some(Vec3::X);
    let axis = (kind == "hinge").then_some(Vec3::Y);
    let description = JointDescription { anchor: Some(Vec3::ZERO), anchor2, axis, ..JointDescription::new(kind) };
    let poses = [Pose::IDENTITY, world.pose(ball).unwrap()];
    let joint = drystone_joints::build(&description, &poses[0], &poses[1]).unwrap();
    let joint = world.add_joint([None, Some(ball)], joint).unwrap();
    world.set_strength(joint, strength).unwrap();
    for _ in 0..(1.0 / h).round() as usize {
        world.advance(h).unwrap();
    }
    (world.joint_reaction(joint).unwrap().force.length(), world.is_broken(joint) == Some(false))
}

/// The force is `m w^2 r` whatever the step. A rope may go slack: its row holds velocities, and bears a little less.
#[test]
fn what_is_whirled_round_pulls_with_all_of_its_centripetal_force() {
    for paradigm in [Paradigm::ACCELERATION_LCP, Paradigm::ACCELERATION_LP] {
        for kind in ["ball", "hinge", "distance", "rope"] {
            for h in [0.01, 0.0025] {
                let (force, _) = whirled(paradigm, kind, JointStrength::UNBREAKABLE, h);
                let off = if kind == "rope" { 1.0 } else { 0.05 };
                assert!((force - 50.0).abs() < off, "{} {kind} {h}: {force} N", paradigm.name);
            }
            let holds = |force| whirled(paradigm, kind, JointStrength { force, ..JointStrength::UNBREAKABLE }, 0.01).1;
            assert_eq!((holds(49.0), holds(51.0)), (false, true), "{} {kind}", paradigm.name);
        }
    }
}

#[test]
fn a_motor_gets_another_speed_while_the_world_runs() {
    let mut world = World::builder().gravity(Vec3::ZERO).build().unwrap();
    let wheel = world.add(Body::dynamic(Shape::cylinder(0.5, 0.1).unwrap())).unwrap();
    let at = |velocity: f64| {
        let motor = Motor::Velocity { velocity, max_force: f64::INFINITY };
        let description = JointDescription {
            anchor: Some(Vec3::ZERO),
            axis: Some(Vec3::Y),
            motor: Some(motor),
            ..JointDescription::new("hinge")
        };
        drystone_joints::build(&description, &Pose::IDENTITY, &Pose::IDENTITY).unwrap()
    };
    let hinge = world.add_joint([None, Some(wheel)], at(2.0)).unwrap();
    for speed in [2.0, -3.0] {
        world.set_joint(hinge, at(speed)).unwrap();
        for _ in 0..10 {
            world.advance(H).unwrap();
        }
        assert!((world.velocity(wheel).unwrap().angular.y - speed).abs() < 1e-9);
    }
    world.remove_joint(hinge).unwrap();
    assert!(world.set_joint(hinge, at(0.0)).is_err());
}

#[test]
fn forces_are_replaced_and_removed() {
    use drystone_motion::force::PointGravity;
    let mut world = World::builder().gravity(Vec3::ZERO).build().unwrap();
    let ball = world.add(Body::dynamic(Shape::sphere(0.5).unwrap()).mass(1.0)).unwrap();
    let pull = |x: f64| PointGravity { center: Vec3::X * x, strength: 100.0, softening: 1e-9 };
    let force = world.add_force(pull(10.0));
    world.advance(0.01).unwrap();
    let right = world.velocity(ball).unwrap().linear.x;
    assert!((right - 0.01).abs() < 1e-12, "{right}");
    world.set_force(force, pull(-10.0)).unwrap();
    world.advance(0.01).unwrap();
    assert!(world.velocity(ball).unwrap().linear.x.abs() < 1e-5);
    world.remove_force(force).unwrap();
    let coasting = world.velocity(ball).unwrap();
    world.advance(0.01).unwrap();
    assert_eq!(world.velocity(ball).unwrap(), coasting);
    assert!(world.remove_force(force).is_err() && world.set_force(force, pull(1.0)).is_err());
}
