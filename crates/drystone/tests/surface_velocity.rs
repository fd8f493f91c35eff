//! Surfaces that run along themselves: conveyor belts and driven rollers take along what lies on them, by friction.

use drystone::prelude::*;
use drystone_testkit::Random;
use std::f64::consts::TAU;

const G: f64 = 9.81;
const H: f64 = 1.0 / 60.0;

/// Presets whose bodies have inertia, and whose friction follows Coulomb's law.
fn presets() -> impl Iterator<Item = Paradigm> {
    // bodies of the third hop in free flight
    let others = [Paradigm::FIRST_ORDER, Paradigm::PENALTY, Paradigm::IMPULSE, Paradigm::ACCELERATION_LP];
    Paradigm::ALL.iter().copied().filter(move |p| others.iter().all(|other| other.name != p.name))
}

fn world(paradigm: Paradigm, friction: f64) -> (World, drystone_core::MaterialIndex) {
    let mut world = World::builder().paradigm(paradigm).build().unwrap();
    let m = world.add_material(Material { friction, restitution: 0.0, ..Material::default() }).unwrap();
    (world, m)
}

fn run(world: &mut World, seconds: f64) -> f64 {
    let steps = (seconds / H).round();
    for _ in 0..steps as usize {
        world.advance(H).unwrap();
    }
    steps * H
}

/// A belt at any heading, level or on a slope that friction can hold, and a box that is put on it at rest: it is sped up by friction, then goes with the belt.
#[test]
fn belts_take_boxes_along() {
    let mut random = Random::new(1);
    for paradigm in presets() {
        for _ in 0..3 {
            let (friction, speed) = (random.range(0.3, 0.9), random.range(0.2, 1.5));
            let (heading, slope) = (random.range(0.0, TAU), (random.range(0.0, 0.6) * friction).atan());
            let (mut world, m) = world(paradigm, friction);
            let along = Vec3::new(heading.cos(), 0.0, heading.sin());
            world.set_gravity(along * (-G * slope.sin()) + Vec3::NEG_Y * (G * slope.cos())).unwrap();
            let belt = Body::fixed(Shape::cuboid(5.0, 0.1, 5.0).unwrap()).at([0.0, -0.1, 0.0]).material(m);
            // what it has across the surface does not count
            let belt = world.add(belt.surface_velocity(along * speed + Vec3::Y, Vec3::ZERO)).unwrap();
            let load = Body::dynamic(Shape::cuboid(0.1, 0.05, 0.1).unwrap()).at([0.0, 0.05, 0.0]).material(m);
            let load = world.add(load).unwrap();
            let pull = G * (friction * slope.cos() - slope.sin());
            let t = run(&mut world, 1.2 * speed / pull + 0.3);
            let way = speed * t - 0.5 * speed * speed / pull;
            let off = world.position(load).unwrap() - along * way - Vec3::Y * 0.05;
            let slip = world.velocity(load).unwrap().linear - along * speed;
            // friction acts from the middle of the first step on, or from its start
            assert!(off.length() < 1.5 * speed * H, "{}: {off} m off", paradigm.name);
            assert!(slip.length() < 1e-3 * speed, "{}: {slip} m/s", paradigm.name);
            // the control: a belt that stands takes nothing along
            world.set_surface_velocity(belt, Twist::ZERO).unwrap();
            run(&mut world, 1.2 * speed / (G * (friction * slope.cos() + slope.sin())) + 0.2);
            assert!(world.velocity(load).unwrap().linear.length() < 1e-3 * speed, "{}", paradigm.name);
        }
    }
}

/// A plank on driven rollers goes at the speed of their surfaces.
#[test]
fn rollers_move_planks() {
    let mut random = Random::new(2);
    // it turns the points that touch with the surface for the whole step: a fifth of the speed is lost
    for paradigm in presets().filter(|p| p.name != Paradigm::XPBD.name) {
        let (friction, radius, spin) = (random.range(0.4, 0.9), random.range(0.05, 0.2), random.range(-6.0, 6.0));
        let (mut world, m) = world(paradigm, friction);
        let lying = Quat::from_rotation_arc(Vec3::Y, Vec3::Z);
        for k in 0..6 {
            let roller = Body::fixed(Shape::cylinder(radius, 0.5).unwrap()).oriented(lying).material(m);
            // about the axis of the cylinder, which is its own y
            let roller = roller.surface_velocity(Vec3::ZERO, Vec3::Y * spin);
            world.add(roller.at([0.5 * (f64::from(k) - 2.5), -radius, 0.0])).unwrap();
        }
        let plank = Body::dynamic(Shape::cuboid(0.7, 0.02, 0.3).unwrap()).at([0.0, 0.02, 0.0]).material(m);
        let plank = world.add(plank).unwrap();
        run(&mut world, 0.5);
        let (v, wanted) = (world.velocity(plank).unwrap().linear.x, -spin * radius);
        // small steps follow the round surfaces, whose tops the plank leaves by turns
        assert!((v - wanted).abs() < 0.03 * wanted.abs(), "{}: {v}, right {wanted} m/s", paradigm.name);
    }
}

/// A box that a wall holds on a running belt stays there, and falls asleep or not as it likes; once the wall is gone it goes along.
#[test]
fn a_box_held_on_a_belt_goes_on_once_it_is_free() {
    for paradigm in presets() {
        let (mut world, m) = world(paradigm, 0.5);
        let belt = Body::fixed(Shape::cuboid(5.0, 0.1, 5.0).unwrap()).at([0.0, -0.1, 0.0]).material(m);
        world.add(belt.surface_velocity(Vec3::X, Vec3::ZERO)).unwrap();
        let wall = Body::fixed(Shape::cuboid(0.1, 0.5, 0.5).unwrap()).at([0.2, 0.5, 0.0]).material(m);
        let wall = world.add(wall).unwrap();
        let load = Body::dynamic(Shape::cuboid(0.1, 0.05, 0.1).unwrap()).at([0.0, 0.05, 0.0]).material(m);
        let load = world.add(load).unwrap();
        run(&mut world, 1.5);
        let held = world.position(load).unwrap();
        world.remove(wall).unwrap();
        run(&mut world, 1.0);
        assert!(held.x.abs() < 1e-3, "{}: at {held}", paradigm.name);
        let v = world.velocity(load).unwrap().linear.x;
        assert!((v - 1.0).abs() < 1e-3, "{}: {v} m/s", paradigm.name);
    }
}
