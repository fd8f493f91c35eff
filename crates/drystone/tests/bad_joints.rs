//! For every kind of joint, wrong bodies, strengths and descriptions give a typed error. The world stays as it was.

use drystone::prelude::*;
use drystone_core::JointStrength;
use drystone_joints::{JointBuildError, JointDescription, KINDS, Motor, Spring, build};

/// A valid description of a joint of this kind.
fn whole(kind: &str) -> JointDescription<'_> {
    let two = ["universal", "hinge2", "gear", "rack-and-pinion", "six-dof"].contains(&kind);
    let long = ["distance", "rope", "revolute-spherical"].contains(&kind);
    JointDescription {
        anchor: Some(Vec3::ZERO),
        axis: Some(Vec3::Y),
        axis2: two.then_some(Vec3::Z),
        teeth: (kind == "gear").then_some([3, 5]),
        lead: (kind == "screw").then_some(0.1),
        radius: (kind == "rack-and-pinion").then_some(0.1),
        pulleys: (kind == "pulley").then_some([Vec3::Y * 3.0, Vec3::Y * 4.0]),
        length: long.then_some(1.0),
        ..JointDescription::new(kind)
    }
}

fn source(kind: &str) -> Box<dyn drystone_core::ConstraintSource> {
    build(&whole(kind), &Pose::IDENTITY, &Pose::from_position(Vec3::X)).unwrap()
}

#[test]
fn bodies_and_strengths_are_checked_for_every_kind() {
    let ball = || Shape::sphere(0.1).unwrap();
    for kind in KINDS.iter().map(|k| k.name) {
        let mut world = World::builder().build().unwrap();
        let a = world.add(Body::dynamic(ball())).unwrap();
        let [f, g] = [5.0, 6.0].map(|x| world.add(Body::fixed(ball()).at([x, 0.0, 0.0])).unwrap());
        let s = world.add(Body::scripted(ball()).at([7.0, 0.0, 0.0])).unwrap();
        let gone = world.add(Body::dynamic(ball()).at([8.0, 0.0, 0.0])).unwrap();
        world.remove(gone).unwrap();
        for (bodies, error) in [
            ([Some(a), Some(a)], WorldError::JointBodies),
            ([None, None], WorldError::JointBodies),
            ([Some(f), Some(g)], WorldError::JointBodies),
            ([Some(f), None], WorldError::JointBodies),
            ([Some(f), Some(s)], WorldError::JointBodies),
            ([Some(a), Some(gone)], WorldError::MissingBody(gone)),
        ] {
            assert_eq!(world.add_joint(bodies, source(kind)), Err(error), "{kind}");
        }
        assert!(world.joints().is_empty());
        let joint = world.add_joint([None, Some(a)], source(kind)).unwrap();
        for bad in [-1.0, f64::NAN, f64::NEG_INFINITY] {
            for strength in [JointStrength { force: bad, torque: 1.0 }, JointStrength { force: 1.0, torque: bad }] {
                let error = world.set_strength(joint, strength).unwrap_err();
                assert!(matches!(error, WorldError::OutOfRange { .. }), "{kind}: {error}");
            }
        }
        assert_eq!(world.configuration().joints[0].strength, JointStrength::UNBREAKABLE);
        world.remove_joint(joint).unwrap();
        assert_eq!(world.set_strength(joint, JointStrength::UNBREAKABLE), Err(WorldError::Missing("joint")));
    }
}

#[test]
fn descriptions_are_checked_for_every_kind() {
    let (a, b) = (Pose::IDENTITY, Pose::from_position(Vec3::X));
    let nan = Vec3::new(f64::NAN, 0.0, 0.0);
    for kind in KINDS.iter().map(|k| k.name) {
        let d = whole(kind);
        let error = |d: JointDescription<'_>| build(&d, &a, &b).err();
        assert_eq!(error(d), None, "{kind}");
        let text = format!("{kind}s");
        assert!(matches!(error(JointDescription { kind: &text, ..d }), Some(JointBuildError::Kind { .. })));
        let motor = |velocity, max_force| Some(Motor::Velocity { velocity, max_force });
        let servo = |target, max_force| Some(Motor::Position { target, max_force });
        let spring = |stiffness, damping| Some(Spring { stiffness, damping, rest: 0.0 });
        let bad = vec![
            JointDescription { anchor: Some(nan), ..d },
            JointDescription { limits: Some([1.0, -1.0]), ..d },
            JointDescription { limits: Some([f64::NAN; 2]), ..d },
            JointDescription { limits2: Some([1.0, -1.0]), ..d },
            JointDescription { motor: motor(f64::NAN, 1.0), ..d },
            JointDescription { motor: motor(1.0, -1.0), ..d },
            JointDescription { motor: servo(f64::INFINITY, 1.0), ..d },
            JointDescription { motor2: servo(1.0, f64::NAN), ..d },
            JointDescription { friction: -1.0, ..d },
            JointDescription { friction2: f64::NAN, ..d },
            JointDescription { spring: spring(-1.0, 1.0), ..d },
            JointDescription { spring: spring(1.0, f64::NAN), ..d },
            JointDescription { spring: spring(0.0, 0.0), ..d },
            JointDescription { suspension: spring(1.0, -1.0), ..d },
            JointDescription { cone: Some(-0.1), ..d },
            JointDescription { cone: Some(f64::NAN), ..d },
            JointDescription { length: Some(f64::NAN), ..d },
            JointDescription { length: Some(-1.0), ..d },
            JointDescription { teeth: Some([0, 3]), ..d },
            JointDescription { erp: -0.1, ..d },
            JointDescription { erp: f64::NAN, ..d },
            JointDescription { cfm: f64::INFINITY, ..d },
            JointDescription { limit_cfm: f64::NAN, ..d },
            JointDescription { limit_restitution: 1.1, ..d },
        ];
        for bad in bad {
            assert!(error(bad).is_some(), "{kind} takes {bad:?}");
        }
        // a motor on a kind that has nothing to drive: the error names the kind and the key
        if matches!(kind, "ball" | "fixed" | "planar" | "point-on-plane" | "rope" | "gear" | "six-dof") {
            let text = error(JointDescription { motor: motor(1.0, 1.0), ..d }).unwrap().to_string();
            assert!(text.contains(kind) && text.contains("'motor'"), "{text}");
        }
    }
}
