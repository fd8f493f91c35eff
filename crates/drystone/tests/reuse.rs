//! Reuse of a pair's contacts changes nothing unless it is switched on, and even then hides no fast approach.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::catalogue::Value;

fn reuse(on: bool) -> ModuleChoice {
    let settings = vec![("reuse".to_owned(), Value::Bool(on))];
    ModuleChoice { kind: ModuleKind::CoherenceAnalysis, name: None, settings }
}

/// A ball rests 0.3 m in front of a thin wall and is then given 100 m/s towards it. Returns its final distance from the middle of the wall (m).
fn shoot_from_rest(choice: ModuleChoice) -> f64 {
    let mut world = World::builder().gravity([0.0; 3]).choose(choice).build().unwrap();
    // turned, so that its bounding box overlaps the ball's from the start
    let turned = Quat::from_rotation_y(core::f64::consts::FRAC_PI_4);
    world.add(Body::fixed(Shape::cuboid(0.02, 1.0, 1.0).unwrap()).oriented(turned)).unwrap();
    let towards = turned * Vec3::NEG_X;
    let place = -towards * 0.42;
    let ball = world.add(Body::dynamic(Shape::sphere(0.1).unwrap()).at(place)).unwrap();
    world.advance(0.01).unwrap();
    assert!(world.graph().iter().any(|e| e.overlapping), "the pair is known before the shot");
    world.set_velocity(ball, Twist::new(towards * 100.0, Vec3::ZERO)).unwrap();
    for _ in 0..5 {
        world.advance(0.01).unwrap();
    }
    -world.position(ball).unwrap().dot(towards)
}

#[test]
fn a_reused_contact_hides_no_fast_approach() {
    for on in [false, true] {
        let distance = shoot_from_rest(reuse(on));
        assert!(distance >= 0.119, "reuse {on}: {distance} m before the middle of the wall");
    }
}

#[test]
fn by_default_reuse_changes_no_bit() {
    // `real-time` switches reuse on, with a tolerance of a hundred-thousandth of a radius
    for paradigm in Paradigm::ALL.iter().filter(|p| p.name != Paradigm::REAL_TIME.name) {
        let run = |choice: Option<ModuleChoice>| {
            let mut builder = World::builder().paradigm(*paradigm);
            if let Some(choice) = choice {
                builder = builder.choose(choice);
            }
            let mut world = builder.build().unwrap();
            world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
            for i in 0..6 {
                let place = [0.05 * f64::from(i % 2), 0.5 + 1.001 * f64::from(i), 0.0];
                world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at(place)).unwrap();
            }
            for _ in 0..60 {
                world.advance(0.01).unwrap();
            }
            world.state().clone()
        };
        let unset = run(None);
        assert_eq!(unset, run(Some(reuse(false))), "{}", paradigm.name);
        // the control: with reuse on, pairs are kept and the motion differs
        if paradigm.name == "velocity-lcp" {
            assert_ne!(unset, run(Some(reuse(true))));
        }
    }
}
