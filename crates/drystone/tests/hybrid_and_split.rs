//! The hybrid control chooses by its pair records and keeps momentum; the split order keeps resting bodies from bouncing (A-23, A-25, B-12, B-27).

use drystone::core::{Kernel, StepFailure, TimeControl, TimeReport};
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::{Module, StepObserver};
use drystone_testkit::Random;
use drystone_time_control::Hybrid;
use std::sync::{Arc, Mutex};

/// A hybrid control in which the test can read how many frames each of its controls did.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Hybrid>>);

impl TimeControl for Told {
    fn name(&self) -> &'static str {
        "told"
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        self.0.lock().unwrap().advance(kernel, dt)
    }
}

#[test]
fn fast_frames_are_searched_and_resting_ones_stepped() {
    let told = Told::default();
    let mut w =
        World::builder().paradigm(Paradigm::HYBRID).time_control(told.clone()).gravity([0.0; 3]).build().unwrap();
    let m = w.add_material(Material { restitution: 1.0, friction: 0.0, ..Material::default() }).unwrap();
    let ball =
        |x: f64, v: f64| Body::dynamic(Shape::sphere(0.1).unwrap()).at([x, 0.0, 0.0]).linear_velocity([v, 0.0, 0.0]);
    w.add(ball(-1.0, 10.0).material(m)).unwrap();
    w.add(ball(1.0, -10.0).material(m)).unwrap();
    let before = w.momentum();
    for _ in 0..60 {
        w.advance(1.0 / 240.0).unwrap();
        assert!((w.momentum().linear - before.linear).length() < 1e-9);
    }
    let frames = told.0.lock().unwrap().frames;
    assert_eq!((frames[1], frames[0] + frames[1]), (1, 60), "one frame in which they meet");
    assert!(w.state().linear_velocity[0].x < -9.99 && w.state().linear_velocity[1].x > 9.99);
}

/// For a fast ball the time of impact with a box or a short stack is searched. At a tall stack, where an impact
/// runs through all of it, the ball is left to equal steps, with the same result. The contact graph decides which.
#[test]
fn what_arrives_at_a_pile_is_left_to_the_steps() {
    // H-36, H-38
    let thrown = |boxes: u32, hybrid: Hybrid| {
        let told = Told(Arc::new(Mutex::new(hybrid)));
        let mut w = World::builder().paradigm(Paradigm::HYBRID).time_control(told.clone()).build().unwrap();
        w.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        for k in 0..boxes {
            let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(1.0);
            w.add(cube.at([0.0, 0.5 + f64::from(k), 0.0])).unwrap();
        }
        let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(1.0).at([-1.0, 0.5, 0.0]);
        let ball = w.add(ball.linear_velocity([10.0, 0.0, 0.0])).unwrap();
        let mut least = f64::INFINITY;
        for _ in 0..30 {
            w.advance(1.0 / 240.0).unwrap();
            least = least.min(0.5 - (w.position(ball).unwrap().x + 0.6));
        }
        let frames = told.0.lock().unwrap().frames;
        (frames, w.state().linear_velocity.iter().map(|v| v.x).sum::<f64>())
    };
    let (alone, _) = thrown(1, Hybrid::default());
    assert!(alone[1] > 0, "a box by itself is for impulses: {alone:?}");
    let (pile, drift) = thrown(12, Hybrid::default());
    assert_eq!(pile[1], 0, "a stack of twelve is for constraints");
    // searched all the same, the pile gets the momentum that the ball also brings in equal steps
    let (searched, other) = thrown(12, Hybrid { bodies: 100, ..Hybrid::default() });
    assert!(searched[1] > 0, "{searched:?}");
    assert!((drift - other).abs() < 0.5, "{drift} and {other} of 10 m/s");
}

/// The bits of a stack beside which a ball flies, towards a wall or along it; how many frames were searched and passages counted; the deepest overlap (m).
fn stack_beside_a_ball(random: &mut Random, [toward, along]: [f64; 2]) -> (Vec<u64>, [u64; 2], f64) {
    let told = Told::default();
    let mut w = World::builder().paradigm(Paradigm::HYBRID).time_control(told.clone()).build().unwrap();
    w.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    w.add(Body::fixed(Shape::cuboid(0.1, 3.0, 3.0).unwrap()).at([20.0, 0.0, 0.0])).unwrap();
    let half = random.range(0.2, 0.6);
    let count = 2 + random.below(4);
    for k in 0..count {
        let cube = Body::dynamic(Shape::cuboid(half, half, half).unwrap());
        let off = random.range(-0.1, 0.1) * half;
        w.add(cube.at([off, half * (1.0 + 2.0 * k as f64), 0.0])).unwrap();
    }
    let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).at([19.0, 2.0, 0.0]);
    w.add(ball.linear_velocity([toward, 0.0, along])).unwrap();
    let (mut counted, mut deepest) = (0, 0.0_f64);
    for _ in 0..60 {
        let report = w.advance(1.0 / 240.0).unwrap();
        counted += report.calls.tunnelled;
        deepest = deepest.max(report.calls.penetration);
    }
    let ball = w.state().linear_velocity[2 + count];
    assert!(ball.x <= 1e-9, "the wall stops it: {ball:?}");
    let searched = told.0.lock().unwrap().frames[1];
    let state = w.state();
    let columns = [&state.position, &state.linear_velocity, &state.angular_velocity];
    let bits = columns.into_iter().flat_map(|c| &c[2..2 + count]).flat_map(Vec3::to_array).map(f64::to_bits).collect();
    (bits, [searched, counted], deepest)
}

/// What is searched is decided by group.
#[test]
fn a_ball_that_hits_far_away_changes_no_bit_of_a_stack() {
    let mut searched = 0;
    for seed in 0..20 {
        // what comes back from the wall does not reach the stack
        let speed = 20.0 + 12.0 * seed as f64;
        let (calm, [none, _], _) = stack_beside_a_ball(&mut Random::new(seed), [0.0, speed]);
        let (beside, [frames, counted], deepest) = stack_beside_a_ball(&mut Random::new(seed), [speed, 0.0]);
        assert_eq!((&calm, none), (&beside, 0), "{seed}");
        assert_eq!(counted, 0, "{seed}: what is taken back did not pass");
        assert!(deepest < 0.01, "{seed}: {deepest}");
        searched += frames;
    }
    assert!(searched > 5, "{searched} frames are searched");
    // the control: another stack has other bits
    assert_ne!(
        stack_beside_a_ball(&mut Random::new(0), [0.0; 2]).0,
        stack_beside_a_ball(&mut Random::new(1), [0.0; 2]).0
    );
}

#[test]
fn the_split_order_is_collisions_then_velocities_then_positions() {
    // H-37
    #[derive(Clone, Default)]
    struct Trace(Arc<Mutex<Vec<(Module, Module)>>>);
    impl StepObserver for Trace {
        fn call(&mut self, from: Module, to: Module) {
            self.0.lock().unwrap().push((from, to));
        }
    }
    let mut w = World::builder().paradigm(Paradigm::IMPULSE_SPLIT).build().unwrap();
    w.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    w.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([0.0, 0.5, 0.0])).unwrap();
    let trace = Trace::default();
    w.observe(Some(Box::new(trace.clone())));
    w.advance(0.01).unwrap();
    let calls = trace.0.lock().unwrap();
    let first = |to: Module| calls.iter().position(|c| c.1 == to).unwrap();
    let collisions = first(Module::CollisionSolver);
    let contacts = first(Module::ConstraintSolver);
    assert!(first(Module::NarrowPhase) < collisions && collisions < contacts, "{calls:?}");
    assert!(calls[contacts..].contains(&(Module::TimeControl, Module::MotionSolver)), "positions come last");
}

#[test]
fn what_rests_on_a_slope_does_not_bounce() {
    // L-27: the purpose of the new order
    let slope = |paradigm: Paradigm| {
        let (sin, cos) = 15.0_f64.to_radians().sin_cos();
        let mut w = World::builder().paradigm(paradigm).gravity([9.81 * sin, -9.81 * cos, 0.0]).build().unwrap();
        let m = w.add_material(Material { restitution: 0.8, friction: 0.5, ..Material::default() }).unwrap();
        w.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(m)).unwrap();
        let id = w.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([0.0, 0.5, 0.0]).material(m)).unwrap();
        (0..200)
            .map(|_| {
                w.advance(0.01).unwrap();
                (w.position(id).unwrap() - Vec3::new(0.0, 0.5, 0.0)).length()
            })
            .fold(0.0, f64::max)
    };
    let moved = slope(Paradigm::IMPULSE_SPLIT);
    assert!(moved < 1e-6, "{moved}");
}

/// Velocity and spin of a ball (radius r, velocity v, spin about z) after it
/// has bounced off the floor without gravity: restitution 0.6, friction mu.
fn after_impact(time_control: &str, r: f64, height: f64, (v, spin): (Vec3, f64), mu: f64, h: f64) -> (Vec3, f64) {
    let name = Some(time_control.to_owned());
    let choice = ModuleChoice { kind: ModuleKind::TimeControl, name, settings: vec![] };
    let builder = World::builder().paradigm(Paradigm::IMPULSE_SPLIT).choose(choice).gravity([0.0; 3]);
    let mut w = builder.build().unwrap();
    let m = w.add_material(Material { restitution: 0.6, friction: mu, ..Material::default() }).unwrap();
    w.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(m)).unwrap();
    let ball = Body::dynamic(Shape::sphere(r).unwrap()).material(m).at([0.0, height, 0.0]);
    let ball = w.add(ball.linear_velocity(v).angular_velocity([0.0, 0.0, spin])).unwrap();
    for _ in 0..(0.3 / h).round() as usize {
        w.advance(h).unwrap();
    }
    let after = w.velocity(ball).unwrap();
    (after.linear, after.angular.z)
}

/// The closed form: friction reduces the slip along x, at most until it stops, with `I = 2/5 m
/// r^2`. The impulse acts in the middle of the gap at the start of the step in which the two meet.
fn impact(r: f64, height: f64, (v, spin): (Vec3, f64), mu: f64, h: f64) -> (Vec3, f64) {
    let arm = r + 0.5 * ((height - r) % (-v.y * h));
    let turns = 2.5 * arm / (r * r);
    let slip = v.x + arm * spin;
    let most = mu * 1.6 * -v.y;
    let change = -slip.signum() * most.min(slip.abs() / (1.0 + arm * turns));
    (Vec3::new(v.x + change, -0.6 * v.y, 0.0), spin + turns * change)
}

/// Contacts found after the trial motion are taken back with the bodies. If that
/// turned a ball, the point found is not where it touches, so it has to be found anew.
#[test]
fn a_ball_that_spins_hits_the_floor_with_its_lowest_point() {
    for time_control in ["impulse-split", "semi-implicit"] {
        // the first spin, which turns the ball by next to nothing in a step, is the control
        for spin in [0.0, -10.0, -20.0, -60.0, -100.0] {
            let motion = (Vec3::new(2.0, -3.0, 0.0), spin);
            for height in [0.5037, 0.5074, 0.5111] {
                let expected = impact(0.2, height, motion, 0.25, 0.005);
                let found = after_impact(time_control, 0.2, height, motion, 0.25, 0.005);
                let off = (found.0 - expected.0).length().max(0.2 * (found.1 - expected.1).abs());
                assert!(off < 1e-9, "{time_control} {spin} {height}: {found:?}, expected {expected:?}");
            }
        }
        // no spin before the impact, but much after it: in a step of a sixtieth of a second it turns by a radian
        let motion = (Vec3::new(8.0, -8.0, 0.0), 0.0);
        for height in [0.55, 0.577, 0.604, 0.631, 0.658] {
            let expected = impact(0.05, height, motion, 0.1, 1.0 / 60.0);
            let found = after_impact(time_control, 0.05, height, motion, 0.1, 1.0 / 60.0);
            let off = (found.0 - expected.0).length().max(0.05 * (found.1 - expected.1).abs());
            assert!(off < 1e-9, "{time_control} {height}: {found:?}, expected {expected:?}");
        }
    }
}
