//! Backtracking: times of impact against closed forms, several collisions in one step, and contacts at concave boundaries.

use drystone::core::catalogue::Value;
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};

fn set(kind: ModuleKind, key: &str, value: Value) -> ModuleChoice {
    ModuleChoice { kind, name: None, settings: vec![(key.to_owned(), value)] }
}

fn control(key: &str, value: &str) -> ModuleChoice {
    set(ModuleKind::TimeControl, key, Value::Text(value.to_owned()))
}

fn material(world: &mut World, restitution: f64, friction: f64) -> drystone_core::MaterialIndex {
    world.add_material(Material { restitution, friction, ..Material::default() }).unwrap()
}

/// A ball falls from a metre and bounces. Returns the heights of its rebounds (m), and how often its state was rolled back.
fn bounce(paradigm: Paradigm, choices: &[ModuleChoice], restitution: f64, dt: f64) -> (Vec<f64>, u64) {
    let mut builder = World::builder().paradigm(paradigm);
    for choice in choices {
        builder = builder.choose(choice.clone());
    }
    let mut world = builder.build().unwrap();
    let m = material(&mut world, restitution, 0.0);
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(m)).unwrap();
    let ball = world.add(Body::dynamic(Shape::sphere(0.1).unwrap()).at([0.0, 1.1, 0.0]).material(m)).unwrap();
    let (mut rollbacks, mut heights) = (0, vec![1.0]);
    for _ in 0..(2.0 / dt) as usize {
        rollbacks += world.advance(dt).unwrap().calls.rollbacks;
        heights.push(world.position(ball).unwrap().y - 0.1);
    }
    let peaks = heights.windows(3).filter(|w| w[1] > w[0] && w[1] >= w[2]).map(|w| w[1]).collect();
    (peaks, rollbacks)
}

/// B-03, B-04, B-08.
#[test]
fn bounces_come_back_to_the_height_that_restitution_leaves() {
    for choices in [vec![], vec![control("search", "bisection")]] {
        for dt in [1.0 / 240.0, 1.0 / 60.0] {
            let (peaks, rollbacks) = bounce(Paradigm::RETROACTIVE, &choices, 0.8, dt);
            // frames miss the top by at most g dt^2 / 8
            let missed = 9.81 * dt * dt / 8.0 + 1e-3;
            for (found, expected) in peaks.iter().zip([0.64, 0.4096, 0.262_144]) {
                assert!((found - expected).abs() < missed, "dt {dt}: {peaks:?}");
            }
            assert!((3..=6).contains(&rollbacks), "{rollbacks} for three or four bounces");
        }
    }
}

#[test]
fn a_ball_that_is_never_seen_to_overlap_is_not_taken_back() {
    let (_, rollbacks) = bounce(Paradigm::VELOCITY_LCP, &[], 0.8, 1.0 / 60.0);
    assert_eq!(rollbacks, 0);
}

/// Four resting balls with gaps of a millimetre, and one that hits them at 2 m/s. Returns the speeds of all five afterwards, and the number of
/// rollbacks.
fn row(paradigm: Paradigm) -> (Vec<f64>, u64) {
    let mut world = World::builder().paradigm(paradigm).gravity([0.0; 3]).build().unwrap();
    let m = material(&mut world, 1.0, 0.0);
    let mut ids = Vec::new();
    for i in 0..5 {
        let x = if i == 0 { -1.0 } else { 1.001 * f64::from(i) };
        let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).at([x, 0.0, 0.0]).material(m);
        ids.push(world.add(if i == 0 { ball.linear_velocity([2.0, 0.0, 0.0]) } else { ball }).unwrap());
    }
    let mut rollbacks = 0;
    for _ in 0..360 {
        rollbacks += world.advance(1.0 / 240.0).unwrap().calls.rollbacks;
    }
    (ids.iter().map(|id| world.velocity(*id).unwrap().linear.x).collect(), rollbacks)
}

/// B-17.
#[test]
fn collisions_in_one_step_are_taken_in_the_order_of_time() {
    // the four collisions follow each other within 2 ms, half a step
    for paradigm in [Paradigm::RETROACTIVE, Paradigm::TIMEWARP, Paradigm::IMPULSE, Paradigm::HYBRID] {
        let (speeds, _) = row(paradigm);
        let last = (speeds[4] - 2.0).abs() < 1e-6 && speeds[..4].iter().all(|v| v.abs() < 1e-6);
        assert!(last, "{}: {speeds:?}", paradigm.name);
    }
    assert_eq!(row(Paradigm::RETROACTIVE).1, 4);
    // the control: resolved all at once, the balls share the impact
    let (speeds, _) = row(Paradigm::ODE);
    assert!((speeds[4] - 2.0).abs() > 0.1, "{speeds:?}");
}

/// B-07, B-25: a cube is thrown along the groove between two large fixed balls.
#[test]
fn motion_along_concave_boundaries_goes_on() {
    for response in ["impact", "tracking"] {
        let mut world =
            World::builder().paradigm(Paradigm::RETROACTIVE).choose(control("response", response)).build().unwrap();
        for x in [-1.0, 1.0] {
            world.add(Body::fixed(Shape::sphere(1.2).unwrap()).at([x, 0.0, 0.0])).unwrap();
        }
        world.add(Body::fixed(Shape::plane(Vec3::Y, -2.0).unwrap())).unwrap();
        let cube = Body::dynamic(Shape::cuboid(0.2, 0.2, 0.2).unwrap()).at([0.0, 1.3, 0.0]);
        let id = world.add(cube.linear_velocity([2.0, 0.0, 0.5])).unwrap();
        for _ in 0..120 {
            let calls = world.advance(1.0 / 60.0).unwrap().calls;
            // if a time of impact does not help, the step is taken as it is: at 5 m/s the cube goes at most this deep
            assert!(calls.rollbacks <= 64 && calls.penetration < 5.0 / 60.0, "{response}: {calls:?}");
        }
        assert!(world.position(id).unwrap().is_finite());
    }
}

/// A-14, B-07: an overlooked penetration is reported, and the step is repeated with its contact.
#[test]
fn tracking_closes_a_gap_that_was_overlooked() {
    // a fast plastic ball: without its future contact it would go 10 cm deep
    let mut world =
        World::builder().paradigm(Paradigm::RETROACTIVE).choose(control("response", "tracking")).build().unwrap();
    let m = material(&mut world, 0.0, 0.0);
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(m)).unwrap();
    let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).at([0.0, 0.2, 0.0]).material(m);
    let id = world.add(ball.linear_velocity([0.0, -10.0, 0.0])).unwrap();
    let calls = world.advance(0.02).unwrap().calls;
    let y = world.position(id).unwrap().y;
    assert!((y - 0.1).abs() < 1e-3 && calls.rollbacks == 1, "{y} {calls:?}");
}

/// One step of 20 ms for rows of plastic balls with `gap` (m) between neighbours, the first ball of each row at 20 m/s.
fn pushed(balls: u32, rows: u32, gap: f64) -> (World, StepReport) {
    let exact =
        ModuleChoice { kind: ModuleKind::Lcp, name: Some("sparse-principal-pivoting".to_owned()), settings: vec![] };
    let builder = World::builder().paradigm(Paradigm::RETROACTIVE).gravity([0.0; 3]).choose(exact);
    let mut world = builder.choose(control("response", "tracking")).build().unwrap();
    let m = material(&mut world, 0.0, 0.0);
    for row in 0..rows {
        for k in 0..balls {
            let place = [(1.0 + gap) * f64::from(k), 0.0, 3.0 * f64::from(row)];
            let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).at(place).material(m);
            world.add(if k == 0 { ball.linear_velocity([20.0, 0.0, 0.0]) } else { ball }).unwrap();
        }
    }
    let report = world.advance(0.02).unwrap();
    (world, report)
}

/// How often such a step is repeated.
fn rounds(balls: u32, rows: u32, gap: f64) -> u64 {
    pushed(balls, rows, gap).1.calls.rollbacks
}

/// The missed contact takes part before anything moves again. When it did not, half a step at the old velocity went 0.2 m into the next ball.
#[test]
fn a_step_that_is_done_again_goes_into_nothing() {
    for balls in [2, 4, 8] {
        let (world, report) = pushed(balls, 1, 1e-3);
        assert!(report.penetration < 1e-4, "{balls} balls: {} m deep", report.penetration);
        // they move on together, with the momentum of the first
        let x: Vec<f64> = world.bodies().iter().map(|id| world.position(*id).unwrap().x).collect();
        let way: f64 = x.iter().zip(0..).map(|(x, k)| x - 1.001 * f64::from(k)).sum();
        assert!((way - 20.0 * 0.02).abs() < 1e-9, "{balls} balls: {way} m");
        assert!(x.windows(2).all(|w| w[1] - w[0] > 1.0 - 1e-4), "{balls} balls: {x:?}");
    }
}

/// Tracking takes at most one round per contact that is new in the step, and exactly one per contact if each appears only once those before it are
/// known.
#[test]
fn tracking_takes_a_round_for_each_link_of_the_longest_chain_of_pushes() {
    for balls in [2, 4, 8, 16] {
        assert_eq!(rounds(balls, 1, 1e-3), u64::from(balls) - 1, "a row of {balls}");
    }
    // rows side by side share their rounds: the longest chain counts, not the number of contacts
    assert_eq!(rounds(8, 4, 1e-3), 7);
    // the control: if the push does not reach the next ball, nothing is repeated
    assert_eq!(rounds(8, 1, 0.6), 0);
}

/// B-06: for a body that is already too deep there is no time of impact to search for.
#[test]
fn a_body_that_rests_too_deep_ends_no_frame_in_a_search() {
    let mut world = World::builder().paradigm(Paradigm::RETROACTIVE).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    // twice as deep as the tolerance, and moving down
    let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([0.0, 0.5 - 2e-4, 0.0]);
    let id = world.add(cube.linear_velocity([0.0, -0.01, 0.0])).unwrap();
    for _ in 0..20 {
        assert!(world.advance(0.01).unwrap().calls.sub_steps <= 2);
    }
    assert!((world.position(id).unwrap().y - 0.5).abs() < 1e-4);
}
