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

/// Fires one shot: true if the middle of the body goes through the wall, and the number of passages that the world counts.
fn fire(seed: u64, mut world: World, continuous: bool) -> (bool, u64) {
    let r = &mut Random::new(seed);
    let (speed, half, radius) = (scale(r, 3.0, 2000.0), scale(r, 0.003, 0.1), scale(r, 0.02, 0.2));
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
    let round = Shape::sphere(radius).unwrap();
    let shape = if r.below(2) == 0 { round } else { Shape::cuboid(radius, 0.7 * radius, 0.8 * radius).unwrap() };
    let shot = Body::dynamic(shape).density(1000.0).material(material).at((turned * aim - way * distance).to_array());
    let shot = world.add(shot.continuous(continuous).linear_velocity((way * speed).to_array())).unwrap();
    let seen = |world: &World| world.pose(wall).unwrap().local_point(world.position(shot).unwrap());
    let (mut crossed, mut through, mut counted, mut before) = (false, false, 0, seen(&world));
    let steps = ((distance + 2.0) / (speed / 60.0)).ceil().min(400.0) as usize + 10;
    for _ in 0..steps {
        // a run may end by name instead
        let Ok(report) = world.advance(1.0 / 60.0) else { break };
        counted += report.calls.tunnelled;
        let now = seen(&world);
        if before.x < 0.0 && now.x >= 0.0 {
            let at = before.lerp(now, before.x / (before.x - now.x));
            crossed = at.y.abs() < BREADTH && at.z.abs() < BREADTH;
        }
        crossed &= now.x >= 0.0;
        through |= crossed && now.x > half;
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

#[test]
fn what_goes_through_in_any_number_of_steps_is_counted_once() {
    let blind = [
        Paradigm::REAL_TIME,
        Paradigm::VELOCITY_LCP,
        Paradigm::LOAD_PROPAGATION,
        Paradigm::ODE,
        Paradigm::VORTEX,
        Paradigm::SUBSTEP_SOFT,
        Paradigm::AVBD,
    ];
    let blind = blind.map(|paradigm| (paradigm, None, true)).into_iter();
    // which combines rates instead of drifting
    let combined = [(Paradigm::VELOCITY_LCP, Some("runge-kutta"), true)];
    let as_they_are = [Paradigm::ACCELERATION_LCP, Paradigm::COLLISION_SYNCHRONIZATION].map(|p| (p, None, false));
    for (paradigm, time_control, is_blind) in blind.chain(combined).chain(as_they_are) {
        let mut sum = 0;
        for seed in 0..60 {
            let (through, counted) = fire(seed, world(paradigm, time_control, is_blind), false);
            assert_eq!(counted, u64::from(through), "{} {time_control:?} seed {seed}", paradigm.name);
            sum += counted;
        }
        assert!(sum > 15, "{} {time_control:?}: only {sum} of 60 go through", paradigm.name);
    }
}

/// Nothing goes through, except under `penalty`, whose springs act only on what penetrates, and under presets that sweep no ways and say so. The control is the test above: without
/// looking ahead most shots go through.
#[test]
fn continuous_bodies_go_through_nothing_where_ways_are_swept() {
    let sweeps = |p: &&Paradigm| p.name != "penalty" && world(**p, None, false).modules().sweeps_ways();
    for paradigm in Paradigm::ALL.iter().filter(sweeps) {
        for seed in 0..40 {
            let outcome = fire(seed, world(*paradigm, None, false), true);
            assert!(outcome == (false, 0), "{} seed {seed}: {outcome:?}", paradigm.name);
        }
    }
}
