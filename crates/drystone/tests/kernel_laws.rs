//! The laws of the kernel port, checked on the real kernel in worlds with falling, resting, hanging and colliding bodies.

use drystone::core::{DetectMode, Kernel, Scope, StepFailure, TimeControl, TimeReport};
use drystone::prelude::*;
use drystone_joints::JointDescription;
use drystone_motion::force::Drag;
use drystone_testkit::{BrokenKernel, Fault, check_kernel};

/// A time control that only checks the kernel against its laws.
struct Laws {
    slack: f64,
}

impl TimeControl for Laws {
    fn name(&self) -> &'static str {
        "laws"
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        check_kernel(kernel, dt, self.slack)?;
        kernel.set_time(kernel.time() + dt);
        Ok(TimeReport::default())
    }
}

fn world(paradigm: Paradigm, slack: f64) -> World {
    World::builder().paradigm(paradigm).time_control(Laws { slack }).build().unwrap()
}

fn floor() -> Body {
    Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())
}

/// Four links that hang on hinges and swing.
fn chain(w: &mut World) {
    let mut last: Option<BodyId> = None;
    for i in 0..4 {
        let link = Body::dynamic(Shape::capsule(0.1, 0.3).unwrap()).at([-3.0, 4.3 - f64::from(i), 0.0]);
        let link = w.add(link.linear_velocity([2.0, 0.0, 0.0])).unwrap();
        let joint = JointDescription {
            anchor: Some(Vec3::new(-3.0, 4.8 - f64::from(i), 0.0)),
            axis: Some(Vec3::Z),
            ..JointDescription::new("hinge")
        };
        let pose = |b: Option<BodyId>| b.map_or(Pose::IDENTITY, |b| w.pose(b).unwrap());
        let joint = drystone_joints::build(&joint, &pose(last), &pose(Some(link))).unwrap();
        w.add_joint([last, Some(link)], joint).unwrap();
        last = Some(link);
    }
}

#[test]
fn stacks_and_loose_bodies() {
    for paradigm in [Paradigm::VELOCITY_LCP, Paradigm::LOAD_PROPAGATION] {
        let mut w = world(paradigm, 1e-4);
        w.add(floor()).unwrap();
        for i in 0..9 {
            let (column, row) = (f64::from(i % 3), f64::from(i / 3));
            let place = [2.0 * column, 0.5 + 1.001 * row, 0.0];
            w.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at(place)).unwrap();
        }
        for i in 0..4 {
            let place = [1.3 * f64::from(i), 4.0, 3.0];
            let spin = [f64::from(i), 2.0, -1.0];
            let body = Body::dynamic(Shape::cuboid(0.1, 0.4, 0.2).unwrap()).at(place);
            w.add(body.angular_velocity(spin)).unwrap();
        }
        for _ in 0..60 {
            w.advance(0.01).unwrap();
        }
    }
}

#[test]
fn a_chain_and_what_it_hits() {
    let mut w = world(Paradigm::VELOCITY_LCP, 1e-3);
    w.add(floor()).unwrap();
    chain(&mut w);
    for i in 0..3 {
        w.add(Body::dynamic(Shape::sphere(0.3).unwrap()).at([-2.0 + 0.61 * f64::from(i), 0.9, 0.0])).unwrap();
    }
    for _ in 0..60 {
        w.advance(0.01).unwrap();
    }
}

/// Drag half a step later is not known, so velocities are not staggered and steps do not use mid-step forces (an error of g h^2 / 2, five times the
/// slack).
#[test]
fn loose_bodies_in_a_field() {
    let mut w = world(Paradigm::VELOCITY_LCP, 1e-4);
    w.add(floor()).unwrap();
    w.add(Body::dynamic(Shape::sphere(0.1).unwrap()).at([0.0, 3.0, 0.0]).linear_velocity([1.0, 2.0, 0.0])).unwrap();
    w.add_force(Drag { viscous: 0.1, ..Drag::default() });
    for _ in 0..20 {
        w.advance(0.01).unwrap();
    }
}

/// A stack, a swinging chain, a box moving down and one moving up, and a rolling ball.
fn all_sorts(control: impl TimeControl + 'static) -> World {
    let mut w = World::builder().paradigm(Paradigm::VELOCITY_LCP).time_control(control).build().unwrap();
    let bouncy = w.add_material(Material { restitution: 0.8, ..Material::default() }).unwrap();
    w.add(floor()).unwrap();
    let cube = || Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap());
    for i in 0..3 {
        w.add(cube().at([0.0, 0.5 + f64::from(i), 0.0])).unwrap();
    }
    w.add(cube().at([3.0, 0.52, 0.0]).linear_velocity([0.0, -3.0, 0.0]).material(bouncy)).unwrap();
    w.add(cube().at([6.0, 0.501, 0.0]).linear_velocity([0.0, 2.0, 0.0])).unwrap();
    w.add(cube().at([9.0, 5.0, 0.0])).unwrap();
    let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).at([0.0, 0.5, 5.0]);
    w.add(ball.linear_velocity([4.0, 0.0, 0.0]).angular_velocity([0.0, 0.0, -8.0])).unwrap();
    chain(&mut w);
    w
}

/// A ball rolls over the edge of a table: when detected again, it is still above the plane of the top.
fn over_the_edge(control: impl TimeControl + 'static) -> World {
    let mut w = World::builder().paradigm(Paradigm::VELOCITY_LCP).time_control(control).build().unwrap();
    w.add(Body::fixed(Shape::cuboid(1.0, 0.5, 1.0).unwrap()).at([0.0, -0.5, 0.0])).unwrap();
    let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).at([0.94, 0.5, 0.0]);
    w.add(ball.linear_velocity([4.0, 0.0, 0.0]).angular_velocity([0.0, 0.0, -8.0])).unwrap();
    w
}

#[test]
fn whoever_breaks_a_law_is_told() {
    /// Checks a kernel with a fault against the laws.
    struct Broken(Option<Fault>);
    impl TimeControl for Broken {
        fn name(&self) -> &'static str {
            "broken"
        }
        fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
            match self.0 {
                Some(fault) => check_kernel(&mut BrokenKernel { kernel, fault }, dt, 1e-4)?,
                None => check_kernel(kernel, dt, 1e-4)?,
            }
            kernel.set_time(kernel.time() + dt);
            Ok(TimeReport::default())
        }
    }
    let run = |fault: Option<Fault>| {
        let mut worlds = vec![all_sorts(Broken(fault)), over_the_edge(Broken(fault))];
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for w in &mut worlds {
                for _ in 0..10 {
                    w.advance(0.01).unwrap();
                }
            }
        }))
    };
    assert!(run(None).is_ok());
    let unseen: Vec<Fault> = Fault::ALL.into_iter().filter(|fault| run(Some(*fault)).is_ok()).collect();
    assert!(unseen.is_empty(), "no law says anything against {unseen:?}");
}

/// A body thrown up that comes down again within the look-ahead time is higher in between than at its end.
#[test]
fn what_rises_and_falls_keeps_to_its_room() {
    let mut w = world(Paradigm::VELOCITY_LCP, 1e-3);
    w.add(floor()).unwrap();
    for i in 0..8 {
        let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([2.0 * f64::from(i), 0.501, 0.0]);
        w.add(cube.linear_velocity([0.0, 0.1 * f64::from(i), 0.0])).unwrap();
    }
    w.advance(0.05).unwrap();
}

/// A body placed or pushed from outside counts as unseen in the next step if it is fast for its size, and in no other step.
#[test]
fn what_is_thrown_from_outside_is_unseen_for_one_step() {
    use std::sync::{Arc, Mutex};
    /// Records whether anything is unseen, then takes a plain step.
    struct Probe(Arc<Mutex<Vec<bool>>>);
    impl TimeControl for Probe {
        fn name(&self) -> &'static str {
            "probe"
        }
        fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
            self.0.lock().unwrap().push(kernel.is_unseen(dt));
            kernel.detect(Scope::All, DetectMode { look_ahead: dt, ..DetectMode::default() })?;
            kernel.solve(Scope::All, dt, dt)?;
            kernel.drift(Scope::All, dt)?;
            kernel.set_time(kernel.time() + dt);
            Ok(TimeReport::default())
        }
    }
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut w = World::builder().paradigm(Paradigm::VELOCITY_LCP).time_control(Probe(seen.clone())).build().unwrap();
    let ball = w.add(Body::dynamic(Shape::sphere(0.1).unwrap()).at([0.0, 5.0, 0.0])).unwrap();
    w.advance(0.01).unwrap();
    w.advance(0.01).unwrap();
    for speed in [1.0, 100.0] {
        w.set_velocity(ball, Twist::new(Vec3::X * speed, Vec3::ZERO)).unwrap();
        w.advance(0.01).unwrap();
        w.advance(0.01).unwrap();
    }
    let seen = seen.lock().unwrap().clone();
    assert_eq!(seen[1..], [false, false, false, true, false], "1 m/s is slow for a ball of 10 cm, 100 m/s is not");
}
