//! The laws of the kernel port, on the real kernel, in worlds that fall, rest, hang and meet.

use drystone::core::{Kernel, StepFailure, TimeControl, TimeReport};
use drystone::prelude::*;
use drystone_joints::JointDescription;
use drystone_testkit::check_kernel;

/// A time control that does nothing but hold the kernel to its laws.
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

#[test]
fn stacks_and_loose_bodies() {
    for paradigm in [Paradigm::VELOCITY_LCP, Paradigm::SHOCK_PROPAGATION] {
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
    for i in 0..3 {
        w.add(Body::dynamic(Shape::sphere(0.3).unwrap()).at([-2.0 + 0.61 * f64::from(i), 0.9, 0.0])).unwrap();
    }
    for _ in 0..60 {
        w.advance(0.01).unwrap();
    }
}

#[test]
fn a_law_that_is_broken_is_told() {
    /// Forgets what a restore should bring back: saves motion where contacts are asked for.
    struct Forgetful;
    impl TimeControl for Forgetful {
        fn name(&self) -> &'static str {
            "forgetful"
        }
        fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
            // no slack at all: the rotation of a step is not the chord of its rate
            check_kernel(kernel, dt, 0.0)?;
            Ok(TimeReport::default())
        }
    }
    let mut w = World::builder().time_control(Forgetful).build().unwrap();
    let top = Body::dynamic(Shape::cuboid(0.1, 0.4, 0.2).unwrap()).angular_velocity([3.0, 2.0, 1.0]);
    w.add(top).unwrap();
    let broken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| w.advance(0.01)));
    assert!(broken.is_err());
}
