//! Random shots at walls, thinner and thicker than the body, at speeds at which bodies stop in them, go through in several steps, or in one: what goes through is counted once.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::catalogue::Value;
use drystone_testkit::Random;

/// Half the breadth of the walls (m).
const BREADTH: f64 = 3.0;

/// Uniform in the logarithm.
fn scale(r: &mut Random, lo: f64, hi: f64) -> f64 {
    r.range(lo.ln(), hi.ln()).exp()
}

/// Speeds (m/s) at which bodies bounce off, stop in a wall, or go through in one step.
const FAST: [f64; 2] = [3.0, 2000.0];
/// Speeds (m/s) at which they go through in several steps, if they do.
const SLOW: [f64; 2] = [0.3, 60.0];

/// A ball, a box, a rod or a hull of about this radius (m).
fn projectile(r: &mut Random, radius: f64) -> Shape {
    let shape = match r.below(4) {
        0 => Shape::sphere(radius),
        1 => Shape::cuboid(radius, 0.7 * radius, 0.8 * radius),
        2 => Shape::capsule(0.2 * radius, 0.8 * radius),
        _ => Shape::convex(&(0..9).map(|_| r.rotation() * Vec3::X * radius).collect::<Vec<_>>()),
    };
    shape.unwrap()
}

/// Fires one shot at a speed in a range (m/s): how often the middle of the body goes through the wall, there or back, and the number of passages that the world counts.
fn fire(speeds: [f64; 2], seed: u64, mut world: World, continuous: bool) -> (u64, u64) {
    let r = &mut Random::new(seed);
    let (speed, half, radius) = (scale(r, speeds[0], speeds[1]), scale(r, 0.003, 0.1), scale(r, 0.02, 0.2));
    let (slant, distance) = (if r.below(2) == 0 { 0.0 } else { r.range(0.1, 1.2) }, r.range(0.5, 10.0));
    let restitution = 0.5 * r.below(2) as f64;
    let material = Material { friction: 0.3, restitution, ..Material::default() };
    let material = world.add_material(material).unwrap();
    let plate = Shape::cuboid(half, BREADTH, BREADTH).unwrap();
    let plate = if r.below(3) == 0 { Body::dynamic(plate).density(3000.0) } else { Body::fixed(plate) };
    let turned = r.rotation();
    let wall = world.add(plate.material(material).oriented(turned)).unwrap();
    let way = turned * Vec3::new(slant.cos(), slant.sin(), 0.0);
    let aim = Vec3::new(-half - radius - 0.05, r.range(-1.0, 1.0), r.range(-1.0, 1.0));
    let shot = Body::dynamic(projectile(r, radius))
        .density(1000.0)
        .material(material)
        .at((turned * aim - way * distance).to_array());
    let shot = world.add(shot.continuous(continuous).linear_velocity((way * speed).to_array())).unwrap();
    let index = world.body_index(shot).unwrap().at();
    let seen = |world: &World| world.pose(wall).unwrap().local_point(world.state().position[index]);
    let (mut crossed, mut through, mut counted, mut before) = (false, 0, 0, seen(&world));
    let steps = ((distance + 2.0) / (speed / 60.0)).ceil().min(400.0) as usize + 10;
    for _ in 0..steps {
        // a run may end by name instead
        let Ok(report) = world.advance(1.0 / 60.0) else { break };
        counted += report.calls.tunnelled;
        let now = seen(&world);
        if (before.x < 0.0) != (now.x < 0.0) {
            let at = before.lerp(now, before.x / (before.x - now.x));
            crossed ^= at.y.abs() < BREADTH && at.z.abs() < BREADTH;
        }
        if crossed && now.x.abs() > half {
            (crossed, through) = (false, through + 1);
        }
        before = now;
    }
    (through, counted)
}

fn world(paradigm: Paradigm, time_control: Option<&str>, is_blind: bool) -> World {
    let mut builder = World::builder().gravity(Vec3::ZERO).paradigm(paradigm);
    if is_blind {
        let settings = vec![("predictive".to_owned(), Value::Bool(false))];
        let name = time_control.map(str::to_owned);
        builder = builder.choose(ModuleChoice { kind: ModuleKind::TimeControl, name, settings });
    }
    builder.build().unwrap()
}

/// Presets whose time control can be told not to look ahead.
const BLIND: [Paradigm; 7] = [
    Paradigm::REAL_TIME,
    Paradigm::VELOCITY_LCP,
    Paradigm::LOAD_PROPAGATION,
    Paradigm::ODE,
    Paradigm::VORTEX,
    Paradigm::SUBSTEP_SOFT,
    Paradigm::AVBD,
];

#[test]
fn what_goes_through_in_any_number_of_steps_is_counted_once() {
    let blind = BLIND.map(|paradigm| (paradigm, None, true)).into_iter();
    // which combines rates instead of drifting
    let combined = [(Paradigm::VELOCITY_LCP, Some("runge-kutta"), true)];
    let as_they_are = [Paradigm::ACCELERATION_LCP, Paradigm::COLLISION_SYNCHRONIZATION, Paradigm::PENALTY];
    for (paradigm, time_control, is_blind) in blind.chain(combined).chain(as_they_are.map(|p| (p, None, false))) {
        for (speeds, seeds, least) in [(FAST, 60, 16), (SLOW, 40, 3)] {
            let mut sum = 0;
            for seed in 0..seeds {
                let (through, counted) = fire(speeds, seed, world(paradigm, time_control, is_blind), false);
                assert_eq!(counted, through, "{} {time_control:?} seed {seed}, {speeds:?} m/s", paradigm.name);
                sum += counted;
            }
            assert!(sum >= least, "{} {time_control:?}: only {sum} of {seeds} go through", paradigm.name);
        }
    }
}

/// Nothing goes through, except under presets that sweep no ways and say so. The control is the test above: without looking ahead most shots go through.
#[test]
fn continuous_bodies_go_through_nothing_where_ways_are_swept() {
    let sweeps = |p: &&Paradigm| world(**p, None, false).modules().sweeps_ways();
    let as_they_are = Paradigm::ALL.iter().filter(sweeps).map(|p| (*p, false));
    for (paradigm, is_blind) in as_they_are.chain(BLIND.map(|paradigm| (paradigm, true))) {
        for seed in 0..40 {
            let outcome = fire(FAST, seed, world(paradigm, None, is_blind), true);
            assert!(outcome == (0, 0), "{} seed {seed}, blind {is_blind}: {outcome:?}", paradigm.name);
        }
    }
}
