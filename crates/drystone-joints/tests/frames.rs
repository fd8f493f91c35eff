//! The frames of a joint as carried by its two bodies.

use drystone_core::BodyFrame;
use drystone_joints::{JointDescription, build};
use drystone_math::{Pose, Quat, Twist, Vec3};

fn at(pose: Pose) -> BodyFrame {
    BodyFrame { pose, velocity: Twist::ZERO }
}

#[test]
fn a_hinge_keeps_one_axis_in_both_frames_and_turns_the_others() {
    let (a, b) = (Pose::IDENTITY, Pose::new(Vec3::X, Quat::from_rotation_x(0.7)));
    let axis = Vec3::new(0.0, 0.6, 0.8);
    let description =
        JointDescription { anchor: Some(Vec3::X * 0.5), axis: Some(axis), ..JointDescription::new("hinge") };
    let joint = build(&description, &a, &b).expect("a hinge");
    let [fa, fb] = joint.joint_frames([&at(a), &at(b)]).expect("frames");
    assert!(fa.position.distance(fb.position) < 1e-15 && fa.orientation.angle_between(fb.orientation) < 1e-7);
    assert!((fa.orientation * Vec3::X).distance(axis) < 1e-15);
    // B turned about the axis through the anchor
    let turn = Quat::from_axis_angle(axis, 0.3);
    let turned = Pose::new(fa.position + turn * (b.position - fa.position), turn * b.orientation);
    let [ga, gb] = joint.joint_frames([&at(a), &at(turned)]).expect("frames");
    assert!(ga.position.distance(gb.position) < 1e-15);
    assert!((gb.orientation * Vec3::X).distance(axis) < 1e-15);
    assert!((gb.orientation.angle_between(ga.orientation) - 0.3).abs() < 1e-12);
}
