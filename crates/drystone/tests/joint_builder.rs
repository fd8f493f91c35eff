//! Joints by typed builders: coordinates against closed forms, rebuilding that changes nothing, and what can be set during a run.

use drystone::prelude::*;
use drystone::{JointKind, WorldError};

fn steps(world: &mut World, n: usize, dt: f64) {
    for _ in 0..n {
        world.advance(dt).unwrap();
    }
}

fn cube() -> Body {
    Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(2.0)
}

#[test]
fn coordinates_follow_the_closed_form() {
    let mut world = World::builder().build().unwrap();
    let wheel = world.add(cube().at([0.0, 5.0, 0.0]).angular_velocity([0.0, 0.0, 1.5])).unwrap();
    let lift = world.add(cube().at([4.0, 5.0, 0.0])).unwrap();
    let screw = cube().at([8.0, 5.0, 0.0]).angular_velocity([0.0, -2.0, 0.0]).linear_velocity([0.0, 3.0, 0.0]);
    let screw = world.add(screw).unwrap();
    let hinge = world.join(Joint::hinge(Joint::WORLD, wheel).anchor([0.0, 5.0, 0.0]).axis(Vec3::Z)).unwrap();
    let slider = world.join(Joint::slider(Joint::WORLD, lift).axis(Vec3::Y)).unwrap();
    let post = Joint::cylindrical(Joint::WORLD, screw).anchor([8.0, 5.0, 0.0]).axis(Vec3::Y);
    let post = world.join(post).unwrap();
    assert_eq!(world.joint_coordinate(hinge).unwrap().value, 0.0);
    steps(&mut world, 100, 0.01);
    let close = |found: f64, wanted: f64, by: f64| assert!((found - wanted).abs() < by, "{found}, not {wanted}");
    let turned = world.joint_coordinate(hinge).unwrap();
    close(turned.value, 1.5, 1e-6);
    close(turned.speed, 1.5, 1e-9);
    let fallen = world.joint_coordinate(slider).unwrap();
    close(fallen.value, -0.5 * 9.81, 0.06);
    close(fallen.speed, -9.81, 1e-9);
    let [way, turn] = [world.joint_coordinate(post).unwrap(), world.second_joint_coordinate(post).unwrap()];
    close(way.speed, 3.0 - 9.81, 1e-9);
    close(turn.value, -2.0, 1e-6);
    // a joint with no single free coordinate reports none
    let bob = world.add(cube().at([0.0, 9.0, 9.0])).unwrap();
    let ball = world.join(Joint::ball(Joint::WORLD, bob).anchor([0.0, 9.5, 9.0])).unwrap();
    assert_eq!(world.joint_coordinate(ball), None);
    // hanging still, the joint bears its weight
    steps(&mut world, 100, 0.01);
    let reaction = world.joint_reaction(ball).unwrap();
    assert!((reaction.force - Vec3::Y * 2.0 * 9.81).length() < 1e-6, "{reaction:?}");
    assert_eq!(world.joint_bodies(ball), Some([None, Some(bob)]));
}

/// The state after a run of a double pendulum with a limited elbow, to which `change` is applied half way.
fn swings(change: impl Fn(&mut World, JointId)) -> drystone::core::State {
    let mut world = World::builder().paradigm(Paradigm::MECHANISM).build().unwrap();
    let rod = || Body::dynamic(Shape::capsule(0.05, 0.4).unwrap()).mass(1.0);
    let upper = world.add(rod().at([0.0, 3.5, 0.0])).unwrap();
    let lower = world.add(rod().at([0.0, 2.5, 0.0]).angular_velocity([0.0, 0.0, 4.0])).unwrap();
    world.join(Joint::hinge(Joint::WORLD, upper).anchor([0.0, 4.0, 0.0]).axis(Vec3::Z)).unwrap();
    let elbow = Joint::hinge(upper, lower).anchor([0.0, 3.0, 0.0]).axis(Vec3::Z).limits(-4.0, 4.0).friction(0.01);
    let elbow = world.join(elbow).unwrap();
    steps(&mut world, 150, 0.005);
    change(&mut world, elbow);
    steps(&mut world, 150, 0.005);
    world.state().clone()
}

#[test]
fn a_joint_made_anew_is_anchored_as_before() {
    let straight = swings(|_, _| ());
    let again = swings(|world, elbow| {
        world.set_limits_of(elbow, Some([-4.0, 4.0])).unwrap();
        world.set_motor(elbow, None).unwrap();
    });
    assert_eq!(straight, again);
    // the control: another limit gives another motion
    let other = swings(|world, elbow| world.set_limits_of(elbow, Some([-0.1, 0.1])).unwrap());
    assert_ne!(straight, other);
}

#[test]
fn motors_and_limits_are_set_while_it_runs() {
    let mut world = World::builder().gravity([0.0; 3]).build().unwrap();
    let door = world.add(cube().at([0.5, 0.0, 0.0])).unwrap();
    let hinge = world.join(Joint::hinge(Joint::WORLD, door).anchor(Vec3::ZERO).axis(Vec3::Y)).unwrap();
    let at = |world: &World| world.joint_coordinate(hinge).unwrap();
    for target in [0.7, -0.4, 2.0] {
        world.set_motor(hinge, Some(Motor::Position { target, max_force: f64::INFINITY })).unwrap();
        steps(&mut world, 200, 0.01);
        assert!((at(&world).value - target).abs() < 1e-3, "{:?}, not {target}", at(&world));
    }
    world.set_limits_of(hinge, Some([-1.0, 1.0])).unwrap();
    world.set_motor(hinge, Some(Motor::Velocity { velocity: 3.0, max_force: 5.0 })).unwrap();
    steps(&mut world, 300, 0.01);
    assert!((at(&world).value - 1.0).abs() < 0.01, "{:?}", at(&world));
    world.set_limits_of(hinge, None).unwrap();
    steps(&mut world, 100, 0.01);
    assert!((at(&world).speed - 3.0).abs() < 1e-3, "{:?}", at(&world));
    // a motor's torque is bounded: I = 2/6 + 2 * 0.25 about the hinge
    world.set_motor(hinge, Some(Motor::Velocity { velocity: 100.0, max_force: 2.5 })).unwrap();
    steps(&mut world, 20, 0.01);
    let wanted = 3.0 + 0.2 * 2.5 / (2.0 / 6.0 + 0.5);
    assert!((at(&world).speed - wanted).abs() < 1e-3, "{:?}, not {wanted}", at(&world));

    // refused calls change nothing
    let refused = world.set_motor(hinge, Some(Motor::Velocity { velocity: f64::NAN, max_force: 1.0 }));
    assert!(matches!(refused, Err(WorldError::Joint(_))), "{refused:?}");
    assert!(matches!(world.set_limits_of(hinge, Some([1.0, -1.0])), Err(WorldError::Joint(_))));
    assert!(matches!(
        world.set_second_motor(hinge, Some(Motor::Position { target: 0.0, max_force: 1.0 })),
        Err(WorldError::Joint(_))
    ));
    assert_eq!(world.joint_description(hinge).unwrap().limits, None);
    world.remove_joint(hinge).unwrap();
    assert!(matches!(world.set_motor(hinge, None), Err(WorldError::Missing(_))));
    assert_eq!(world.joint_coordinate(hinge), None);
}

#[test]
fn what_a_kind_cannot_have_is_refused_in_words_and_its_bodies_meet_as_in_scenes() {
    let mut world = World::builder().build().unwrap();
    let [a, b] = [0.0, 0.9].map(|x| world.add(cube().at([x, 0.0, 0.0])).unwrap());
    let motor = Motor::Velocity { velocity: 1.0, max_force: 1.0 };
    let words = |joint: Joint, world: &mut World| world.join(joint).unwrap_err().to_string();
    assert!(words(Joint::ball(a, b).anchor(Vec3::ZERO).motor(motor), &mut world).contains("motor"));
    assert!(words(Joint::hinge(a, b).anchor(Vec3::ZERO), &mut world).contains("axis"));
    assert!(words(Joint::hinge(a, b).axis(Vec3::Y), &mut world).contains("anchor"));
    assert!(words(Joint::fixed(a, a).anchor(Vec3::ZERO), &mut world).contains("two different bodies"));
    assert!(
        words(Joint::fixed(a, b).anchor(Vec3::ZERO).breaks_at(f64::NAN, 1.0), &mut world).contains("largest force")
    );
    assert_eq!(world.joints().len(), 0);
    for kind in JointKind::ALL {
        let mut joint = Joint::new(kind, a, b).anchor([0.4, 0.0, 0.0]).axis(Vec3::X);
        match kind {
            JointKind::Universal | JointKind::Hinge2 | JointKind::SixDof => {
                joint = joint.second_axis(Vec3::Y);
            }
            JointKind::Distance | JointKind::Rope => {
                joint = Joint::new(kind, a, b).anchor(Vec3::ZERO).second_anchor(Vec3::X);
            }
            JointKind::RevoluteSpherical => joint = joint.second_anchor([0.4, 1.0, 0.0]),
            JointKind::Gear => joint = joint.teeth(20, 30),
            JointKind::Screw => joint = joint.lead(0.01),
            JointKind::RackAndPinion => joint = joint.second_axis(Vec3::Y).radius(0.1),
            JointKind::Pulley => joint = joint.pulleys(Vec3::Y * 2.0, Vec3::new(1.0, 2.0, 0.0)),
            JointKind::Ball | JointKind::Fixed => joint = Joint::new(kind, a, b).anchor([0.4, 0.0, 0.0]),
            _ => {}
        }
        let id = world.join(joint).unwrap_or_else(|e| panic!("{kind:?}: {e}"));
        assert_eq!(world.is_pair_ignored(a, b), Some(!kind.collides()), "{kind:?}");
        world.remove_joint(id).unwrap();
        let id = world.join(joint.collide(true)).unwrap();
        assert_eq!(world.is_pair_ignored(a, b), Some(false), "{kind:?}");
        world.remove_joint(id).unwrap();
    }
}
