//! A servo goes to its target by whole turns, whatever they are.

use drystone::prelude::*;
use drystone_joints::{JointDescription, Motor, build};
use drystone_testkit::Random;

const H: f64 = 1.0 / 60.0;

/// Random targets, up to two turns in either direction, of an arm on a hinge about a random axis: it gets there, having turned all the way.
#[test]
fn servos_turn_all_the_way() {
    // the last three know no joints
    let others = [Paradigm::FIRST_ORDER, Paradigm::PENALTY, Paradigm::IMPULSE, Paradigm::POSITION_NCP];
    for paradigm in Paradigm::ALL.iter().filter(|p| others.iter().all(|o| o.name != p.name)) {
        let mut random = Random::new(14);
        for _ in 0..3 {
            let mut world = World::builder().paradigm(*paradigm).gravity([0.0; 3]).build().unwrap();
            let axis = random.direction();
            let arm = axis.any_orthonormal_vector() * 0.5;
            let body = world.add(Body::dynamic(Shape::cuboid(0.2, 0.1, 0.05).unwrap()).at(arm)).unwrap();
            let target = random.range(-12.0, 12.0);
            let motor = Some(Motor::Position { target, max_force: 100.0 });
            let hinge = JointDescription {
                anchor: Some(Vec3::ZERO),
                axis: Some(axis),
                motor,
                ..JointDescription::new("hinge")
            };
            let pose = world.pose(body).unwrap();
            let joint = build(&hinge, &Pose::IDENTITY, &pose).unwrap();
            world.add_joint([None, Some(body)], joint).unwrap();
            let (mut turned, mut last) = (0.0, arm);
            for _ in 0..400 {
                world.advance(H).unwrap();
                let now = world.position(body).unwrap();
                turned += axis.dot(last.cross(now)).atan2(last.dot(now));
                last = now;
            }
            // the control: the short way round ends elsewhere for all targets beyond half a turn
            assert!((turned - target).abs() < 0.05, "{}: turned by {turned} of {target} rad", paradigm.name);
        }
    }
}
