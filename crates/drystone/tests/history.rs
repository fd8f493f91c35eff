//! Recorded states bring a run back, bit for bit.

use drystone::History;
use drystone::prelude::*;

#[test]
fn rewinding_brings_back_a_recorded_instant_bit_for_bit() {
    let mut world = World::builder().build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    for i in 0..4 {
        let place = [0.3 * f64::from(i), 0.6 + 1.1 * f64::from(i), 0.0];
        world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at(place)).unwrap();
    }
    let mut history = History::new(100);
    let mut states = Vec::new();
    for _ in 0..120 {
        history.record(&world);
        states.push(world.state().clone());
        world.advance(0.01).unwrap();
    }
    let end = world.state().clone();
    assert_eq!(history.times().count(), 100);
    assert!(history.rewind(&mut world, 0.05).is_err(), "the first twenty are gone");
    // between two recorded times the earlier one counts
    assert!((history.rewind(&mut world, 0.705).unwrap() - 0.70).abs() < 1e-9);
    assert_eq!(*world.state(), states[70]);
    assert_eq!(history.times().count(), 51);
    for _ in 70..120 {
        world.advance(0.01).unwrap();
    }
    assert_eq!(*world.state(), end);
    let added = world.add(Body::dynamic(Shape::sphere(0.5).unwrap()).at([9.0, 9.0, 9.0])).unwrap();
    assert!((history.rewind(&mut world, 0.605).unwrap() - 0.6).abs() < 1e-9);
    assert!(*world.state() == states[60] && world.pose(added).is_none());
}

#[test]
fn a_blow_counts_from_the_next_step_on() {
    // C-21: one-step integrators have no history that a jump of velocity could leave stale
    let mut world = World::builder().gravity(Vec3::ZERO).build().unwrap();
    let ball = world.add(Body::dynamic(Shape::sphere(0.5).unwrap()).mass(2.0)).unwrap();
    for _ in 0..10 {
        world.advance(0.01).unwrap();
    }
    world.apply_impulse(ball, Vec3::X * 4.0, Vec3::ZERO).unwrap();
    world.advance(0.01).unwrap();
    assert!((world.position(ball).unwrap() - Vec3::X * 0.02).length() < 1e-15);
}
