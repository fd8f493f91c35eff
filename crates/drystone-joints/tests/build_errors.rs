//! What a bad description is told.

use drystone_joints::{AxisFreedom, JointBuildError, JointDescription, Motor, Spring, build};
use drystone_math::{Pose, Real, Vec3};

fn error(d: &JointDescription<'_>) -> JointBuildError {
    build(d, &Pose::IDENTITY, &Pose::from_position(Vec3::X)).err().expect("the description is bad")
}

fn good(kind: &str) -> JointDescription<'_> {
    JointDescription { anchor: Some(Vec3::ZERO), axis: Some(Vec3::Y), ..JointDescription::new(kind) }
}

#[test]
fn every_fault_is_named() {
    let motor = Some(Motor::Velocity { velocity: 1.0, max_force: 1.0 });
    let bad_motor = |velocity, max_force| Some(Motor::Velocity { velocity, max_force });
    let no_spring = Some(Spring { stiffness: 0.0, damping: 0.0, rest: 0.0, time_step: 0.01 });
    let hinge = good("hinge");
    let cases = [
        (good("hinges"), "unknown joint kind 'hinges'; allowed: ball, hinge,"),
        (JointDescription { anchor: None, ..hinge }, "needs 'anchor'"),
        (JointDescription { axis: None, ..hinge }, "needs 'axis'"),
        (JointDescription { axis: Some(Vec3::ZERO), ..hinge }, "'axis' must be a finite direction"),
        (JointDescription { axis: Some(Vec3::splat(Real::NAN)), ..hinge }, "'axis' must be a finite direction"),
        (JointDescription { anchor: Some(Vec3::splat(Real::NAN)), ..hinge }, "'anchor' must be finite"),
        (JointDescription { limits: Some([1.0, -1.0]), ..hinge }, "'limits' are crossed: lower 1 above upper -1"),
        (JointDescription { limits: Some([Real::NAN, 0.0]), ..hinge }, "crossed"),
        (JointDescription { motor: bad_motor(Real::NAN, 1.0), ..hinge }, "'velocity' must be finite"),
        (JointDescription { motor: bad_motor(1.0, -1.0), ..hinge }, "'max_force' must be zero or more"),
        (JointDescription { motor2: motor, ..hinge }, "cannot have 'motor2': it has one free axis only"),
        (JointDescription { motor, ..good("fixed") }, "a fixed joint cannot have 'motor': it has no single free axis"),
        (JointDescription { limits: Some([0.0, 1.0]), ..good("ball") }, "cannot have 'limits'"),
        (JointDescription { cone: Some(4.0), ..good("ball") }, "'cone' must be above 0 and below pi"),
        (JointDescription { cone: Some(1.0), ..hinge }, "cannot have 'cone'"),
        (JointDescription { erp: 1.5, ..hinge }, "'erp' must be from 0 to 1"),
        (JointDescription { cfm: -1.0, ..hinge }, "'cfm' must be finite and zero or more"),
        (JointDescription { spring: no_spring, ..hinge }, "a stiffness or a damping above zero"),
        (JointDescription { friction: -1.0, ..hinge }, "'friction' must be finite and zero or more"),
        (good("universal"), "needs 'axis2'"),
        (
            JointDescription { axis2: Some(Vec3::NEG_Y), ..good("hinge2") },
            "'axis' and 'axis2' of a hinge2 joint are parallel",
        ),
        (JointDescription { length: Some(-1.0), ..good("rope") }, "'length' must be finite and zero or more"),
        (JointDescription { teeth: Some([3, 0]), ..good("gear") }, "'teeth' must be not zero"),
        (good("gear"), "needs 'teeth'"),
        (
            JointDescription { rotations: [AxisFreedom::Limited(2.0, 1.0); 3], ..good("six-dof") },
            "'rotations' are crossed",
        ),
    ];
    for (description, expected) in cases {
        let text = error(&description).to_string();
        assert!(text.contains(expected), "{text} / {expected}");
    }
}

#[test]
fn limits_beyond_a_half_turn_never_close() {
    let d = JointDescription { limits: Some([-10.0, Real::INFINITY]), ..good("hinge") };
    let joint = build(&d, &Pose::IDENTITY, &Pose::IDENTITY).unwrap();
    let frame = drystone_core::BodyFrame { pose: Pose::IDENTITY, velocity: drystone_math::Twist::ZERO };
    let mut rows = Vec::new();
    joint.rows([&frame, &frame], &mut rows);
    assert_eq!(rows.len(), 5);
}
