//! Scripts that return NaN or infinity make the step fail with an error, whenever this is noticed.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::ScriptedState;
use drystone_motion::script::FunctionOfTime;

#[test]
fn a_script_that_ends_in_no_number_is_a_failure_of_the_step() {
    for broad_phase in ["exhaustive", "sweep-and-prune", "hash-grid", "aabb-tree"] {
        let choice =
            ModuleChoice { kind: ModuleKind::BroadPhase, name: Some(broad_phase.to_owned()), settings: vec![] };
        let mut world = World::builder().choose(choice).build().unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        for i in 0..6 {
            let ball = Body::dynamic(Shape::sphere(0.5).unwrap());
            world.add(ball.at([1.1 * f64::from(i), 0.5, 0.0])).unwrap();
        }
        let hand = world.add(Body::scripted(Shape::sphere(0.5).unwrap()).at([0.0, 2.0, 0.0])).unwrap();
        // the look-ahead of an earlier step sees it first
        let motion = |t: f64| {
            let height = if t < 0.055 { 2.0 } else { f64::NAN };
            ScriptedState {
                pose: Pose::from_position(Vec3::Y * height),
                velocity: Twist::ZERO,
                acceleration: Twist::ZERO,
            }
        };
        world.add_script(hand, FunctionOfTime(motion)).unwrap();
        let failed = (0..10).find_map(|k| world.advance(0.01).err().map(|e| (k, e)));
        let (step, error) = failed.expect("a place that is no number");
        assert!((4..=6).contains(&step) && matches!(error, WorldError::Step(_)), "{broad_phase}: {step}, {error}");
    }
}

/// A non-finite acceleration, as at a corner of a path, is an error if a method needs forces at an instant, and is ignored otherwise.
#[test]
fn an_acceleration_that_is_no_number_is_told_to_who_asks_for_it() {
    for (paradigm, asks) in
        [(Paradigm::REAL_TIME, false), (Paradigm::VELOCITY_LCP, false), (Paradigm::ACCELERATION_LCP, true)]
    {
        let mut world = World::builder().paradigm(paradigm).build().unwrap();
        let base = world.add(Body::scripted(Shape::cuboid(2.0, 0.5, 2.0).unwrap()).at([0.0, -0.5, 0.0])).unwrap();
        let ball = world.add(Body::dynamic(Shape::sphere(0.5).unwrap()).at([0.0, 0.5, 0.0])).unwrap();
        for acceleration in [f64::NAN, f64::INFINITY] {
            let motion = move |_: f64| ScriptedState {
                pose: Pose::from_position(Vec3::NEG_Y * 0.5),
                velocity: Twist::ZERO,
                acceleration: Twist::new(Vec3::X * acceleration, Vec3::ZERO),
            };
            world.add_script(base, FunctionOfTime(motion)).unwrap();
            let failed = (0..3).any(|_| world.advance(0.01).is_err());
            assert_eq!(failed, asks, "{}, {acceleration}", paradigm.name);
            assert!(world.position(ball).unwrap().is_finite());
        }
    }
}
