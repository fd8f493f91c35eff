//! The hybrid control chooses by what the records say and keeps momentum; the split order keeps what rests from bouncing (A-23, A-25, B-12, B-27).

use drystone::core::{Kernel, StepFailure, TimeControl, TimeReport};
use drystone::prelude::*;
use drystone_core::{Module, StepObserver};
use drystone_time_control::Hybrid;
use std::sync::{Arc, Mutex};

/// A hybrid that tells how many frames each of its controls did.
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

/// A fast ball asks for the time of impact with a box and with a short stack; at a tall one, whose impacts run through all of it, it is left to the steps, and the
/// end is the same: the contact graph says which.
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
    // searched all the same, the momentum that the ball brings is the one that it brings to the steps
    let (searched, other) = thrown(12, Hybrid { bodies: 100, ..Hybrid::default() });
    assert!(searched[1] > 0, "{searched:?}");
    assert!((drift - other).abs() < 0.5, "{drift} and {other} of 10 m/s");
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
    // L-27: what the new order is for
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
