//! Pendulums, tops and balls on springs over random members: they keep their energy.

use drystone::prelude::*;
use drystone_math::Twist;
use drystone_motion::force::{Anchor, SpringDamper};
use drystone_testkit::Random;

const G: f64 = 9.81;

/// A heavy bob that hangs from the world by balls or hinges, at the end of its own arm or of light rods, and its least energy (J).
fn pendulum(preset: Paradigm, seed: u64, rods: u64) -> (World, f64) {
    let mut r = Random::new(seed);
    let (length, radius, mass, angle) = (r.range(0.5, 2.0), r.range(0.02, 0.1), r.range(0.5, 50.0), r.range(0.2, 1.2));
    let along = Vec3::new(angle.sin(), -angle.cos(), 0.0);
    let mut world = World::builder().paradigm(preset).build().unwrap();
    let hinged = seed % 2 == 1;
    let join = |world: &mut World, first: Option<BodyId>, second: BodyId, at: f64| {
        let joint = if hinged { Joint::hinge(first, second).axis(Vec3::Z) } else { Joint::ball(first, second) };
        world.join(joint.anchor(along * at)).unwrap();
    };
    let (mut last, mut lowest) = (Joint::WORLD, 0.0);
    let one = length / rods.max(1) as f64;
    for k in 0..rods {
        let (m, middle) = (mass * 0.02, one * (k as f64 + 0.5));
        let rod = Body::dynamic(Shape::capsule(0.01, 0.45 * one).unwrap()).mass(m);
        let rod = world.add(rod.at(along * middle).oriented(Quat::from_rotation_z(angle))).unwrap();
        join(&mut world, last, rod, one * k as f64);
        (last, lowest) = (Some(rod), lowest - m * G * middle);
    }
    let (joint, middle) = if rods == 0 { (0.0, length) } else { (length, length + radius) };
    let bob = world.add(Body::dynamic(Shape::sphere(radius).unwrap()).mass(mass).at(along * middle)).unwrap();
    join(&mut world, last, bob, joint);
    (world, lowest - mass * G * middle)
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

/// Bobs on their own arms.
#[test]
fn heavy_bobs_keep_their_swing() {
    for (preset, bound) in [(Paradigm::REAL_TIME, 0.01), (Paradigm::MECHANISM, 0.01), (Paradigm::VELOCITY_LCP, 0.05)] {
        for seed in 0..16 {
            let (mut world, lowest) = pendulum(preset, seed, 0);
            let [lost, gained] = lost(&mut world, lowest, 1.0 / 60.0, 20.0);
            assert!(lost < bound && gained < bound, "{} {seed}: lost {lost}, gained {gained}", preset.name);
        }
    }
}

/// Bobs on light rods: small steps resolve how thin rods swing, however thin they are.
#[test]
fn heavy_bobs_on_rods_keep_their_swing() {
    for seed in 0..12 {
        let (mut world, lowest) = pendulum(Paradigm::REAL_TIME, seed, 1 + seed % 3);
        let [lost, gained] = lost(&mut world, lowest, 1.0 / 60.0, 20.0);
        assert!(lost < 0.01 && gained < 0.01, "{seed}: lost {lost}, gained {gained}");
    }
}

/// Balls in a row at one angle to the vertical on springs of the same stiffness, one after the other, and their least energy (J) if the springs did not
/// yield. `damping` is a fraction of what is critical for each ball alone.
fn balls_on_springs(preset: Paradigm, balls: u32, damping: f64, stiffness: f64, r: &mut Random) -> (World, f64) {
    let mut world = World::builder().paradigm(preset).build().unwrap();
    let (mut last, mut end, mut along, mut lowest) = (Anchor::World(Vec3::ZERO), Vec3::ZERO, 0.0, 0.0);
    let angle = r.range(0.2, 1.5);
    for i in 0..balls {
        let (length, mass) = (r.range(0.3, 1.0), 10.0_f64.powf(r.range(-1.0, 0.5)));
        end += Vec3::new(angle.sin(), -angle.cos(), 0.0) * length;
        along += length;
        lowest -= mass * G * along;
        world.add(Body::dynamic(Shape::sphere(0.05).unwrap()).mass(mass).at(end)).unwrap();
        let own = Anchor::Body { body: drystone::core::BodyIndex(i), point: Vec3::ZERO };
        let damping = damping * 2.0 * (stiffness * mass).sqrt();
        let anchors = [last, own];
        world.add_force(SpringDamper { anchors, rest_length: length, stiffness, damping, max_force: f64::INFINITY });
        last = own;
    }
    (world, lowest)
}

/// The springs pull as forces.
#[test]
fn balls_on_springs_gain_no_energy() {
    let mut r = Random::new(12);
    for preset in [Paradigm::REAL_TIME, Paradigm::MECHANISM] {
        for k in 0..24 {
            let stiffness = 10.0_f64.powf(r.range(2.0, 4.3));
            let (mut world, lowest) = balls_on_springs(preset, 1 + k % 2, 0.0, stiffness, &mut r);
            let [_, gained] = lost(&mut world, lowest, 1.0 / 60.0, 20.0);
            assert!(gained < 0.01, "{} {stiffness}: gained {gained}", preset.name);
        }
    }
}

/// Springs that no step resolves hold their balls like rods: none is tight or slack for long, and the balls swing on.
#[test]
fn balls_on_stiff_springs_swing_as_if_on_rods() {
    let mut r = Random::new(56);
    for k in 0..30 {
        let (damping, stiffness) = ([0.0, 0.05, 1.0][k % 3], 10.0_f64.powf(r.range(5.0, 8.0)));
        let (mut world, lowest) =
            balls_on_springs(Paradigm::REAL_TIME, 1 + k as u32 / 3 % 2, damping, stiffness, &mut r);
        let [lost, gained] = lost(&mut world, lowest, 1.0 / 60.0, 30.0);
        assert!(lost.abs() < 0.05 && gained < 0.05, "{k} {stiffness} {damping}: lost {lost}, gained {gained}");
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
    for (preset, h, bound) in [(Paradigm::REAL_TIME, 1.0 / 60.0, 0.1), (Paradigm::MECHANISM, 1.0 / 240.0, 0.5)] {
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
