//! A box falls on the ground, without a window: where it is compared with the closed form, and where it lies in the end.

use bevy_app::{App, Startup};
use bevy_drystone::drystone::geometry::Shape;
use bevy_drystone::drystone::math::Vec3;
use bevy_drystone::{BodyMass, BodyOptions, Collider, DrystonePlugin, Happened, Physics, RigidBody, Velocity};
use bevy_ecs::component::Component;
use bevy_ecs::message::{MessageCursor, Messages};
use bevy_ecs::query::With;
use bevy_ecs::system::Commands;
use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;

/// Height of its centre at first, and half its edge (m).
const HEIGHT: f32 = 2.5;
const HALF: f64 = 0.5;
const GRAVITY: f64 = 9.81;

#[derive(Component)]
struct Falling;

fn scene(mut commands: Commands) {
    let ground = Shape::plane(Vec3::Y, 0.0).expect("a plane");
    let cube = Shape::cuboid(HALF, HALF, HALF).expect("a box");
    commands.spawn((RigidBody::Fixed, Collider(ground)));
    commands.spawn((
        Falling,
        RigidBody::Dynamic,
        Collider(cube),
        BodyOptions { mass: BodyMass::Total(3.0), ..BodyOptions::default() },
        Transform::from_xyz(0.0, HEIGHT, 0.0),
    ));
}

fn main() {
    let mut app = App::new();
    app.add_plugins((TimePlugin, DrystonePlugin)).add_systems(Startup, scene);
    // one fixed step in each update, however long it takes
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    let h = app.world().resource::<Time<Fixed>>().timestep().as_secs_f64();
    let mut falling = app.world_mut().query_filtered::<(&Transform, &Velocity), With<Falling>>();
    let mut cursor = MessageCursor::<Happened>::default();
    let mut touched = None;
    let mut steps = 0_u32;
    let mut error = 0.0_f64;
    let mut lowest = f32::INFINITY;
    while steps < 256 {
        app.update();
        let physics = app.world().resource::<Physics>();
        assert!(physics.failure().is_none(), "{:?}", physics.failure());
        if physics.world().time() == 0.0 {
            continue;
        }
        steps += 1;
        let happened = cursor.read(app.world().resource::<Messages<Happened>>()).next().copied();
        touched = touched.or(happened.map(|Happened(event)| event.time()));
        let (transform, velocity) = falling.single(app.world()).expect("one box falls");
        lowest = lowest.min(transform.translation.y);
        if touched.is_none() {
            // at the ends of steps free flight is exact
            let t = f64::from(steps) * h;
            let y = f64::from(HEIGHT) - GRAVITY * t * t / 2.0;
            error = error.max((f64::from(transform.translation.y) - y).abs());
            error = error.max((f64::from(velocity.linear.y) + GRAVITY * t).abs());
        }
    }
    let (transform, velocity) = falling.single(app.world()).expect("one box falls");
    let rests = (f64::from(transform.translation.y) - HALF).abs();
    let touched = touched.expect("it meets the ground");
    let expected = (2.0 * (f64::from(HEIGHT) - HALF) / GRAVITY).sqrt();
    println!("{steps} steps of {:.3} ms", 1e3 * h);
    println!("in flight within {error:.1e} of the closed form (m, m/s)");
    println!("touches the ground after {touched:.3} s; the closed form says {expected:.3} s");
    println!("rests {rests:.1e} m from where it should, at {:.1e} m/s", velocity.linear.length());
    assert!(error < 1e-5 && (touched - expected).abs() < 2.0 * h);
    assert!(rests < 1e-3 && velocity.linear.length() < 1e-3 && lowest > 0.49);
}
