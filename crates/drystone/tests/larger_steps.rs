//! How large a step may be before bodies penetrate: velocities that close gaps by the end of the step, compared with forces at its start (B-30).

use drystone::prelude::*;
use drystone::{Limits, ModuleChoice, ModuleKind};
use drystone_core::catalogue::Value;

/// Penetration above this counts (m).
const SEEN: f64 = 1e-6;

/// Two boxes are thrown down, one above the other. Returns the deepest overlap (m) in two seconds of steps of `h`.
fn thrown(paradigm: Paradigm, predictive: Option<bool>, h: f64) -> f64 {
    let mut builder = World::builder().paradigm(paradigm).limits(Limits::NONE);
    if let Some(predictive) = predictive {
        let choose = |kind, settings: Vec<(String, Value)>| ModuleChoice { kind, name: None, settings };
        builder = builder
            .choose(choose(ModuleKind::TimeControl, vec![("predictive".to_owned(), Value::Bool(predictive))]))
            .choose(choose(ModuleKind::Lcp, vec![("iterations".to_owned(), Value::Integer(200))]));
    }
    let mut world = builder.build().unwrap();
    let surface = Material { friction: 0.5, restitution: 0.0, ..Material::default() };
    let material = world.add_material(surface).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(material)).unwrap();
    for (y, speed) in [(1.3, -4.0), (3.1, -7.0)] {
        let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([0.0, y, 0.0]);
        world.add(cube.linear_velocity([0.0, speed, 0.0]).material(material)).unwrap();
    }
    (0..(2.0 / h).round() as usize).map(|_| world.advance(h).unwrap().calls.penetration).fold(0.0, f64::max)
}

/// The largest step of a ladder up to which no penetration reaches `SEEN`.
fn admissible(deepest: impl Fn(f64) -> f64) -> f64 {
    let ladder = [0.005, 0.01, 0.02, 0.05, 0.1];
    ladder.into_iter().take_while(|h| deepest(*h) < SEEN).last().unwrap_or(0.0)
}

#[test]
fn steps_by_velocities_are_larger_than_steps_by_accelerations() {
    let velocities = admissible(|h| thrown(Paradigm::VELOCITY_LCP, Some(true), h));
    let accelerations = admissible(|h| thrown(Paradigm::ACCELERATION_LCP, None, h));
    // the control: without look-ahead, gaps are noticed only as overlaps
    let blind = admissible(|h| thrown(Paradigm::VELOCITY_LCP, Some(false), h));
    assert!(velocities == 0.1 && accelerations == 0.02 && blind == 0.005, "{velocities} {accelerations} {blind}");
}
