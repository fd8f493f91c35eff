//! What a step costs while the whole world sleeps, and what wakes it.

use drystone::prelude::*;
use std::time::{Duration, Instant};

/// Balls at rest on the floor, far apart, all asleep.
fn asleep(count: u32) -> (World, BodyId, BodyId) {
    let mut world = World::builder().paradigm(Paradigm::REAL_TIME).build().unwrap();
    let floor = world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let balls: Vec<BodyId> = (0..count)
        .map(|i| {
            let place = [f64::from(i % 40), 0.1, f64::from(i / 40)];
            world.add(Body::dynamic(Shape::sphere(0.1).unwrap()).at(place)).unwrap()
        })
        .collect();
    for _ in 0..200 {
        world.advance(0.01).unwrap();
    }
    assert!(balls.iter().all(|b| world.is_asleep(*b) == Some(true)));
    (world, floor, balls[0])
}

/// The shortest time per step of several rounds.
fn step_time(world: &mut World) -> Duration {
    const STEPS: u32 = 1000;
    let round = |world: &mut World| {
        let start = Instant::now();
        for _ in 0..STEPS {
            world.advance(0.01).unwrap();
        }
        start.elapsed() / STEPS
    };
    (0..20).map(|_| round(world)).min().unwrap()
}

#[test]
fn a_step_asleep_costs_the_same_with_any_number_of_bodies() {
    let (mut few, ..) = asleep(10);
    let (mut many, _, ball) = asleep(1000);
    let times = [step_time(&mut few), step_time(&mut many)];
    println!("per step asleep: {times:?} with 10 and 1000 bodies");
    assert!(times[1] < 3 * times[0] + Duration::from_nanos(100), "{times:?}");
    // the control: with one body awake, a step looks at all of them
    many.wake(ball).unwrap();
    let start = Instant::now();
    many.advance(0.01).unwrap();
    assert!(start.elapsed() > 20 * times[1]);
}

/// A change that a user makes to a world in which all bodies sleep; the arguments are the world, the floor and a ball.
type Edit = fn(&mut World, BodyId, BodyId);

#[test]
fn what_may_move_something_is_never_slept_through() {
    let edits: [(&str, Edit); 12] = [
        ("gravity", |w, _, _| w.set_gravity([0.0, -5.0, 0.0]).unwrap()),
        ("a velocity", |w, _, ball| w.set_velocity(ball, Twist::new(Vec3::X, Vec3::ZERO)).unwrap()),
        ("a pose", |w, _, ball| w.set_pose(ball, Vec3::Y, Quat::IDENTITY).unwrap()),
        ("a force", |w, _, ball| w.apply_force(ball, Vec3::X, Vec3::ZERO).unwrap()),
        ("an impulse", |w, _, ball| w.apply_impulse(ball, Vec3::X, Vec3::ZERO).unwrap()),
        ("the floor moves", |w, floor, _| w.set_pose(floor, -Vec3::Y, Quat::IDENTITY).unwrap()),
        ("the floor goes", |w, floor, _| {
            w.remove(floor).unwrap();
        }),
        ("a body comes", |w, _, _| {
            w.add(Body::dynamic(Shape::sphere(0.1).unwrap()).at([0.0, 0.5, 0.0])).unwrap();
        }),
        ("another paradigm", |w, _, _| w.set_paradigm(Paradigm::VELOCITY_LCP, &[]).unwrap()),
        ("woken", |w, _, ball| w.wake(ball).unwrap()),
        ("a snapshot", |w, _, ball| {
            w.wake(ball).unwrap();
            let awake = w.snapshot();
            for _ in 0..100 {
                w.advance(0.01).unwrap();
            }
            w.restore(&awake).unwrap();
        }),
        ("another shape", |w, _, ball| w.set_shape(ball, Shape::sphere(0.2).unwrap()).unwrap()),
    ];
    for (what, edit) in edits {
        let (mut world, floor, ball) = asleep(9);
        world.advance(0.01).unwrap();
        edit(&mut world, floor, ball);
        world.advance(0.01).unwrap();
        let awake = world.bodies().iter().any(|b| world.is_asleep(*b) == Some(false) && *b != floor);
        assert!(awake, "{what}");
    }
    // queries wake nothing, and neither does the passage of time
    let (mut world, _, ball) = asleep(9);
    let _ = (world.energy(), world.snapshot(), world.pose(ball), world.contacts().count());
    world.advance(0.01).unwrap();
    assert_eq!(world.is_asleep(ball), Some(true));
}
