//! Compounds: the nearest of all pairs of parts, found without looking at all of them.

use drystone_core::{NarrowPhase, PosedShape, Proximity};
use drystone_geometry::Shape;
use drystone_math::{Pose, Real, Vec3};
use drystone_narrow_phase::Combined;
use drystone_testkit::Random;

fn ask(a: PosedShape<'_>, b: PosedShape<'_>, envelope: Real) -> Proximity {
    Combined.query(a, b, envelope, &mut [0; 4], &mut Vec::new()).unwrap()
}

fn part(random: &mut Random) -> Shape {
    match random.below(4) {
        0 => Shape::cuboid(0.2, 0.1, 0.15).unwrap(),
        1 => Shape::sphere(0.2).unwrap(),
        2 => Shape::cylinder(0.1, 0.2).unwrap(),
        _ => Shape::convex(&(0..12).map(|_| random.direction() * 0.2).collect::<Vec<_>>()).unwrap(),
    }
}

fn parts(random: &mut Random, count: usize) -> Vec<(Shape, Pose)> {
    (0..count).map(|_| (part(random), Pose::new(random.vector(2.0), random.rotation()))).collect()
}

/// Within the envelope the distance is that of the nearest parts; beyond it, it is no larger.
#[test]
fn the_distance_is_that_of_the_nearest_parts_or_a_lower_bound() {
    let mut random = Random::new(17);
    let (mut within, mut beyond) = (0, 0);
    for case in 0..1500 {
        let (m, n) = (1 + random.below(8), 1 + random.below(8));
        let (x, y) = (parts(&mut random, m), parts(&mut random, n));
        let pose = Pose::new(random.direction() * random.range(2.0, 6.0), random.rotation());
        let mut least = Real::INFINITY;
        for (s, p) in &x {
            for (t, q) in &y {
                let (a, b) = (PosedShape { shape: s, pose: *p }, PosedShape { shape: t, pose: pose * *q });
                least = least.min(ask(a, b, Real::INFINITY).distance);
            }
        }
        let (x, y) = (Shape::compound(x).unwrap(), Shape::compound(y).unwrap());
        let (a, b) = (PosedShape { shape: &x, pose: Pose::IDENTITY }, PosedShape { shape: &y, pose });
        for envelope in [0.01, 0.3, 2.0, Real::INFINITY] {
            for (p, q) in [(a, b), (b, a)] {
                let distance = ask(p, q, envelope).distance;
                if least <= envelope {
                    assert!((distance - least).abs() < 1e-9, "{case} {envelope}: {distance}, {least}");
                    within += 1;
                } else {
                    assert!(distance > envelope && distance <= least + 1e-9, "{case} {envelope}: {distance}, {least}");
                    beyond += 1;
                }
            }
        }
    }
    assert!(within > 1000 && beyond > 1000, "{within} {beyond}");
}

/// The work for a compound of many parts is that for the few that are near, counted in iterations of the search of pairs.
#[test]
fn a_compound_of_many_parts_looks_at_few_of_them() {
    let mut random = Random::new(23);
    let hull =
        |random: &mut Random| Shape::convex(&(0..40).map(|_| random.direction() * 0.1).collect::<Vec<_>>()).unwrap();
    let mut work = |count: usize| {
        // a layer of hulls, equally dense for all counts
        let width = (count as Real).sqrt() * 0.15;
        let layer: Vec<(Shape, Pose)> = (0..count)
            .map(|_| {
                let at = Vec3::new(random.range(-width, width), 0.0, random.range(-width, width));
                (hull(&mut random), Pose::new(at, random.rotation()))
            })
            .collect();
        let layer = Shape::compound(layer).unwrap();
        let tool = Shape::compound(vec![
            (hull(&mut random), Pose::IDENTITY),
            (hull(&mut random), Pose::from_position(Vec3::X * 0.2)),
        ])
        .unwrap();
        let mut sum = 0;
        for _ in 0..50 {
            let at = Vec3::new(random.range(-width, width), 0.17, random.range(-width, width));
            let b = PosedShape { shape: &tool, pose: Pose::new(at, random.rotation()) };
            sum += ask(PosedShape { shape: &layer, pose: Pose::IDENTITY }, b, 0.02).iterations;
        }
        sum
    };
    let (few, many) = (work(20), work(2000));
    assert!(few > 100 && many < 4 * few, "{few} {many}");
}
