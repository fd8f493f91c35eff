//! After a step, queries see bodies where the position correction put them.

use drystone::prelude::*;
use drystone_joints::JointDescription;

/// A box 1 cm deep in a floor is moved out of it: the depth found after each step is that of its new position, and nothing is left in the end.
#[test]
fn what_a_correction_moved_is_found_where_it_is() {
    let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).gravity(Vec3::ZERO).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let cube = world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([0.0, 0.49, 0.0])).unwrap();
    assert!((world.penetration().unwrap() - 0.01).abs() < 1e-12);
    let mut last = 0.49;
    for step in 0..4 {
        world.advance(0.01).unwrap();
        let height = world.position(cube).unwrap().y;
        let depth = world.penetration().unwrap();
        // to 1e-6 only, since a slight rotation may leave a corner lower than the middle of the face
        assert!((depth - (0.5 - height).max(0.0)).abs() < 1e-6, "step {step}: {depth} m deep at {height} m");
        // it moves out only, and never further than there was to correct
        assert!(height >= last - 1e-12 && height <= 0.5 + 1e-9, "step {step}: from {last} to {height} m");
        last = height;
    }
    assert!(last > 0.499, "{last} m");
}

/// The same for rotations: a body that is welded to the world and has been turned out of its weld is turned back.
#[test]
fn what_a_correction_turned_is_turned() {
    let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).gravity(Vec3::ZERO).build().unwrap();
    let body = world.add(Body::dynamic(Shape::cuboid(0.5, 0.2, 0.3).unwrap()).at([1.0, 2.0, 0.0])).unwrap();
    let place = world.pose(body).unwrap();
    let weld = JointDescription { anchor: Some(Vec3::new(1.0, 2.0, 0.0)), ..JointDescription::new("fixed") };
    let weld = drystone_joints::build(&weld, &Pose::IDENTITY, &place).unwrap();
    let weld = world.add_joint([None, Some(body)], weld).unwrap();
    let turned = Quat::from_axis_angle(Vec3::new(2.0, -1.0, 2.0) / 3.0, 0.05);
    world.set_pose(body, place.position, turned * place.orientation).unwrap();
    assert!((world.joint_error(weld).unwrap().angular - 0.05).abs() < 1e-4);
    for _ in 0..10 {
        world.advance(0.01).unwrap();
    }
    let left = world.joint_error(weld).unwrap();
    assert!(left.angular < 1e-6 && left.linear < 1e-6, "{left:?}");
    let off = (world.pose(body).unwrap().orientation * place.orientation.conjugate()).to_axis_angle().1;
    assert!(off < 1e-6, "{off} rad off");
}
