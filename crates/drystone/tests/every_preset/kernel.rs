//! The laws of the kernel port, checked on the kernel that a preset's modules make up.

use drystone::Registry;
use drystone::prelude::*;
use drystone_core::{Kernel, Levels, StepFailure, TimeControl, TimeReport};
use drystone_joints::JointDescription;
use drystone_testkit::check_kernel;

const H: f64 = 0.01;

/// A time control that only checks the kernel against its laws.
struct Laws {
    slack: f64,
}

impl TimeControl for Laws {
    fn name(&self) -> &'static str {
        "laws"
    }
    /// The kernel's operations are the same at all levels.
    fn needs(&self) -> Levels {
        Levels { velocity: false, ..Levels::VELOCITY }
    }
    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        check_kernel(kernel, dt, self.slack)?;
        kernel.set_time(kernel.time() + dt);
        Ok(TimeReport::default())
    }
}

/// Ten steps of a world with a stack, boxes moving down and up, a tumbling plate, a rolling ball and, if the preset takes joints, a link on a
/// hinge.
pub(crate) fn check(registry: &Registry, paradigm: &Paradigm, slack: f64) {
    let mut w = world(registry, paradigm, slack, true);
    if let Err(WorldError::Refused { .. }) = w.advance(H) {
        w = world(registry, paradigm, slack, false);
    }
    for _ in 0..10 {
        w.advance(H).unwrap();
    }
}

fn world(registry: &Registry, paradigm: &Paradigm, slack: f64, joints: bool) -> World {
    let builder = World::builder().registry(registry.clone()).paradigm(*paradigm).time_control(Laws { slack });
    let mut w = builder.build().unwrap();
    w.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let cube = || Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap());
    for i in 0..3 {
        w.add(cube().at([0.0, 0.5 + f64::from(i), 0.0])).unwrap();
    }
    w.add(cube().at([3.0, 0.52, 0.0]).linear_velocity([0.0, -3.0, 0.0])).unwrap();
    w.add(cube().at([6.0, 0.501, 0.0]).linear_velocity([0.0, 2.0, 0.0])).unwrap();
    // spins about none of its principal axes
    let plate = Body::dynamic(Shape::cuboid(0.5, 0.1, 0.3).unwrap());
    w.add(plate.at([9.0, 5.0, 0.0]).angular_velocity([0.5, 1.0, 1.5])).unwrap();
    let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).at([0.0, 0.5, 5.0]);
    w.add(ball.linear_velocity([4.0, 0.0, 0.0]).angular_velocity([0.0, 0.0, -8.0])).unwrap();
    if joints {
        let link = Body::dynamic(Shape::capsule(0.1, 0.3).unwrap()).at([-3.0, 4.3, 0.0]);
        let link = w.add(link.linear_velocity([2.0, 0.0, 0.0])).unwrap();
        let (anchor, axis) = (Some(Vec3::new(-3.0, 4.8, 0.0)), Some(Vec3::Z));
        let hinge = JointDescription { anchor, axis, ..JointDescription::new("hinge") };
        let hinge = drystone_joints::build(&hinge, &Pose::IDENTITY, &w.pose(link).unwrap()).unwrap();
        if let Err(e) = w.add_joint([None, Some(link)], hinge) {
            assert!(matches!(e, WorldError::Refused { .. }), "{e}");
        }
    }
    w
}
