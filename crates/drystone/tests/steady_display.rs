//! A display that asks for frames at a steady rate sees the end of each frame, never a state that a collision search tried on the way (N-10, B-19).
//! The tolerance of that search is set by the user, like the step (N-11).

use drystone::core::catalogue::Value;
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};

const DT: f64 = 1.0 / 30.0;
const G: f64 = 9.81;

fn tolerance(metres: f64) -> ModuleChoice {
    let settings = vec![("tolerance".to_owned(), Value::Real(metres))];
    ModuleChoice { kind: ModuleKind::TimeControl, name: None, settings }
}

/// Four balls in a row with gaps of a millimetre, and one that hits them at 2 m/s: four collisions within one frame.
#[test]
fn several_collisions_in_a_frame_leave_the_rate_of_frames_alone() {
    let mut world = World::builder().paradigm(Paradigm::RETROACTIVE).gravity([0.0; 3]).build().unwrap();
    let material = world.add_material(Material { restitution: 1.0, friction: 0.0, ..Material::default() }).unwrap();
    let mut balls = Vec::new();
    for k in 0..5 {
        let at = [if k == 0 { -0.1 } else { 0.201 * f64::from(k) }, 0.0, 0.0];
        let body = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(1.0).at(at).material(material);
        balls.push(world.add(if k == 0 { body.linear_velocity([2.0, 0.0, 0.0]) } else { body }).unwrap());
    }
    let mut taken_back = Vec::new();
    for frame in 1..=12_u32 {
        let report = world.advance(DT).unwrap();
        taken_back.push(report.calls.rollbacks);
        assert!((world.time() - f64::from(frame) * DT).abs() < 1e-12, "frame {frame} ends at {}", world.time());
        let momentum: f64 = balls.iter().map(|b| world.velocity(*b).unwrap().linear.x).sum();
        assert!((momentum - 2.0).abs() < 1e-9, "frame {frame} shows a momentum of {momentum}");
        for pair in balls.windows(2) {
            let gap = world.position(pair[1]).unwrap().x - world.position(pair[0]).unwrap().x - 0.2;
            assert!(gap > -1e-4, "frame {frame} shows balls {gap} m in each other");
        }
    }
    let busy = taken_back.iter().filter(|n| **n > 0).count();
    let most = taken_back.iter().max().copied().unwrap_or(0);
    assert!(busy <= 2 && most >= 3, "states taken back, frame by frame: {taken_back:?}");
    let last = world.velocity(balls[4]).unwrap().linear.x;
    assert!((last - 2.0).abs() < 1e-6, "the last ball leaves at {last} m/s");
}

/// The error (m) of a ball's height 0.9 s after it was dropped from a metre, with one bounce on the ground (e = 1).
fn off_after_a_bounce(metres: f64, dt: f64) -> f64 {
    let builder = World::builder().paradigm(Paradigm::RETROACTIVE).choose(tolerance(metres));
    let mut world = builder.build().unwrap();
    let material = world.add_material(Material { restitution: 1.0, friction: 0.0, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(material)).unwrap();
    let body = Body::dynamic(Shape::sphere(0.1).unwrap()).at([0.0, 1.1, 0.0]).material(material);
    let ball = world.add(body).unwrap();
    let frames = (0.9 / dt).round();
    for _ in 0..frames as u32 {
        world.advance(dt).unwrap();
    }
    let fall = (2.0 / G).sqrt();
    let after = frames * dt - fall;
    let expected = (2.0 * G).sqrt() * after - 0.5 * G * after * after;
    (world.position(ball).unwrap().y - 0.1 - expected).abs()
}

#[test]
fn the_tolerance_of_impacts_is_the_users_as_the_step_is() {
    for dt in [DT, 1.0 / 120.0] {
        let off = [1e-2, 1e-3, 1e-5].map(|metres| off_after_a_bounce(metres, dt));
        println!("dt {dt}: {off:?}");
        for (off, metres) in off.into_iter().zip([1e-2, 1e-3, 1e-5]) {
            assert!(off < 4.0 * metres + 1e-6, "dt {dt}, tolerance {metres}: {off} m off");
        }
        assert!(off[0] > 20.0 * off[2], "a wider tolerance is no more than a word: {off:?}");
    }
}
