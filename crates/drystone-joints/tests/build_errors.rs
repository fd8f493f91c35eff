//! The messages for faulty joint descriptions.

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
    let no_spring = Some(Spring { stiffness: 0.0, damping: 0.0, rest: 0.0 });
    let hinge = good("hinge");
    let cases = vec![
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
        (
            JointDescription { length: Some(-1.0), ..good("rope") },
            "'length' must be finite and above zero ('anchor2' gives one too)",
        ),
        (JointDescription { length: Some(0.0), ..good("rope") }, "'length' must be finite and above zero"),
        (good("distance"), "'length' must be finite and above zero"),
        (
            JointDescription { rotations: [AxisFreedom::Limited(2.0, 1.0); 3], ..good("six-dof") },
            "'rotations' are crossed",
        ),
    ];
    are_named(&cases);
}

#[test]
fn every_fault_of_a_transmission_is_named() {
    let hinge = good("hinge");
    are_named(&[
        (JointDescription { teeth: Some([3, 0]), ..good("gear") }, "'teeth' must be not zero"),
        (good("gear"), "needs 'teeth'"),
        (JointDescription { ratio: Some(0.0), ..good("gear") }, "'ratio' must be finite and not zero"),
        (JointDescription { ratio: Some(Real::NAN), ..good("gear") }, "'ratio' must be finite and not zero"),
        (
            JointDescription { ratio: Some(2.0), teeth: Some([3, 5]), ..good("gear") },
            "cannot have 'ratio': its teeth give it one",
        ),
        (JointDescription { ratio: Some(0.5), offset: Some(1.6), ..good("gear") }, "'offset' must be less than half"),
        (
            JointDescription { lead: Some(0.1), offset: Some(-0.06), ..good("screw") },
            "'offset' must be less than half the lead",
        ),
        (JointDescription { offset: Some(0.1), ..hinge }, "only a gear, a screw or a rack-and-pinion has one"),
        (good("screw"), "needs 'lead'"),
        (JointDescription { lead: Some(0.0), ..good("screw") }, "'lead' must be a length other than zero"),
        (JointDescription { lead: Some(0.1), ..hinge }, "cannot have 'lead': only a screw has one"),
        (JointDescription { axis2: Some(Vec3::Z), ..good("rack-and-pinion") }, "needs 'radius'"),
        (
            JointDescription { axis2: Some(Vec3::Y), radius: Some(1.0), ..good("rack-and-pinion") },
            "'axis' and 'axis2' of a rack-and-pinion joint are parallel",
        ),
        (good("pulley"), "needs 'pulleys'"),
        (
            JointDescription { pulleys: Some([Vec3::Y; 2]), ratio: Some(0.0), ..good("pulley") },
            "'ratio' must be finite and above zero",
        ),
    ]);
}

fn are_named(cases: &[(JointDescription<'_>, &str)]) {
    for (description, expected) in cases {
        let text = error(description).to_string();
        assert!(text.contains(expected), "{text} / {expected}");
    }
}

/// A complete and correct description of this kind.
fn whole(kind: &str) -> JointDescription<'_> {
    let two = ["universal", "hinge2", "gear", "rack-and-pinion", "six-dof"].contains(&kind);
    JointDescription {
        axis2: two.then_some(Vec3::Z),
        teeth: (kind == "gear").then_some([3, 5]),
        lead: (kind == "screw").then_some(0.1),
        radius: (kind == "rack-and-pinion").then_some(0.1),
        pulleys: (kind == "pulley").then_some([Vec3::Y * 3.0, Vec3::Y * 4.0]),
        length: ["distance", "rope", "revolute-spherical"].contains(&kind).then_some(1.0),
        ..good(kind)
    }
}

#[test]
fn every_kind_refuses_what_is_bad() {
    let (a, b) = (Pose::IDENTITY, Pose::from_position(Vec3::X));
    let nan = Vec3::new(0.0, Real::NAN, 0.0);
    for kind in drystone_joints::KINDS.iter().map(|k| k.name) {
        let d = whole(kind);
        assert!(build(&d, &a, &b).is_ok(), "{kind}: {:?}", build(&d, &a, &b).err());
        let axis = !["ball", "fixed", "distance", "rope", "pulley"].contains(&kind);
        let drives = ["hinge", "slider", "screw", "cylindrical", "universal", "hinge2", "point-on-line", "distance"];
        let motor = |velocity, max_force| Some(Motor::Velocity { velocity, max_force });
        let bad = vec![
            ("a NaN anchor", JointDescription { anchor: Some(nan), ..d }),
            ("an infinite anchor", JointDescription { anchor: Some(Vec3::splat(Real::INFINITY)), ..d }),
            ("a NaN erp", JointDescription { erp: Real::NAN, ..d }),
            ("an erp above one", JointDescription { erp: 1.1, ..d }),
            ("a negative cfm", JointDescription { cfm: -1e-9, ..d }),
            ("an infinite cfm", JointDescription { cfm: Real::INFINITY, ..d }),
            ("a restitution above one", JointDescription { limit_restitution: 1.5, ..d }),
            ("a soft limit below zero", JointDescription { limit_cfm: -1.0, ..d }),
            ("crossed limits", JointDescription { limits: Some([1.0, 0.0]), ..d }),
            ("a NaN limit", JointDescription { limits: Some([0.0, Real::NAN]), ..d }),
            ("a motor of negative force", JointDescription { motor: motor(1.0, -1.0), ..d }),
            ("a motor of NaN force", JointDescription { motor: motor(1.0, Real::NAN), ..d }),
            ("a motor of NaN speed", JointDescription { motor: motor(Real::NAN, 1.0), ..d }),
            ("negative friction", JointDescription { friction: -1.0, ..d }),
            ("NaN friction", JointDescription { friction: Real::NAN, ..d }),
        ];
        for (what, description) in bad {
            assert!(build(&description, &a, &b).is_err(), "{kind} takes {what}");
        }
        if axis {
            for v in [Vec3::ZERO, nan, Vec3::splat(Real::INFINITY)] {
                assert!(build(&JointDescription { axis: Some(v), ..d }, &a, &b).is_err(), "{kind} takes the axis {v}");
            }
        }
        if !drives.contains(&kind) {
            let driven = JointDescription { motor: motor(1.0, 1.0), ..d };
            let error = build(&driven, &a, &b).err().expect("nothing to drive");
            assert!(matches!(error, JointBuildError::NotForKind { .. }), "{kind}: {error}");
        }
        // a kind that needs an anchor says so
        if !["fixed", "slider", "gear"].contains(&kind) {
            let error = build(&JointDescription { anchor: None, ..d }, &a, &b).err().expect("no anchor");
            assert!(matches!(error, JointBuildError::Missing { what: "anchor", .. }), "{kind}: {error}");
        }
    }
}

#[test]
fn a_gap_at_the_start_is_an_error_to_close() {
    let d = JointDescription { anchor: Some(Vec3::ZERO), anchor2: Some(Vec3::new(0.3, 0.4, 0.0)), ..good("ball") };
    let joint = build(&d, &Pose::IDENTITY, &Pose::from_position(Vec3::X)).unwrap();
    let still = |pose| drystone_core::BodyFrame { pose, velocity: drystone_math::Twist::ZERO };
    let frames = [still(Pose::IDENTITY), still(Pose::from_position(Vec3::X))];
    let error = joint.error([&frames[0], &frames[1]], &[]);
    assert!((error.linear - 0.5).abs() < 1e-15 && error.angular == 0.0);
}
