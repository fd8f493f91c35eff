//! Pairs that are kept from colliding, and joints that are added, broken, mended and removed.

use super::{ball, floor, steps, world};
use drystone::WorldError;
use drystone::prelude::*;
use drystone_core::{ConstraintSource, JointStrength};
use drystone_joints::{JointDescription, build};

/// A ball joint anchored 1 m above the origin, between balls at the given heights.
fn joint(a: f64, b: f64) -> Box<dyn ConstraintSource> {
    let at = |y| Pose::from_position(Vec3::new(0.0, y, 0.0));
    let description = JointDescription { anchor: Some(Vec3::Y), ..JointDescription::new("ball") };
    build(&description, &at(a), &at(b)).unwrap()
}

/// The final height of the upper of two balls, one above the other with two joints between them, after `change` was applied.
fn upper_ends_at(change: impl Fn(&mut World, [BodyId; 2], [JointId; 2])) -> f64 {
    let mut w = world();
    w.add(floor()).unwrap();
    let a = w.add(ball().at([0.0, 0.5, 0.0])).unwrap();
    let b = w.add(ball().at([0.0, 1.6, 0.0])).unwrap();
    let joints = [(); 2].map(|()| w.add_joint([Some(a), Some(b)], joint(0.5, 1.6)).unwrap());
    w.advance(0.01).unwrap();
    assert_eq!(w.is_pair_ignored(a, b), Some(true));
    change(&mut w, [a, b], joints);
    steps(&mut w, 200);
    w.position(b).unwrap().y
}

#[test]
fn bodies_meet_again_when_the_last_joint_between_them_is_removed() {
    let both = upper_ends_at(|w, _, [i, j]| {
        w.remove_joint(i).unwrap();
        w.remove_joint(j).unwrap();
    });
    assert!((both - 1.5).abs() < 0.01, "it rests on the lower one: {both}");
    let ignored = upper_ends_at(|w, [a, b], [i, j]| {
        w.ignore_pair(b, a).unwrap();
        w.remove_joint(i).unwrap();
        w.remove_joint(j).unwrap();
        assert_eq!(w.is_pair_ignored(a, b), Some(true));
    });
    assert!((ignored - 0.5).abs() < 0.01, "a rule of the user's outlives the joints: {ignored}");
    let met = upper_ends_at(|w, [a, b], [i, j]| {
        w.remove_joint(i).unwrap();
        assert_eq!(w.is_pair_ignored(a, b), Some(true), "the other joint is still there");
        w.unignore_pair(a, b).unwrap();
        assert_eq!(w.is_pair_ignored(a, b), Some(false));
        w.remove_joint(j).unwrap();
    });
    assert!((met - 1.5).abs() < 0.01, "{met}");
}

#[test]
fn a_pair_is_of_two_bodies_that_exist() {
    let mut w = world();
    let (a, b) = (w.add(ball()).unwrap(), w.add(ball().at([3.0, 0.0, 0.0])).unwrap());
    assert_eq!(w.ignore_pair(a, a), Err(WorldError::SameBody));
    assert_eq!(w.is_pair_ignored(a, a), None);
    w.ignore_pair(a, b).unwrap();
    w.remove(a).unwrap();
    assert!(w.ignore_pair(a, b).is_err() && w.unignore_pair(b, a).is_err());
    assert!(w.configuration().ignored_pairs.is_empty());
}

#[test]
fn a_broken_joint_can_be_mended() {
    let mut w = world();
    let a = w.add(ball().at([0.0, 0.5, 0.0])).unwrap();
    let j = w.add_joint([None, Some(a)], joint(0.0, 0.5)).unwrap();
    assert_eq!(w.mend_joint(j), Err(WorldError::NotBroken));
    w.set_strength(j, JointStrength { force: 0.0, torque: 0.0 }).unwrap();
    w.advance(0.01).unwrap();
    assert_eq!(w.is_broken(j), Some(true));
    steps(&mut w, 10);
    let fallen = w.position(a).unwrap().y;
    assert!(fallen < 0.47, "{fallen}");
    w.set_strength(j, JointStrength::UNBREAKABLE).unwrap();
    w.mend_joint(j).unwrap();
    steps(&mut w, 200);
    assert_eq!(w.is_broken(j), Some(false));
    assert!(w.joint_error(j).unwrap().linear < 1e-3, "{:?}", w.joint_error(j));
    w.remove_joint(j).unwrap();
    assert_eq!(w.mend_joint(j), Err(WorldError::Missing("joint")));
}
