//! Scripts move scripted bodies, and nothing else.

use super::{ball, world};
use drystone::WorldError;
use drystone::prelude::*;
use drystone_core::{FailureKind, ScriptedState};
use drystone_motion::script::{FunctionOfTime, Sinusoid};

fn shaking() -> Sinusoid {
    Sinusoid { middle: Pose::IDENTITY, travel: Vec3::X, turn: Vec3::ZERO, frequency: 1.0, phase: 0.0 }
}

#[test]
fn a_dynamic_or_fixed_body_takes_no_script() {
    let mut w = world();
    let fixed = w.add(Body::fixed(Shape::sphere(0.5).unwrap()).at([5.0, 0.0, 0.0])).unwrap();
    let dynamic = w.add(ball().at([-5.0, 0.0, 0.0])).unwrap();
    assert_eq!(w.add_script(fixed, shaking()).unwrap_err().cause(), &WorldError::NotScripted);
    assert_eq!(w.add_script(dynamic, shaking()).unwrap_err().cause(), &WorldError::NotScripted);
    w.advance(0.01).unwrap();
    assert_eq!(w.position(fixed), Some(Vec3::X * 5.0));
}

/// Only the later script counts; with two in force, they would take effect in turn.
#[test]
fn a_second_script_takes_the_place_of_the_first() {
    let mut w = world();
    let hand = w.add(Body::scripted(Shape::sphere(0.5).unwrap())).unwrap();
    w.add_script(hand, shaking()).unwrap();
    w.add_script(hand, Sinusoid { travel: Vec3::Y, ..shaking() }).unwrap();
    w.advance(0.01).unwrap();
    let p = w.position(hand).unwrap();
    assert!(p.x == 0.0 && p.y > 0.0, "{p:?}");
    assert_eq!(w.configuration().scripts.len(), 1);
}

#[test]
fn a_quaternion_that_is_not_of_unit_length_fails_the_step() {
    for length in [0.0, 5.0, f64::NAN, f64::INFINITY] {
        let mut w = world();
        let hand = w.add(Body::scripted(Shape::cuboid(0.5, 0.5, 0.5).unwrap())).unwrap();
        let stretched = move |_| ScriptedState {
            pose: Pose::new(Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, length)),
            velocity: Twist::ZERO,
            acceleration: Twist::ZERO,
        };
        w.add_script(hand, FunctionOfTime(stretched)).unwrap();
        let Err(WorldError::Step(failure)) = w.advance(0.01) else { panic!("length {length} was taken") };
        assert_eq!((failure.kind, failure.body), (FailureKind::Orientation, w.body_index(hand).ok()));
    }
}
