//! Pendulums, tops and balls on springs over random members: they keep their energy.

use drystone::prelude::*;
use drystone_math::Twist;
use drystone_motion::force::{Anchor, SpringDamper};
use drystone_testkit::Random;

const G: f64 = 9.81;

/// A small heavy bob on a long arm, held by a ball or a hinge, and its least energy (J).
fn pendulum(preset: Paradigm, seed: u64) -> (World, f64) {
    let mut r = Random::new(seed);
    let (length, radius, mass, angle) = (r.range(0.5, 2.0), r.range(0.02, 0.1), r.range(0.5, 50.0), r.range(0.2, 1.2));
    let mut world = World::builder().paradigm(preset).build().unwrap();
    let place = Vec3::new(angle.sin(), -angle.cos(), 0.0) * length;
    let bob = world.add(Body::dynamic(Shape::sphere(radius).unwrap()).mass(mass).at(place)).unwrap();
    let joint =
        if seed % 2 == 0 { Joint::ball(Joint::WORLD, bob) } else { Joint::hinge(Joint::WORLD, bob).axis(Vec3::Z) };
    world.join(joint.anchor(Vec3::ZERO)).unwrap();
    (world, -mass * G * length)
}

/// The fraction of the energy of its swing that a world loses in `seconds`, and the largest that it gains on the way.
fn lost(world: &mut World, lowest: f64, h: f64, seconds: f64) -> [f64; 2] {
    let start = world.energy().total() - lowest;
    let mut most = start;
    for _ in 0..(seconds / h).round() as usize {
        world.advance(h).unwrap();
        most = most.max(world.energy().total() - lowest);
    }
    [1.0 - (world.energy().total() - lowest) / start, most / start - 1.0]
}

#[test]
fn pendulums_with_a_small_heavy_bob_keep_their_swing() {
    for (preset, bound) in [(Paradigm::REAL_TIME, 0.01), (Paradigm::MECHANISM, 0.01), (Paradigm::VELOCITY_LCP, 0.05)] {
        for seed in 0..16 {
            let (mut world, lowest) = pendulum(preset, seed);
            let [lost, gained] = lost(&mut world, lowest, 1.0 / 60.0, 20.0);
            assert!(lost < bound && gained < bound, "{} {seed}: lost {lost}, gained {gained}", preset.name);
        }
    }
}

/// Balls on springs of any stiffness, one below the other; the springs pull as forces.
#[test]
fn balls_on_springs_gain_no_energy() {
    let mut r = Random::new(12);
    for preset in [Paradigm::REAL_TIME, Paradigm::MECHANISM] {
        for k in 0..24 {
            let stiffness = 10.0_f64.powf(r.range(2.0, 4.3));
            let mut world = World::builder().paradigm(preset).build().unwrap();
            let (mut last, mut end, mut weight) = (Anchor::World(Vec3::ZERO), Vec3::ZERO, 0.0);
            let mut lowest = 0.0;
            for i in 0..1 + k % 2 {
                let (length, angle, mass) = (r.range(0.3, 1.5), r.range(-1.2, 1.2), r.range(0.3, 5.0));
                end += Vec3::new(f64::sin(angle), -f64::cos(angle), 0.0) * length;
                world.add(Body::dynamic(Shape::sphere(0.05).unwrap()).mass(mass).at(end)).unwrap();
                let own = Anchor::Body { body: drystone::core::BodyIndex(i), point: Vec3::ZERO };
                let anchors = [last, own];
                let max_force = f64::INFINITY;
                world.add_force(SpringDamper { anchors, rest_length: length, stiffness, damping: 0.0, max_force });
                (last, weight) = (own, weight + mass);
                // hanging straight down on springs that do not yield
                lowest -= mass * G * 3.0;
            }
            let [_, gained] = lost(&mut world, lowest - weight, 1.0 / 60.0, 20.0);
            assert!(gained < 0.01, "{} {stiffness}: gained {gained}", preset.name);
        }
    }
}

/// A top in exact slow precession about the world's origin: `A W^2 cos - I3 w3 W + m g l = 0`.
fn top(preset: Paradigm, seed: u64) -> Option<(World, BodyId, f64)> {
    let mut r = Random::new(seed);
    let (radius, half, l, mass) = (r.range(0.05, 0.3), r.range(0.005, 0.1), r.range(0.05, 0.4), r.range(0.2, 3.0));
    let (tilt, spin) = (r.range(0.1, 1.2), r.range(20.0, 150.0));
    let third = 0.5 * mass * radius * radius;
    let across = mass * (3.0 * radius * radius + 4.0 * half * half) / 12.0 + mass * l * l;
    let (c, s) = (across * f64::cos(tilt), third * spin);
    let root = s * s - 4.0 * c * mass * G * l;
    if root < 0.2 * s * s {
        return None;
    }
    let precession = (s - root.sqrt()) / (2.0 * c);
    let turned = Quat::from_rotation_z(-tilt);
    let axis = turned * Vec3::Y;
    let angular = Vec3::Y * precession + axis * (spin - precession * axis.y);
    let mut world = World::builder().paradigm(preset).build().unwrap();
    let disc = Body::dynamic(Shape::cylinder(radius, half).unwrap()).mass(mass).at(axis * l).oriented(turned);
    let id = world.add(disc).unwrap();
    world.set_velocity(id, Twist::new(angular.cross(axis * l), angular)).unwrap();
    world.join(Joint::ball(Joint::WORLD, id).anchor(Vec3::ZERO)).unwrap();
    Some((world, id, tilt))
}

/// The largest change of tilt (rad) in four seconds.
fn nods((mut world, body, tilt): (World, BodyId, f64), h: f64) -> f64 {
    let mut most: f64 = 0.0;
    for _ in 0..(4.0 / h).round() as usize {
        world.advance(h).unwrap();
        let axis = world.pose(body).unwrap().orientation * Vec3::Y;
        most = most.max((axis.y.clamp(-1.0, 1.0).acos() - tilt).abs());
    }
    most
}

#[test]
fn tops_in_slow_precession_stay_up() {
    for (preset, h, bound) in [
        (Paradigm::REAL_TIME, 1.0 / 60.0, 0.5),
        (Paradigm::MECHANISM, 1.0 / 240.0, 0.5),
        (Paradigm::CONVEX_NEWTON, 1.0 / 240.0, 0.5),
    ] {
        let tops = (0..40).filter_map(|seed| top(preset, seed).map(|top| (seed, nods(top, h))));
        let nods: Vec<_> = tops.collect();
        assert!(nods.len() >= 12);
        for (seed, nod) in nods {
            assert!(nod < bound, "{} {seed}: {nod}", preset.name);
        }
    }
}

/// Negative control: without spin the same tops fall.
#[test]
fn tops_without_spin_fall() {
    let fallen = (0..40).filter_map(|seed| top(Paradigm::REAL_TIME, seed)).filter_map(|(mut world, body, tilt)| {
        world.set_velocity(body, Twist::ZERO).ok()?;
        (nods((world, body, tilt), 1.0 / 60.0) > 1.0).then_some(())
    });
    assert!(fallen.count() >= 12);
}
