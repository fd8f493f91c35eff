//! What buys precision: sides of the friction pyramid, contact by contact (E-24), and steps, frame by frame, out of a budget (N-16).

use drystone::prelude::*;
use drystone::{Budget, ModuleChoice, ModuleKind, Pacer};
use drystone_core::MaterialError;
use drystone_core::catalogue::Value;
use drystone_joints::JointDescription;

const G: f64 = 9.81;
const FRAME: f64 = 1.0 / 60.0;

fn choice(kind: ModuleKind, name: Option<&str>, settings: &[(&str, Value)]) -> ModuleChoice {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    ModuleChoice { kind, name: name.map(str::to_owned), settings }
}

/// Blocks thrown at `sqrt(2)` m/s, half way between two sides of an eight-sided pyramid. Each surface has its own number of sides, or the solver's
/// 4 if zero. Returns their relative errors against `v^2 / (2 mu g)`, and the variables of the largest problem.
fn thrown(facets: &[u32]) -> (Vec<f64>, u64) {
    let pyramid = choice(ModuleKind::ConstraintSolver, Some("pyramid"), &[("facets", Value::Integer(4))]);
    let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(pyramid).build().unwrap();
    let rough = Material { friction: 0.5, restitution: 0.0, ..Material::default() };
    let floor = world.add_material(rough).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(floor)).unwrap();
    let (sine, cosine) = (core::f64::consts::PI / 8.0).sin_cos();
    let blocks: Vec<_> = facets
        .iter()
        .zip(0..)
        .map(|(&facets, k)| {
            let own = world.add_material(Material { facets, ..rough }).unwrap();
            let block = Body::dynamic(Shape::cuboid(0.5, 0.1, 0.5).unwrap()).material(own);
            let from = Vec3::new(0.0, 0.1, 5.0 * f64::from(k));
            let block = block.at(from).linear_velocity(Vec3::new(cosine, 0.0, sine) * 2.0_f64.sqrt());
            (world.add(block).unwrap(), from)
        })
        .collect();
    let mut variables = 0;
    for _ in 0..240 {
        variables = variables.max(world.advance(1.0 / 240.0).unwrap().lcp.variables_max);
    }
    let exact = 2.0 / (2.0 * 0.5 * G);
    let off = |(block, from): (BodyId, Vec3)| ((world.position(block).unwrap() - from).length() / exact - 1.0).abs();
    (blocks.into_iter().map(off).collect(), variables)
}

#[test]
fn each_contact_has_the_sides_of_its_surface_and_pays_for_them() {
    let (errors, variables) = thrown(&[0, 8, 32]);
    // four contacts per block, eta + 2 variables each
    assert_eq!(variables, 4 * (32 + 2));
    assert!(errors[2] < 0.02 && errors[0] > 2.0 * errors[2], "{errors:?}");
    assert!(errors[2] < errors[1] && errors[1] < errors[0], "{errors:?}");
    // negative control: with the solver's four sides everywhere, it is cheaper and all errors equal the largest
    let (coarse, variables) = thrown(&[0, 0, 0]);
    assert_eq!(variables, 4 * (4 + 2));
    assert!(coarse.iter().all(|e| (e - errors[0]).abs() < 1e-9), "{coarse:?}");
    for facets in [1, 2, 3, 5, 66] {
        let mut world = World::builder().build().unwrap();
        let refused = world.add_material(Material { facets, ..Material::default() });
        assert!(matches!(refused, Err(WorldError::Material(MaterialError::Facets(f))) if f == facets), "{refused:?}");
    }
}

/// A mass on a spring, with a budget of this many operations per frame. Returns the error after a second (m), and the number of steps of the last
/// frame.
fn swinging(operations: f64) -> (f64, u32) {
    let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).gravity(Vec3::ZERO).build().unwrap();
    let body = world.add(Body::dynamic(Shape::cuboid(0.1, 0.1, 0.1).unwrap()).mass(1.0)).unwrap();
    let spring = Some(Spring { stiffness: 100.0, damping: 1.0, rest: -0.5 });
    let slider = JointDescription { axis: Some(Vec3::X), spring, ..JointDescription::new("slider") };
    world
        .add_joint([None, Some(body)], drystone_joints::build(&slider, &Pose::IDENTITY, &Pose::IDENTITY).unwrap())
        .unwrap();
    let mut pacer = Pacer::new(Budget::Operations(operations), 1000);
    let mut steps = 0;
    for _ in 0..60 {
        let frame = pacer.advance(&mut world, FRAME).unwrap();
        assert!(frame.within || frame.steps <= 2, "{frame:?}");
        steps = frame.steps;
    }
    assert!((world.time() - 1.0).abs() < 1e-12);
    let turn = (100.0_f64 - 0.25).sqrt();
    let exact = 0.5 * (-0.5_f64).exp() * (turn.cos() + 0.5 / turn * turn.sin());
    ((world.position(body).unwrap().x + 0.5 - exact).abs(), steps)
}

#[test]
fn a_larger_budget_is_more_precise() {
    let found: Vec<_> = [0.0, 100.0, 400.0, 1600.0].map(swinging).to_vec();
    // the budget does not even pay for one step per frame, which is taken all the same
    assert_eq!(found[0].1, 1);
    for pair in found.windows(2) {
        assert!(pair[1].1 > 2 * pair[0].1 && pair[1].0 < 0.5 * pair[0].0, "{found:?}");
    }
}

/// A heap that grows by a ball every third frame and never sleeps, under a budget or with eight steps per frame. Returns each frame's steps, cost
/// and whether it kept the budget, and where the balls end.
fn heap(budget: Option<f64>) -> (Vec<(u32, f64, bool)>, Vec<Vec3>) {
    let never = choice(ModuleKind::SleepPolicy, Some("never"), &[]);
    let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(never).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let half = Vec3::new(0.1 + f64::abs(z), 2.0, 0.1 + f64::abs(x));
        let wall = Body::fixed(Shape::cuboid(half.x, half.y, half.z).unwrap());
        world.add(wall.at(Vec3::new(1.1 * x, 2.0, 1.1 * z))).unwrap();
    }
    let mut pacer = Pacer::new(Budget::Operations(budget.unwrap_or(f64::INFINITY)), 8);
    let (mut balls, mut frames) = (Vec::new(), Vec::new());
    for k in 0..180 {
        if k % 3 == 0 {
            let t = f64::from(k);
            let place = Vec3::new(0.6 * (1.3 * t).sin(), 3.0, 0.6 * (0.7 * t).cos());
            balls.push(world.add(Body::dynamic(Shape::sphere(0.2).unwrap()).at(place)).unwrap());
        }
        let frame = pacer.advance(&mut world, FRAME).unwrap();
        frames.push((frame.steps, frame.cost, frame.within));
    }
    assert!((world.time() - 3.0).abs() < 1e-9);
    (frames, balls.into_iter().map(|b| world.position(b).unwrap()).collect())
}

#[test]
fn a_heap_that_is_all_awake_stays_within_its_budget() {
    let budget = 8000.0;
    let (frames, places) = heap(Some(budget));
    let over = frames.iter().filter(|(_, _, within)| !within).count();
    let dearest = frames.iter().map(|(_, cost, _)| *cost).fold(0.0, f64::max);
    assert!(over == 0 && dearest <= budget, "{over} frames over, {dearest}");
    // it uses the budget that it has, and takes fewer steps as the heap grows
    let steps = |range: core::ops::Range<usize>| frames[range].iter().map(|(s, ..)| *s).max().unwrap();
    assert_eq!(steps(1..20), 8);
    assert!(steps(170..180) < 8 && frames.iter().all(|(s, ..)| *s >= 1), "{:?}", &frames[170..]);
    assert!(places.iter().all(|p| p.y > 0.15 && p.x.abs() < 1.05 && p.z.abs() < 1.05));
    // a second run agrees to the bit: no clock is read
    assert_eq!(heap(Some(budget)), (frames, places));
    // negative control: a fixed eight steps per frame exceed the budget in the end
    let (fixed, _) = heap(None);
    assert!(fixed.last().unwrap().0 == 8 && fixed.last().unwrap().1 > budget, "{:?}", fixed.last());
}

#[test]
fn a_budget_of_the_clock_takes_what_it_gets() {
    let mut world = World::builder().build().unwrap();
    world.add(Body::dynamic(Shape::sphere(0.2).unwrap()).at([0.0, 3.0, 0.0])).unwrap();
    let mut plenty = Pacer::new(Budget::Seconds(3600.0), 12);
    let frames = [0, 1].map(|_| plenty.advance(&mut world, FRAME).unwrap());
    assert_eq!(frames.map(|f| (f.steps, f.within)), [(12, true), (12, true)]);
    let mut none = Pacer::new(Budget::Seconds(0.0), 12);
    let frames = [0, 1].map(|_| none.advance(&mut world, FRAME).unwrap());
    assert_eq!(frames.map(|f| (f.steps, f.within)), [(2, false), (1, false)]);
    assert!((world.time() - 4.0 * FRAME).abs() < 1e-12);
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(none.advance(&mut world, bad), Err(WorldError::OutOfRange { what: "dt", .. })), "{bad}");
    }
}

/// A column of boxes that grows by one every tenth frame, with up to 50 sweeps per solve. Returns each frame's iterations and cost and whether it
/// kept the budget, and how far the lowest box has sunk (m).
fn growing(budget: f64, fewest: Option<u32>) -> (Vec<(Option<u32>, f64, bool)>, f64) {
    let never = choice(ModuleKind::SleepPolicy, Some("never"), &[]);
    let sweeps = choice(ModuleKind::Lcp, Some("projected-gauss-seidel"), &[("iterations", Value::Integer(50))]);
    let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(never).choose(sweeps).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let mut pacer = Pacer::new(Budget::Operations(budget), 4).with_fewest_iterations(fewest);
    let (mut frames, mut first) = (Vec::new(), None);
    for k in 0..200 {
        if k % 10 == 0 {
            let up = 0.5 + f64::from(k / 10);
            let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([0.0, up, 0.0]);
            let body = world.add(cube).unwrap();
            first = first.or(Some(body));
        }
        let frame = pacer.advance(&mut world, FRAME).unwrap();
        frames.push((frame.iterations, frame.cost, frame.within));
    }
    (frames, 0.5 - world.position(first.unwrap()).unwrap().y)
}

#[test]
fn iterations_are_counted_out_where_one_step_is_too_dear() {
    // one step of the full column takes 80 contacts of 51 visits each
    let budget = 2500.0;
    let (frames, sunk) = growing(budget, Some(4));
    let over = frames.iter().filter(|f| !f.2).count();
    assert!(over <= 3, "{over} frames over, in which a box had just come: {frames:?}");
    assert_eq!(frames[60].0, None, "while the column is low each solve has all of its sweeps");
    let least = frames.iter().filter_map(|f| f.0).min().unwrap();
    assert!((4..40).contains(&least), "{least}");
    assert!(frames[150..].iter().all(|f| f.1 > 0.5 * budget), "it spends what it has: {:?}", &frames[190..]);
    assert!(sunk < 0.01, "{sunk}");
    assert_eq!(growing(budget, Some(4)), (frames, sunk), "and the same again");
    // negative control: at a fixed fifty sweeps per solve the budget cannot be kept
    let (fixed, _) = growing(budget, None);
    assert!(fixed[150..].iter().all(|f| f.0.is_none() && !f.2), "{:?}", &fixed[190..]);
    // with enough budget all sweeps are allowed again
    let (free, _) = growing(1e9, Some(4));
    assert!(free.iter().all(|f| f.0.is_none()));
}
