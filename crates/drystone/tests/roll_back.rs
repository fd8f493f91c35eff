//! A restore within a frame really goes back: the solve after it gives the same bits as without the detour.

use drystone::core::{DetectMode, Kernel, Restore, Save, Scope, StepFailure, TimeControl, TimeReport};
use drystone::prelude::*;
use drystone_joints::JointDescription;

#[derive(Clone, Copy, PartialEq)]
enum Retry {
    Never,
    All(Save),
    GroupByGroup,
}

/// A step that is taken, rolled back and taken again.
struct Twice(Retry);

fn step(kernel: &mut dyn Kernel, scope: Scope, h: f64) -> Result<(), StepFailure> {
    kernel.solve(scope, h, h)?;
    kernel.drift(scope, h)?;
    kernel.refresh(scope, None);
    kernel.correct(scope)?;
    Ok(())
}

impl TimeControl for Twice {
    fn name(&self) -> &'static str {
        "twice"
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, h: f64) -> Result<TimeReport, StepFailure> {
        kernel.detect(Scope::All, DetectMode { look_ahead: h, ..DetectMode::default() })?;
        match self.0 {
            Retry::Never => {}
            Retry::All(what) => {
                let start = kernel.save(Scope::All, what);
                step(kernel, Scope::All, h)?;
                kernel.detect(Scope::All, DetectMode { look_ahead: h, ..DetectMode::default() })?;
                kernel.restore(Scope::All, start, Restore::All);
            }
            Retry::GroupByGroup => {
                let scopes: Vec<_> = kernel.groups().iter().map(|b| Scope::With(*b)).chain([Scope::Free]).collect();
                // restored in turn from a save of everything and from a save of the group alone
                let all = kernel.save(Scope::All, Save::Contacts);
                for (k, scope) in scopes.into_iter().enumerate() {
                    let own = kernel.save(scope, Save::Contacts);
                    step(kernel, scope, h)?;
                    kernel.restore(scope, if k % 2 == 0 { own } else { all }, Restore::All);
                    kernel.release(own);
                }
            }
        }
        step(kernel, Scope::All, h)?;
        kernel.set_time(kernel.time() + h);
        Ok(TimeReport { detections: 1, ..TimeReport::default() })
    }
}

fn run(retry: Retry) -> State {
    let mut world = World::builder().time_control(Twice(retry)).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    for i in 0..12 {
        let place = [1.5 * f64::from(i % 3) + 0.02 * f64::from(i), 0.5 + 1.01 * f64::from(i / 3), 0.0];
        world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at(place)).unwrap();
    }
    let mut last: Option<BodyId> = None;
    for i in 0..4 {
        let link = Body::dynamic(Shape::capsule(0.1, 0.3).unwrap()).at([-3.0, 6.0 - f64::from(i), 0.0]);
        let link = world.add(link.linear_velocity([1.0, 0.0, 0.0])).unwrap();
        let joint = JointDescription {
            anchor: Some(Vec3::new(-3.0, 6.5 - f64::from(i), 0.0)),
            axis: Some(Vec3::Z),
            ..JointDescription::new("hinge")
        };
        let pose = |b: Option<BodyId>| b.map_or(Pose::IDENTITY, |b| world.pose(b).unwrap());
        let joint = drystone_joints::build(&joint, &pose(last), &pose(Some(link))).unwrap();
        world.add_joint([last, Some(link)], joint).unwrap();
        last = Some(link);
    }
    for _ in 0..50 {
        world.advance(0.01).unwrap();
    }
    world.state().clone()
}

use drystone::core::State;

#[test]
fn restore_then_solve_is_solve() {
    let once = run(Retry::Never);
    assert_eq!(run(Retry::All(Save::Contacts)), once, "all at once");
    assert_eq!(run(Retry::GroupByGroup), once, "group by group");
    // the control: without the contacts' memory the result differs
    assert_ne!(run(Retry::All(Save::Motion)), once);
}

#[test]
fn saving_contacts_allocates_nothing_when_warm() {
    let mut world = World::builder().time_control(Twice(Retry::All(Save::Contacts))).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    for i in 0..5 {
        let place = [0.0, 0.5 + f64::from(i), 0.0];
        world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at(place)).unwrap();
    }
    for _ in 0..50 {
        world.advance(0.01).unwrap();
    }
    let info = allocation_counter::measure(|| {
        world.advance(0.01).unwrap();
    });
    assert_eq!(info.count_total, 0);
}
