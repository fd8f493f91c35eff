//! Forces of the last solve are used again if the problem has not changed, and only then (E-40, H-19, O-50).

use drystone::math::elementary::{cos, sin};
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::ScriptedState;
use drystone_core::catalogue::Value;
use drystone_motion::script::FunctionOfTime;

const H: f64 = 0.01;
const G: f64 = 9.81;

fn world(reuse: f64, gravity: Vec3) -> World {
    let settings = vec![("reuse_forces".to_owned(), Value::Real(reuse))];
    let choice = ModuleChoice { kind: ModuleKind::ConstraintSolver, name: None, settings };
    World::builder().paradigm(Paradigm::VELOCITY_LCP).gravity(gravity).choose(choice).build().unwrap()
}

fn rough(world: &mut World, friction: f64) -> drystone_core::MaterialIndex {
    world.add_material(Material { friction, restitution: 0.0, ..Material::default() }).unwrap()
}

fn block(height: f64) -> Body {
    Body::dynamic(Shape::cuboid(0.5, 0.1, 0.5).unwrap()).mass(2.0).at([0.0, height, 0.0])
}

/// Over two seconds: in how many of the last hundred steps nothing was solved, and where the body `last` ends.
fn run(mut world: World, last: BodyId) -> (usize, Vec3) {
    let mut reused = 0;
    for step in 0..200 {
        let lcp = world.advance(H).unwrap().lcp;
        assert!(lcp.solves > 0);
        reused += usize::from(step >= 100 && lcp.iterations == 0);
    }
    (reused, world.position(last).unwrap())
}

/// Three books on a table.
fn books(reuse: f64) -> (usize, Vec3) {
    let mut world = world(reuse, Vec3::NEG_Y * G);
    let m = rough(&mut world, 0.5);
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(m)).unwrap();
    let books = [0.1, 0.3, 0.5].map(|y| world.add(block(y).material(m)).unwrap());
    run(world, books[2])
}

/// A block on a plane that is turned to a slope of `angle(t)` (rad) at time t.
fn incline(reuse: f64, friction: f64, angle: impl Fn(f64) -> f64 + Send + Sync + 'static) -> (usize, Vec3) {
    let mut world = world(reuse, Vec3::NEG_Y * G);
    let m = rough(&mut world, friction);
    let plane = world.add(Body::scripted(Shape::cuboid(50.0, 0.5, 5.0).unwrap()).material(m)).unwrap();
    let start = angle(0.0);
    let motion = FunctionOfTime(move |t: f64| ScriptedState {
        pose: Pose::new(Vec3::ZERO, Quat::from_rotation_z(-angle(t))),
        velocity: Twist::new(Vec3::ZERO, Vec3::Z * (angle(t) - angle(t + 1e-6)) * 1e6),
        acceleration: Twist::ZERO,
    });
    world.add_script(plane, motion).unwrap();
    let body = block(0.0).at([0.6 * sin(start), 0.6 * cos(start), 0.0]).oriented(Quat::from_rotation_z(-start));
    let body = world.add(body.material(m)).unwrap();
    run(world, body)
}

#[test]
fn forces_are_reused_where_the_problem_is_the_same_and_the_motion_is_too() {
    const PART: f64 = 1e-4;
    let ((reused, at), (solved, wanted)) = (books(PART), books(0.0));
    // the sweeps themselves end near this fraction, so that in every other step they go on
    assert!(reused >= 40 && solved == 0, "{reused} {solved}");
    // the tolerance leaves some of a second's gravity, which is projected away
    assert!((at - wanted).length() < 1e-5, "{at} {wanted}");
    // held on a slope, and sliding down one: the forces are the same in each step
    for friction in [0.5, 0.1] {
        let slope = |_: f64| 0.3;
        let ((reused, at), (solved, wanted)) = (incline(PART, friction, slope), incline(0.0, friction, slope));
        assert!(reused >= 40 && solved == 0, "{friction}: {reused} {solved}");
        let way = if friction < 0.3 { G * (sin(0.3) - friction * cos(0.3)) * 2.0 } else { 0.0 };
        assert!((at - wanted).length() < 1e-3 * (1.0 + way), "{friction}: {at} {wanted}");
    }
}

#[test]
fn forces_are_not_reused_on_a_slope_that_becomes_less() {
    // the normal force changes with the cosine of the slope (by 0.05 rad/s) in each step, ten times the tolerance
    let (reused, _) = incline(1e-5, 0.5, |t: f64| 0.3 - 0.05 * t);
    assert!(reused < 5, "{reused}");
}
