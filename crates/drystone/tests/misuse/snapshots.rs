//! A snapshot belongs to one world, and to one set of bodies, joints and scripts in it.

use super::{ball, floor, steps, world};
use drystone::prelude::*;
use drystone::{History, WorldError};
use drystone_core::{BodyProperties, Configuration, State};
use drystone_motion::script::Sinusoid;

fn shaking() -> Sinusoid {
    Sinusoid { middle: Pose::IDENTITY, travel: Vec3::ZERO, turn: Vec3::ZERO, frequency: 1.0, phase: 0.0 }
}

/// The other world has as many edits but fewer bodies. Its snapshot was once accepted, and the next step read beyond the end of the state's
/// columns.
#[test]
fn another_worlds_snapshot_with_fewer_bodies_is_refused() {
    let mut a = world();
    let hand = a.add(Body::scripted(Shape::sphere(0.5).unwrap())).unwrap();
    a.add_script(hand, shaking()).unwrap();
    let mut c = world();
    c.add(ball()).unwrap();
    c.add(ball().at([3.0, 0.0, 0.0])).unwrap();
    assert!(matches!(c.restore(&a.snapshot()), Err(WorldError::Missing(_))));
    c.advance(0.01).unwrap();
}

#[test]
fn another_worlds_snapshot_moves_nothing() {
    let mut a = world();
    a.add(ball().at([9.0, 9.0, 9.0])).unwrap();
    let mut c = world();
    let b = c.add(ball()).unwrap();
    assert!(matches!(c.restore(&a.snapshot()), Err(WorldError::Missing(_))));
    assert_eq!(c.position(b), Some(Vec3::ZERO));
    let mut history = History::new(3);
    history.record(&a);
    assert!(matches!(history.rewind(&mut c, 0.0), Err(WorldError::Missing(_))));
    assert_eq!(c.position(b), Some(Vec3::ZERO));
    assert_eq!(history.rewind(&mut a, 0.0), Ok(0.0));
}

/// Worlds that are built around a scene have no edits at all, but are told apart all the same.
#[test]
fn worlds_around_the_same_scene_are_two_worlds() {
    let built = || {
        let (mut c, mut s) = (Configuration::default(), State::default());
        let shape = Shape::sphere(0.5).unwrap();
        let mass = shape.mass_properties(1.0).unwrap();
        c.bodies.push(BodyProperties::dynamic(shape, &mass).unwrap());
        s.push(Pose::IDENTITY, Twist::ZERO);
        World::builder().build_with(c, s).unwrap()
    };
    let (a, mut c) = (built(), built());
    assert!(c.restore(&a.snapshot()).is_err());
    let own = c.snapshot();
    assert!(c.restore(&own).is_ok() && c.restore(&own.clone()).is_ok());
}

/// After a removal and an addition there are as many bodies as before, but not the same ones.
#[test]
fn a_removed_body_makes_a_snapshot_stale_for_good() {
    let mut w = world();
    w.add(floor()).unwrap();
    let first = w.add(ball().at([0.0, 2.0, 0.0])).unwrap();
    let before = w.snapshot();
    steps(&mut w, 5);
    assert_eq!(w.restore(&before), Ok(()));
    w.remove(first).unwrap();
    w.add(ball().at([0.0, 2.0, 0.0])).unwrap();
    assert!(matches!(w.restore(&before), Err(WorldError::Missing(_))));
}

/// A run that was set back by other means is recorded from there on, so that the times stay ascending.
#[test]
fn a_history_forgets_what_was_set_back_by_other_means() {
    let mut w = world();
    w.add(ball()).unwrap();
    let mut history = History::new(10);
    let start = w.snapshot();
    for _ in 0..4 {
        history.record(&w);
        w.advance(0.01).unwrap();
    }
    w.restore(&start).unwrap();
    w.advance(0.015).unwrap();
    history.record(&w);
    let times: Vec<f64> = history.times().collect();
    assert_eq!(times, [0.0, 0.01, 0.015]);
    assert!(history.rewind(&mut w, f64::NAN).is_err());
}
