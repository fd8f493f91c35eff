//! Entities as bodies and joints: they come, are changed and go, and what happens is told.

use bevy_app::App;
use bevy_drystone::drystone::core::Material;
use bevy_drystone::drystone::geometry::Shape;
use bevy_drystone::drystone::math::Vec3;
use bevy_drystone::drystone::{Event, Joint, World, WorldError};
use bevy_drystone::{
    BodyMass, BodyOptions, Collider, Collision, DrystonePlugin, Happened, JointBetween, Physics, Refusal, Refused,
    RigidBody, Simulated, SimulatedJoint, Velocity, wireframe,
};
use bevy_ecs::entity::Entity;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::message::Messages;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;

fn app(gravity: f64) -> App {
    let world = World::builder().gravity([0.0, -gravity, 0.0]).build().unwrap();
    let mut app = App::new();
    app.add_plugins((TimePlugin, DrystonePlugin)).insert_resource(Physics::new(world));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app
}

fn ball() -> Collider {
    Collider(Shape::sphere(0.5).unwrap())
}

fn steps(app: &mut App, count: usize) {
    for _ in 0..count {
        app.update();
    }
    assert_eq!(app.world().resource::<Physics>().failure(), None);
}

fn at(app: &App, entity: Entity) -> bevy_math::Vec3 {
    app.world().get::<Transform>(entity).unwrap().translation
}

fn body_count(app: &App) -> usize {
    app.world().resource::<Physics>().world().bodies().len()
}

#[test]
fn a_body_moved_by_hand_goes_on_from_there() {
    let mut app = app(0.0);
    let body = app.world_mut().spawn((RigidBody::Dynamic, ball())).id();
    steps(&mut app, 5);
    assert_eq!(at(&app, body), bevy_math::Vec3::ZERO);
    app.world_mut().get_mut::<Transform>(body).unwrap().translation.x = 7.0;
    app.world_mut().get_mut::<Velocity>(body).unwrap().linear.y = 64.0;
    steps(&mut app, 3);
    let moved = at(&app, body);
    // a step of the fixed clock is 1/64 s
    assert!((moved - bevy_math::Vec3::new(7.0, 3.0, 0.0)).length() < 1e-5, "{moved}");
}

#[test]
fn entities_that_go_take_their_bodies_and_joints_along() {
    let mut app = app(9.81);
    let [a, b] =
        [0.0, 2.0].map(|x| app.world_mut().spawn((RigidBody::Dynamic, ball(), Transform::from_xyz(x, 0.0, 0.0))).id());
    let joint = Joint::ball(Joint::WORLD, Joint::WORLD).anchor([1.0, 0.0, 0.0]);
    let joint = app.world_mut().spawn(JointBetween { bodies: [Some(a), Some(b)], joint }).id();
    steps(&mut app, 2);
    assert!(app.world().get::<SimulatedJoint>(joint).is_some());
    assert_eq!((body_count(&app), app.world().resource::<Physics>().world().joints().len()), (2, 1));
    let body = app.world().get::<Simulated>(b).unwrap().body();
    assert_eq!(app.world().resource::<Physics>().entity(body), Some(b));

    app.world_mut().entity_mut(b).despawn();
    steps(&mut app, 1);
    assert_eq!((body_count(&app), app.world().resource::<Physics>().world().joints().len()), (1, 0));
    assert!(app.world().get::<SimulatedJoint>(joint).is_none() && app.world().get::<Refused>(joint).is_none());
    app.world_mut().entity_mut(a).remove::<RigidBody>();
    steps(&mut app, 1);
    assert_eq!(body_count(&app), 0);
    assert!(app.world().get::<Simulated>(a).is_none());
}

#[test]
fn a_pendulum_swings_as_it_should() {
    let mut app = app(9.81);
    // a small heavy bob on a hinge 1 m above it, let go at 0.1 rad
    let (angle, length) = (0.1_f32, 1.0_f32);
    let bob = app
        .world_mut()
        .spawn((
            RigidBody::Dynamic,
            Collider(Shape::sphere(0.01).unwrap()),
            Transform::from_xyz(length * angle.sin(), -length * angle.cos(), 0.0),
        ))
        .id();
    let joint = Joint::hinge(Joint::WORLD, Joint::WORLD).anchor([0.0; 3]).axis(Vec3::Z);
    app.world_mut().spawn(JointBetween { bodies: [None, Some(bob)], joint });
    let mut crossings = Vec::new();
    let mut before = angle;
    for i in 1..=256_u16 {
        app.update();
        let now = at(&app, bob).x;
        if before > 0.0 && now <= 0.0 || before < 0.0 && now >= 0.0 {
            crossings.push(f64::from(i) / 64.0);
        }
        before = now;
        assert!((at(&app, bob).length() - length).abs() < 1e-3);
    }
    // half a period between crossings, to the step that they are seen in
    let half = (crossings.last().unwrap() - crossings[0]) / f64::from(u32::try_from(crossings.len() - 1).unwrap());
    let expected = std::f64::consts::PI * (1.0_f64 / 9.81).sqrt();
    assert!(crossings.len() >= 3 && (half - expected).abs() < 0.02, "{half} s, expected {expected} s");
}

#[test]
fn options_act_and_can_be_changed() {
    let mut app = app(10.0);
    let still = BodyOptions { gravity_scale: 0.0, mass: BodyMass::Total(2.0), ..BodyOptions::default() };
    let body = app.world_mut().spawn((RigidBody::Dynamic, ball(), still)).id();
    steps(&mut app, 10);
    assert_eq!(at(&app, body), bevy_math::Vec3::ZERO);
    let id = app.world().get::<Simulated>(body).unwrap().body();
    let mass = |app: &App| app.world().resource::<Physics>().world().properties(id).unwrap().mass;
    assert!((mass(&app) - 2.0).abs() < 1e-12);
    let mut options = app.world_mut().get_mut::<BodyOptions>(body).unwrap();
    (options.gravity_scale, options.mass) = (1.0, BodyMass::Total(5.0));
    steps(&mut app, 10);
    assert!(at(&app, body).y < -0.05 && (mass(&app) - 5.0).abs() < 1e-12);
    *app.world_mut().get_mut::<RigidBody>(body).unwrap() = RigidBody::Fixed;
    steps(&mut app, 1);
    let held = at(&app, body);
    steps(&mut app, 10);
    assert_eq!(at(&app, body), held);
}

#[test]
fn touches_and_sensors_are_told() {
    let mut app = app(9.81);
    let floor = app.world_mut().spawn((RigidBody::Fixed, Collider(Shape::plane(Vec3::Y, 0.0).unwrap()))).id();
    let sensor =
        BodyOptions { collision: Collision { sensor: true, ..Collision::default() }, ..BodyOptions::default() };
    let gate = Collider(Shape::cuboid(1.0, 0.1, 1.0).unwrap());
    let gate = app.world_mut().spawn((RigidBody::Fixed, gate, sensor, Transform::from_xyz(0.0, 2.0, 0.0))).id();
    let slippery = Material { friction: 0.0, ..Material::default() };
    let options = BodyOptions { surface: slippery, ..BodyOptions::default() };
    let ball = app.world_mut().spawn((RigidBody::Dynamic, ball(), options, Transform::from_xyz(0.0, 4.0, 0.0))).id();
    let mut seen = Vec::new();
    for _ in 0..80 {
        app.update();
        let physics = app.world().resource::<Physics>();
        let entities = |bodies: [_; 2]| bodies.map(|b| physics.entity(b).unwrap());
        for Happened(event) in app.world().resource::<Messages<Happened>>().iter_current_update_messages() {
            match *event {
                Event::Entered { sensor, body, .. } => seen.push(("entered", entities([sensor, body]))),
                Event::Left { sensor, body, .. } => seen.push(("left", entities([sensor, body]))),
                Event::TouchBegan(touch) => seen.push(("touch", entities(touch.bodies))),
                _ => {}
            }
        }
    }
    seen.dedup();
    assert_eq!(seen[..3], [("entered", [gate, ball]), ("left", [gate, ball]), ("touch", [floor, ball])]);
}

#[test]
fn what_cannot_be_is_refused_and_said_why() {
    let mut app = app(9.81);
    let endless = app.world_mut().spawn((RigidBody::Dynamic, Collider(Shape::plane(Vec3::Y, 0.0).unwrap()))).id();
    let parent = app.world_mut().spawn(Transform::default()).id();
    let child = app.world_mut().spawn((RigidBody::Dynamic, ball(), ChildOf(parent))).id();
    let joint = JointBetween { bodies: [Some(endless), None], joint: Joint::ball(Joint::WORLD, Joint::WORLD) };
    let joint = app.world_mut().spawn(joint).id();
    steps(&mut app, 2);
    let why = |entity| app.world().get::<Refused>(entity).unwrap().0.clone();
    assert_eq!(why(endless), Refusal::World(WorldError::Unbounded("plane")));
    assert_eq!(why(child), Refusal::HasParent);
    assert_eq!(why(joint), Refusal::NoBody(endless));
    assert_eq!(body_count(&app), 0);

    // mended and tried again
    *app.world_mut().get_mut::<RigidBody>(endless).unwrap() = RigidBody::Fixed;
    app.world_mut().entity_mut(endless).remove::<Refused>();
    steps(&mut app, 2);
    assert_eq!(body_count(&app), 1);
}

#[test]
fn the_same_frames_give_the_same_bits() {
    let run = || {
        let mut app = app(9.81);
        app.world_mut().spawn((RigidBody::Fixed, Collider(Shape::plane(Vec3::Y, 0.0).unwrap())));
        let cube = Collider(Shape::cuboid(0.5, 0.5, 0.5).unwrap());
        for i in 0_u8..5 {
            let place = Transform::from_xyz(0.1 * f32::from(i), 0.6 + 1.2 * f32::from(i), 0.0);
            app.world_mut().spawn((RigidBody::Dynamic, cube.clone(), place));
        }
        steps(&mut app, 100);
        app.world().resource::<Physics>().world().state().clone()
    };
    assert_eq!(run(), run());
}

#[test]
fn lines_of_a_shape_lie_on_it() {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let shapes = [
        (Shape::sphere(2.0).unwrap(), 72),
        (Shape::cuboid(1.0, 2.0, 3.0).unwrap(), 12),
        (Shape::capsule(0.5, 1.0).unwrap(), 148),
        (Shape::cylinder(0.5, 1.0).unwrap(), 52),
        (Shape::cone(0.5, 1.0).unwrap(), 28),
        (Shape::convex(&corners).unwrap(), 6),
        (Shape::plane(Vec3::Y, 1.0).unwrap(), 22),
    ];
    for (shape, count) in shapes {
        let lines = wireframe(&shape);
        assert_eq!(lines.len(), count, "{}", shape.kind());
        let bounds = shape.aabb(&bevy_drystone::drystone::math::Pose::IDENTITY);
        for point in lines.into_iter().flatten() {
            let outside = (bounds.min - point).max((point - bounds.max).max(Vec3::ZERO));
            assert!(
                outside.length() < 1e-9 || shape.kind() == "plane" && (point.y - 1.0).abs() < 1e-9,
                "{}: {point:?}",
                shape.kind()
            );
        }
    }
}
