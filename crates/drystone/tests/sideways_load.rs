//! Load that goes sideways through many contacts: arches and pushed stacks.

use drystone::prelude::*;
use drystone_testkit::Random;
use std::f64::consts::PI;

/// Half a circle of `count` voussoirs of radius 1 m on a floor, whose thickness is `multiple` times the least that stands (0.1075 of the radius:
/// Heyman 1969). Returns how far a stone has moved after `steps` steps of `h` seconds (m).
fn arch(count: usize, multiple: f64, friction: f64, h: f64, steps: usize) -> f64 {
    let mut world = World::builder().gravity([0.0, -9.81, 0.0]).build().unwrap();
    let surface = world.add_material(Material { friction, restitution: 0.0, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(surface)).unwrap();
    let thick = 0.1075 * multiple;
    let point = |radius: f64, angle: f64| Vec3::new(radius * angle.cos(), radius * angle.sin(), 0.0);
    let stones: Vec<_> = (0..count)
        .map(|k| {
            let [from, to] = [k, k + 1].map(|j| PI * j as f64 / count as f64);
            let middle = point(1.0, 0.5 * (from + to));
            let corners = [(-0.5, from), (0.5, from), (0.5, to), (-0.5, to)];
            let corners = corners.map(|(side, angle)| point(1.0 + side * thick, angle) - middle);
            let points: Vec<Vec3> =
                [-0.1, 0.1].iter().flat_map(|z| corners.iter().map(|c| *c + Vec3::Z * *z)).collect();
            let stone = Body::dynamic(Shape::convex(&points).unwrap()).density(1000.0).material(surface);
            world.add(stone.at(middle)).unwrap()
        })
        .collect();
    let start: Vec<Vec3> = stones.iter().map(|s| world.position(*s).unwrap()).collect();
    for _ in 0..steps {
        if world.advance(h).is_err() {
            return f64::INFINITY;
        }
    }
    stones.iter().zip(start).map(|(s, at)| (world.position(*s).unwrap() - at).length()).fold(0.0, f64::max)
}

/// Random arches a little thicker than the least stand still; the control is a little thinner, and falls.
#[test]
fn arches_stand_above_their_least_thickness_and_fall_below_it() {
    let mut random = Random::new(3);
    for member in 0..12 {
        let count = 2 * (5 + random.below(20)) + 1;
        let (multiple, friction, h) = (random.range(1.01, 1.3), random.range(0.7, 1.0), random.range(0.7, 1.3) / 60.0);
        let moved = arch(count, multiple, friction, h, 120);
        assert!(moved < 1e-4, "{member}: {count} stones, {multiple:.3} x, {h:.4} s: moved by {moved} m");
    }
    for count in [15, 27] {
        let moved = arch(count, 0.95, 1.0, 1.0 / 60.0, 120);
        assert!(moved > 0.05, "{count} thin stones: moved by {moved} m");
    }
}

/// A stack of random boxes, each up to twice as heavy as the one below, whose lowest is pushed by a scripted plate for a second. Returns by how much the
/// boxes slip against each other (m).
fn pushed(paradigm: Paradigm, random: &mut Random, jitter: bool) -> f64 {
    let mut world = World::builder().paradigm(paradigm).gravity([0.0, -9.81, 0.0]).build().unwrap();
    let surface = Material { friction: random.range(0.3, 0.8), restitution: 0.0, ..Material::default() };
    let surface = world.add_material(surface).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(surface)).unwrap();
    let (count, half, speed) = (3 + random.below(4), random.range(0.2, 0.5), random.range(0.03, 0.1));
    let mut mass = 1.0;
    let boxes: Vec<_> = (0..count)
        .map(|k| {
            let at = Vec3::Y * (half * (2.0 * k as f64 + 1.0));
            let own = Body::dynamic(Shape::cuboid(half, half, half).unwrap()).mass(mass).material(surface);
            mass *= random.range(0.7, 2.0);
            world.add(own.at(at)).unwrap()
        })
        .collect();
    let plate = Shape::cuboid(0.05, 0.3 * half, 0.7 * half).unwrap();
    let plate = Body::scripted(plate).linear_velocity([speed, 0.0, 0.0]).material(surface);
    world.add(plate.at([-half - 0.051, 0.5 * half, 0.0])).unwrap();
    for _ in 0..80 {
        world.advance(if jitter { random.range(0.008, 0.025) } else { 1.0 / 60.0 }).unwrap();
    }
    let x: Vec<f64> = boxes.iter().map(|b| world.position(*b).unwrap().x).collect();
    assert!(x[0] > 0.03, "the lowest has moved by {} m", x[0]);
    x.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f64::max)
}

/// They are set going within one step, in which they may slip by `v^2 / (2 mu g)`: less than 2 mm. The control sweeps, and shears.
#[test]
fn pushed_stacks_ride_along() {
    let mut sheared = 0;
    for member in 0..16 {
        let [slip, swept] = [Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP]
            .map(|paradigm| pushed(paradigm, &mut Random::new(100 + member), member % 2 == 1));
        assert!(slip < 2e-3, "{member}: slipped by {slip} m");
        sheared += usize::from(swept > 1e-2);
    }
    assert!(sheared > 5, "velocity-lcp sheared {sheared} of 16");
}
