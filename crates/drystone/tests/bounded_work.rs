//! The work of a step is bounded: a direct solver that does not finish in time hands over to sweeps, and the report says so.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, WorldBuilder};
use drystone_core::catalogue::Value;
use drystone_lcp::{ProblemKind, SOLVERS};
use drystone_math::Pose;
use drystone_testkit::Random;

/// Boxes thrown into one another, every fifth held by a script.
fn heap(n: usize) -> World {
    heap_of(n, World::builder().paradigm(Paradigm::MECHANISM))
}

fn heap_of(n: usize, builder: WorldBuilder) -> World {
    let mut seed = 12345_u64;
    let mut uniform = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut world = builder.limits(drystone::Limits::NONE).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    for i in 0..n {
        let shape = Shape::cuboid(0.1 + 0.4 * uniform(), 0.1 + 0.4 * uniform(), 0.1 + 0.4 * uniform()).unwrap();
        let body = if i % 5 == 4 { Body::scripted(shape) } else { Body::dynamic(shape) };
        let place = [uniform(), 0.3 + uniform(), uniform()];
        let turned = Quat::from_xyzw(uniform() - 0.5, uniform() - 0.5, uniform() - 0.5, uniform() - 0.5);
        world.add(body.at(place).oriented(turned.normalize())).unwrap();
    }
    world
}

#[test]
fn a_heap_of_overlapping_boxes_is_handed_over() {
    let mut world = heap(40);
    let mut handed_over = 0;
    for _ in 0..3 {
        let report = world.advance(0.01).unwrap();
        let calls = report.calls;
        handed_over += calls.solve.fallbacks + calls.correction.fallbacks;
        // once the work is used up the step does no more of it: no refinements, no further rounds of projection
        assert!(calls.solve.fallbacks <= report.groups && calls.correction.fallbacks <= report.groups);
    }
    assert!(handed_over > 0);
    assert!(world.state().position.iter().all(|p| p.is_finite()));
}

#[test]
fn a_few_boxes_are_solved_to_the_end() {
    let mut world = heap(4);
    for _ in 0..3 {
        let calls = world.advance(0.01).unwrap().calls;
        assert_eq!(calls.solve.fallbacks + calls.correction.fallbacks, 0);
    }
}

/// A thousand rows and more: whichever method solves them hands over what its work limit does not cover.
#[test]
fn no_method_goes_on_for_ever() {
    for info in SOLVERS.iter().filter(|s| s.parameters.iter().any(|p| p.name == "work")) {
        if info.kinds.contains(&ProblemKind::Friction) {
            continue;
        }
        // enough iterations for the work limit to be what stops it
        let settings =
            vec![("work".to_owned(), Value::Real(2e7)), ("iterations".to_owned(), Value::Integer(1_000_000))];
        let solver = ModuleChoice { kind: ModuleKind::Lcp, name: Some(info.name.to_owned()), settings };
        let mut world = heap_of(40, World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(solver));
        let report = world.advance(0.01).unwrap();
        assert!(report.calls.solve.fallbacks > 0, "{}: {:?}", info.name, report.calls.solve);
        assert!(world.state().position.iter().all(|p| p.is_finite()));
    }
}

/// Whichever dense method is chosen, sweeps do what its work limit does not cover.
#[test]
fn dense_methods_hand_over_too() {
    for name in ["lemke", "dantzig", "block-principal-pivoting", "murty-least-index", "path-search-newton"] {
        let settings = vec![("work".to_owned(), Value::Real(1e4))];
        let solver = ModuleChoice { kind: ModuleKind::Lcp, name: Some(name.to_owned()), settings };
        let mut world = heap_of(12, World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(solver));
        let mut handed_over = 0;
        for _ in 0..3 {
            handed_over += world.advance(0.01).unwrap().calls.solve.fallbacks;
        }
        assert!(handed_over > 0, "{name}");
    }
}

/// A ball that bounces many times in one frame: a frame of event-driven steps
/// takes as many as it is allowed, and fails by name if that is not enough.
#[test]
fn a_frame_of_more_steps_than_allowed_fails_by_name() {
    let frame = |most_steps: u32| {
        let control = drystone_time_control::EventDriven { most_steps, ..Default::default() };
        let builder = World::builder().paradigm(Paradigm::ACCELERATION_LCP).time_control(control);
        let mut world = builder.build().unwrap();
        let material = world.add_material(Material { restitution: 0.8, ..Material::default() }).unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(material)).unwrap();
        world.add(Body::dynamic(Shape::sphere(0.1).unwrap()).at([0.0, 0.3, 0.0]).material(material)).unwrap();
        world.advance(0.9).map(|_| ())
    };
    frame(100).unwrap();
    let message = frame(2).unwrap_err().to_string();
    assert!(message.contains("no progress") && message.contains("most_steps"), "{message}");
}

/// A tumbling box with a tolerance that cannot be kept: it takes smaller and smaller steps, as many as are allowed, and then fails by name.
#[test]
fn a_tolerance_that_asks_for_ever_smaller_steps_fails_by_name() {
    let frame = |most_steps: i64, tolerance: f64| {
        let settings = vec![
            ("method".to_owned(), Value::Text("dormand-prince".to_owned())),
            ("tolerance".to_owned(), Value::Real(tolerance)),
            ("most_steps".to_owned(), Value::Integer(most_steps)),
        ];
        let control = ModuleChoice { kind: ModuleKind::TimeControl, name: Some("runge-kutta".to_owned()), settings };
        let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(control).build().unwrap();
        let top = Body::dynamic(Shape::cuboid(0.1, 0.2, 0.3).unwrap());
        world.add(top.angular_velocity([30.0, 40.0, 50.0])).unwrap();
        world.advance(0.01).map(|report| [report.calls.sub_steps, report.calls.rollbacks])
    };
    let message = frame(20, 1e-12).unwrap_err().to_string();
    assert!(message.contains("no progress") && message.contains("most_steps"), "{message}");
    // equal steps (tolerance 0) have no such limit, and a tolerance that can be kept does not reach it
    assert_eq!(frame(1, 0.0).unwrap(), [1, 0]);
    assert!(frame(20, 1.0).unwrap().iter().sum::<u64>() < 20);
    // rejected steps count like accepted ones: the sum of both is just enough, and one less is not
    let [stand, back] = frame(2000, 1e-9).unwrap();
    assert!(stand > 1 && back > 1, "{stand} {back}");
    let tries = (stand + back) as i64;
    assert_eq!(frame(tries, 1e-9).unwrap(), [stand, back]);
    assert!(frame(tries - 1, 1e-9).is_err());
}

/// A clamp whose jaws both overlap the block between them: each impulse of one jaw makes the other one collide,
/// without end. The pair is tried less and less often, and the report says so. The control is a clamp with gaps.
#[test]
fn impulses_that_do_not_come_to_an_end_are_tried_ever_more_seldom() {
    let struck = |overlap: f64| {
        let jaw = || Shape::cuboid(1.0, 0.1, 1.0).unwrap();
        let away = 0.3 - overlap;
        let jaws = [1.0, -1.0].map(|side| (jaw(), drystone_math::Pose::from_position(Vec3::Y * (side * away))));
        let mut world = World::builder().paradigm(Paradigm::IMPULSE).limits(drystone::Limits::NONE).build().unwrap();
        world.add(Body::fixed(Shape::compound(jaws.to_vec()).unwrap())).unwrap();
        let block = Body::dynamic(Shape::cuboid(0.2, 0.2, 0.2).unwrap());
        world.add(block.linear_velocity([0.0, -0.3, 0.0]).angular_velocity([0.1, 0.0, 0.2])).unwrap();
        let resolve = world.advance(0.01).unwrap().calls.resolve;
        (resolve.iterations, resolve.truncated)
    };
    let (impulses, truncated) = struck(1e-3);
    // 512 looks at eight contacts would be 262 144
    assert!(truncated && impulses > 100 && impulses < 20_000, "{impulses} {truncated}");
    let (impulses, truncated) = struck(-1e-3);
    assert!(!truncated && impulses < 500, "{impulses} {truncated}");
}

/// All solves of a frame draw on one budget: here those of newton-minimum-map in eight steps of ten rounds each, with the work of a single step.
#[test]
fn all_solves_of_a_frame_share_their_work() {
    let frame = |work: f64, sub_steps: i64| {
        let lcp = ModuleChoice {
            kind: ModuleKind::Lcp,
            name: Some("newton-minimum-map".to_owned()),
            settings: vec![("work".to_owned(), Value::Real(work))],
        };
        let control = ModuleChoice {
            kind: ModuleKind::TimeControl,
            name: Some("fixed-point".to_owned()),
            settings: vec![("sub_steps".to_owned(), Value::Integer(sub_steps))],
        };
        let builder = World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(lcp).choose(control);
        let mut world = heap_of(8, builder);
        let calls = world.advance(0.08).unwrap().calls;
        let next = world.advance(0.08).unwrap().calls;
        assert!(world.state().position.iter().all(|p| p.is_finite()));
        let works = [calls, next].map(|calls| calls.solve.work + calls.correction.work);
        (works, calls.solve.fallbacks, calls.solve.lcp.solves)
    };
    let ([one, _], handed_over, _) = frame(1e12, 1);
    assert!(one > 0.0 && handed_over == 0, "{one:e} {handed_over}");
    let ([free, _], _, solves) = frame(1e12, 8);
    assert!(free > 3.0 * one && solves > 8, "{free:e} {one:e} {solves}");
    // it is exceeded by at most one solve, and by what several groups take side by side
    let ([bounded, next], handed_over, solves) = frame(one, 8);
    assert!(bounded < 2.0 * one && handed_over > 0 && handed_over <= solves, "{bounded:e} {one:e} {handed_over}");
    // and the next frame has a budget of its own
    assert!(next > 0.5 * one && next < 2.0 * one, "{next:e} after {bounded:e}");
    assert_eq!(frame(one, 8), ([bounded, next], handed_over, solves), "another run");
}

/// The work that a frame of this many separate heaps takes, and how often the budget was exhausted.
fn frame_of_heaps(heaps: usize, builder: WorldBuilder) -> (f64, u64) {
    let mut world = heap_of(5, builder);
    let first: Vec<_> = world.bodies().to_vec();
    for heap in 1..heaps {
        for &body in &first[1..] {
            let (pose, column) = (world.pose(body).unwrap(), world.body_index(body).unwrap());
            let kind = world.configuration().bodies[column.at()].kind;
            let shape = world.configuration().bodies[column.at()].shape.clone();
            let copy = if kind == BodyKind::Dynamic { Body::dynamic(shape) } else { Body::scripted(shape) };
            let place = pose.position + Vec3::X * (10.0 * heap as f64);
            world.add(copy.at(place).oriented(pose.orientation)).unwrap();
        }
    }
    let report = world.advance(0.01).unwrap();
    assert_eq!(report.groups as usize, heaps);
    let (solve, correction) = (report.calls.solve, report.calls.correction);
    (solve.work + correction.work, solve.exhausted + correction.exhausted)
}

/// Groups side by side draw on one budget: three separate heaps take little more than the work allowed, which is that of one heap.
#[test]
fn all_groups_of_a_frame_share_their_work() {
    let by_lcp = |work: f64| {
        let (name, settings) = ("newton-minimum-map".to_owned(), vec![("work".to_owned(), Value::Real(work))]);
        let lcp = ModuleChoice { kind: ModuleKind::Lcp, name: Some(name), settings };
        World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(lcp)
    };
    let by_positions = |work: f64| {
        let settings = vec![("frame_work".to_owned(), Value::Real(work))];
        let choice = ModuleChoice { kind: ModuleKind::ConstraintSolver, name: None, settings };
        World::builder().paradigm(Paradigm::POSITION_NCP).choose(choice)
    };
    let presets: [&dyn Fn(f64) -> WorldBuilder; 2] = [&by_lcp, &by_positions];
    for builder in presets {
        let (one, exhausted) = frame_of_heaps(1, builder(1e12));
        assert!(one > 0.0 && exhausted == 0);
        // the control: without a bound three heaps take three times as much
        let (free, exhausted) = frame_of_heaps(3, builder(1e12));
        assert!(free > 2.9 * one && exhausted == 0, "{free:e} {one:e}");
        let (bounded, exhausted) = frame_of_heaps(3, builder(one));
        assert!(bounded < 1.5 * one && exhausted > 0, "{bounded:e} {one:e} {exhausted}");
    }
}

/// A frame ends even if a pair's pause is shorter than the clock can resolve, or the step is the smallest number there is.
#[test]
fn a_frame_late_in_a_long_run_has_an_end() {
    for &paradigm in Paradigm::ALL {
        for (late, dt) in [(1e9, 1e-5), (0.0, 5e-324), (1e9, 1e-7)] {
            let mut world = World::builder().paradigm(paradigm).limits(drystone::Limits::NONE).build().unwrap();
            if late > 0.0 {
                world.advance(late).unwrap();
            }
            world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
            for height in [0.1, 0.3] {
                let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).at([0.0, height, 0.0]);
                world.add(ball.linear_velocity([0.0, -1.0, 0.0])).unwrap();
            }
            // a step that is too small for the clock may be refused, or fail by name
            let done = (0..2).all(|_| world.advance(dt).is_ok());
            assert!(!done || world.state().position.iter().all(|p| p.is_finite()), "{}", paradigm.name);
        }
    }
}

/// Boxes thrown together need many impulses anyway: after `looks` looks the pairs wait longer, and the report says so.
#[test]
fn a_frame_of_impulses_takes_so_many_looks() {
    let frame = |looks: i64| {
        let settings = vec![("looks".to_owned(), Value::Integer(looks))];
        let control = ModuleChoice { kind: ModuleKind::TimeControl, name: Some("impulse".to_owned()), settings };
        let mut world = heap_of(12, World::builder().paradigm(Paradigm::IMPULSE).choose(control));
        let calls = world.advance(0.01).unwrap().calls;
        assert!(world.state().position.iter().all(|p| p.is_finite()));
        (calls.resolve.iterations, calls.resolve.truncated)
    };
    let (free, _) = frame(1_000_000_000);
    let (bounded, truncated) = frame(free as i64 / 10);
    // as many looks again pass until the pauses are as long as the frame, and then come the last looks at each pair and its neighbours
    assert!(truncated && 2 * bounded < free, "{bounded} {free}");
}

/// No impulses keep all of forty boxes apart. Sweeps that doubled their pushes
/// once ended, in the second step, with positions that were not numbers.
#[test]
fn positions_that_no_impulses_can_mend_stay_numbers() {
    let mut world = heap_of(40, World::builder().paradigm(Paradigm::POSITION_NCP));
    for _ in 0..4 {
        let report = world.advance(0.01).unwrap();
        assert!(report.calls.solve.fallbacks > 0);
    }
    let farthest = world.state().position.iter().fold(0.0_f64, |m, p| m.max(p.length()));
    assert!(farthest < 100.0, "{farthest}");
}

/// Boxes thrown together under every preset. A release run with `DRYSTONE_HEAP=40` and `--nocapture` prints the slowest step of each.
#[test]
fn a_heap_takes_bounded_work_under_every_preset() {
    let n = std::env::var("DRYSTONE_HEAP").map_or(6, |v| v.parse().expect("a number of boxes"));
    for &paradigm in Paradigm::ALL {
        let mut world = heap_of(n, World::builder().paradigm(paradigm));
        let (mut slowest, mut most, mut handed_over) = (0.0_f64, 0.0_f64, 0);
        for _ in 0..10 {
            let start = std::time::Instant::now();
            let outcome = world.advance(0.01);
            slowest = slowest.max(start.elapsed().as_secs_f64());
            let calls = outcome.unwrap_or_else(|e| panic!("{}: {e}", paradigm.name)).calls;
            most = most.max(calls.solve.work + calls.correction.work);
            handed_over += calls.solve.fallbacks + calls.correction.fallbacks;
        }
        println!("{:28} {slowest:7.3} s {most:9.1e} {handed_over:4}", paradigm.name);
        // solves may overrun the budget by one of their steps
        assert!(most <= 1.5 * drystone_lcp::Budget::USUAL, "{}: {most:e}", paradigm.name);
    }
}

/// Bodies that begin overlapped in a small room: compounds of so many parts, or other shapes.
fn pile(kind: Kind, random: &mut Random) -> World {
    let mut world = World::builder().build().unwrap();
    for _ in 0..16 {
        let part = |random: &mut Random| {
            let [x, y, z] = [0; 3].map(|_| random.range(0.01, 0.04));
            (Shape::cuboid(x, y, z).unwrap(), Pose::new(random.vector(0.1), random.rotation()))
        };
        let [radius, half] = [0; 2].map(|_| random.range(0.05, 0.15));
        let shape = match kind {
            Kind::Parts(count) => Shape::compound((0..count).map(|_| part(random)).collect()),
            Kind::Cylinder => Shape::cylinder(radius, half),
            Kind::Cone => Shape::cone(radius, half),
            Kind::Hull => Shape::convex(&(0..20).map(|_| random.vector(0.12)).collect::<Vec<_>>()),
        };
        let body = Body::dynamic(shape.unwrap()).at(random.vector(0.1)).oriented(random.rotation());
        world.add(body).unwrap();
    }
    world
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Parts(usize),
    Cylinder,
    Cone,
    Hull,
}

/// The first step of piles that begin overlapped: a pair gets about as many contacts as block it and no more. With three times as many parts, eight times as many of them overlap,
/// and there are hardly more contacts. Other shapes have few in any case.
#[test]
fn piles_that_begin_overlapped_take_few_contacts() {
    let mut random = Random::new(18);
    let mut of_parts = [[0; 2]; 2];
    for (k, kind) in [Kind::Parts(15), Kind::Parts(45), Kind::Cylinder, Kind::Cone, Kind::Hull].into_iter().enumerate()
    {
        for _ in 0..3 {
            let mut world = pile(kind, &mut random);
            let report = world.advance(0.01).unwrap();
            let contacts = report.contacts as usize;
            let touching = world.graph().iter().filter(|edge| !edge.manifold.points.is_empty()).count();
            assert!(touching > 40 && report.calls.solve.fallbacks == 0, "{kind:?}: {touching} pairs");
            if let Some([overlaps, sum]) = of_parts.get_mut(k) {
                *overlaps += world.graph().iter().map(|edge| edge.seeds.len()).sum::<usize>();
                *sum += contacts;
            } else {
                assert!(contacts <= 8 * touching, "{kind:?}: {contacts} contacts of {touching} pairs");
            }
        }
    }
    let [[few_overlaps, few], [many_overlaps, many]] = of_parts;
    assert!(many_overlaps > 6 * few_overlaps, "{of_parts:?}");
    assert!(many < 2 * few, "{of_parts:?}");
}
