//! The events of a frame are the changes since the end of the frame before, however many detections it has.

use drystone::core::{DetectMode, Kernel, Restore, Save, Scope, StepFailure, TimeControl, TimeReport};
use drystone::prelude::*;
use drystone::{EventKind, ModuleChoice, ModuleKind};
use drystone_core::catalogue::Value;

/// How often a bouncing ball began and ceased to touch the floor, over four seconds.
fn bounces(dt: f64, sub_steps: i64) -> (u64, u64) {
    let settings = vec![("sub_steps".to_owned(), Value::Integer(sub_steps))];
    let choice = ModuleChoice { kind: ModuleKind::TimeControl, name: None, settings };
    let mut world = World::builder().choose(choice).build().unwrap();
    let lively = world.add_material(Material { restitution: 0.9, friction: 0.0, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(lively)).unwrap();
    world.add(Body::dynamic(Shape::sphere(0.1).unwrap()).at([0.0, 1.0, 0.0]).material(lively)).unwrap();
    let (mut began, mut ceased) = (0, 0);
    for _ in 0..(4.0 / dt) as usize {
        let report = world.advance(dt).unwrap();
        began += report.events.new_touching;
        ceased += report.events.vanishing_touching;
        let listed = |kind| world.contact_events().iter().filter(|e| e.kind == kind).count() as u64;
        assert_eq!(report.events.new_touching, listed(EventKind::NewTouching));
        assert_eq!(report.events.vanishing_touching, listed(EventKind::VanishingTouching));
    }
    (began, ceased)
}

#[test]
fn sub_steps_lose_no_event() {
    let (began, ceased) = bounces(0.001, 1);
    assert!(began >= 4 && began - ceased <= 1, "{began} began, {ceased} ceased");
    // the same steps, ten or a hundred to a frame
    assert_eq!(bounces(0.01, 10), (began, ceased));
    assert_eq!(bounces(0.1, 100), (began, ceased));
}

/// A time control that predicts half a second ahead before each frame and takes that back.
struct Glance(Save);

impl TimeControl for Glance {
    fn name(&self) -> &'static str {
        "glance"
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        let start = kernel.save(Scope::All, self.0);
        kernel.predict(Scope::All, 0.5)?;
        kernel.detect(Scope::All, DetectMode::default())?;
        kernel.restore(Scope::All, start, Restore::All);
        kernel.detect(Scope::All, DetectMode::default())?;
        kernel.drift(Scope::All, dt)?;
        kernel.set_time(kernel.time() + dt);
        Ok(TimeReport::default())
    }
}

#[test]
fn what_was_taken_back_left_no_event() {
    let touches = |what: Save| {
        let mut world = World::builder().gravity(Vec3::ZERO).time_control(Glance(what)).build().unwrap();
        world.add(Body::fixed(Shape::sphere(0.5).unwrap())).unwrap();
        let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).at([-1.4, 0.0, 0.0]);
        world.add(ball.linear_velocity([1.0, 0.0, 0.0])).unwrap();
        (0..10).map(|_| world.advance(0.01).unwrap().events.new_touching).sum::<u64>()
    };
    assert_eq!(touches(Save::Contacts), 0);
    assert_eq!(touches(Save::Motion), 0, "events are taken back with the poses, whether contacts are or not");
}

/// Detects until the first penetration, and sends the report of it.
struct FirstPenetration(std::sync::mpsc::Sender<drystone_core::DetectReport>);

impl TimeControl for FirstPenetration {
    fn name(&self) -> &'static str {
        "first-penetration"
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, _: f64) -> Result<TimeReport, StepFailure> {
        let report = kernel.detect(Scope::All, DetectMode { short_circuit: true, ..DetectMode::default() })?;
        self.0.send(report).unwrap();
        Ok(TimeReport::default())
    }
}

#[test]
fn a_short_circuit_reports_the_pair_at_which_it_stopped() {
    // H-09
    let (sender, receiver) = std::sync::mpsc::channel();
    let mut world = World::builder().gravity(Vec3::ZERO).time_control(FirstPenetration(sender)).build().unwrap();
    let ball = || Body::dynamic(Shape::sphere(0.5).unwrap());
    let ids: Vec<_> =
        [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [-0.95, 0.0, 0.0]].map(|p| world.add(ball().at(p)).unwrap()).into();
    world.advance(0.01).unwrap();
    let first = receiver.recv().unwrap();
    let deepest = first.deepest.unwrap();
    assert_eq!((deepest.pair.a.0, deepest.pair.b.0, first.tested), (0, 2, 1));
    assert!((deepest.depth - 0.05).abs() < 1e-12);
    // that pair separates until only its bounding boxes overlap; another one, less deep, comes before it in the list
    world.set_pose(ids[2], Vec3::new(-0.9, 0.9, 0.0), Quat::IDENTITY).unwrap();
    world.set_pose(ids[1], Vec3::new(0.99, 0.0, 0.0), Quat::IDENTITY).unwrap();
    let events = world.advance(0.01).unwrap().events;
    let second = receiver.recv().unwrap();
    let deepest = second.deepest.unwrap();
    assert_eq!((deepest.pair.a.0, deepest.pair.b.0, second.tested), (0, 1, 1));
    assert!((deepest.depth - 0.01).abs() < 1e-12);
    assert_eq!(events.new_touching, 1, "the pair after it was not looked at: it stands as it did");
    // nothing penetrates: all pairs are tested, and none is reported
    world.set_pose(ids[1], Vec3::new(1.2, 0.0, 0.0), Quat::IDENTITY).unwrap();
    let events = world.advance(0.01).unwrap().events;
    let third = receiver.recv().unwrap();
    assert_eq!(third.deepest, None);
    assert_eq!(events.vanishing_touching, 2);
}
