//! On a train at constant velocity everything happens as in the station (Galileo): a block slides and a pendulum swings on ground that was given a
//! velocity.

use drystone::WorldError;
use drystone::prelude::*;

const TRAIN: Vec3 = Vec3::new(10.0, 2.0, 3.0);
const H: f64 = 0.01;

/// How closely the motions must agree (m and m/s).
fn tolerance(preset: &str) -> f64 {
    match preset {
        // rounding decides which micro-collision comes first
        "impulse" => 0.1,
        // soft rows, swept in their own order
        "ode" => 1e-6,
        _ => 1e-9,
    }
}

fn world(paradigm: Paradigm, velocity: Vec3) -> (World, BodyId) {
    let mut world = World::builder().paradigm(paradigm).gravity([0.0, -10.0, 0.0]).build().unwrap();
    let surface = world.add_material(Material { friction: 0.4, restitution: 0.0, ..Material::default() }).unwrap();
    let ground = Body::scripted(Shape::cuboid(30.0, 1.0, 30.0).unwrap()).at([0.0, -1.0, 0.0]).material(surface);
    let ground = world.add(ground.linear_velocity(velocity.to_array())).unwrap();
    (world, ground)
}

/// Damping acts as a force does: a scripted body keeps the velocity that it was given, and is where that has brought it.
#[test]
fn damping_does_not_slow_down_the_train() {
    for paradigm in Paradigm::ALL.iter().copied() {
        let (mut world, ground) = world(paradigm, TRAIN);
        world.set_damping(ground, 0.4, 0.7).unwrap();
        for step in 1..=50 {
            world.advance(H).unwrap();
            let way = world.position(ground).unwrap() - Vec3::NEG_Y - TRAIN * (f64::from(step) * H);
            assert!(way.length() < 1e-9, "{}: {way} m off", paradigm.name);
        }
        assert_eq!(world.velocity(ground).unwrap().linear, TRAIN, "{}", paradigm.name);
    }
}

/// A block that slides to a stop.
fn slide(paradigm: Paradigm, velocity: Vec3) -> (World, BodyId) {
    let (mut world, ground) = world(paradigm, velocity);
    let surface = world.configuration().body(world.body_index(ground).unwrap()).material;
    let block = Body::dynamic(Shape::cuboid(0.3, 0.2, 0.3).unwrap()).at([0.0, 0.2, 0.0]).material(surface);
    let block = world.add(block.linear_velocity((velocity + Vec3::new(3.0, 0.0, 1.0)).to_array())).unwrap();
    (world, block)
}

/// A bar on a hinge of the ground, released level.
fn swing(paradigm: Paradigm, velocity: Vec3) -> (World, BodyId) {
    let (mut world, ground) = world(paradigm, velocity);
    let bar = Body::dynamic(Shape::cuboid(0.5, 0.1, 0.1).unwrap()).at([1.0, 4.0, 0.0]);
    let bar = world.add(bar.linear_velocity(velocity.to_array())).unwrap();
    world.join(Joint::hinge(bar, ground).anchor([0.5, 4.0, 0.0]).axis([0.0, 0.0, 1.0])).unwrap();
    (world, bar)
}

/// Position and velocity after a second, relative to the ground; `None` if the method takes no joints.
fn beside(build: fn(Paradigm, Vec3) -> (World, BodyId), paradigm: Paradigm, velocity: Vec3) -> Option<[Vec3; 2]> {
    let (mut world, body) = build(paradigm, velocity);
    for _ in 0..100 {
        match world.advance(H) {
            Err(WorldError::Refused { .. }) => return None,
            step => step.unwrap(),
        };
    }
    let (place, moves) = (world.position(body).unwrap(), world.velocity(body).unwrap().linear);
    Some([place - velocity * world.time(), moves - velocity])
}

#[test]
fn a_steady_train_changes_nothing() {
    let registry = drystone::Registry::default();
    let mut compared = 0;
    // without inertia, friction acts against motion itself
    for paradigm in registry.paradigms().iter().filter(|p| p.name != Paradigm::FIRST_ORDER.name) {
        for (what, build) in [("slide", slide as fn(Paradigm, Vec3) -> (World, BodyId)), ("swing", swing)] {
            let Some(still) = beside(build, *paradigm, Vec3::ZERO) else { continue };
            let moving = beside(build, *paradigm, TRAIN).unwrap();
            let off = (still[0] - moving[0]).length().max((still[1] - moving[1]).length());
            assert!(off <= tolerance(paradigm.name), "{}: {what} is off by {off}", paradigm.name);
            compared += 1;
        }
    }
    // the sliding block runs under all presets, and three take no joints
    assert_eq!(compared, 2 * (registry.paradigms().len() - 1) - 3);
}
