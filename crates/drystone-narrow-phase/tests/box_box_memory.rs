//! Boxes that move little from frame to frame: faces and edge pairs of about the same depth do not alternate,
//! and what is kept for that reason is never much deeper than the least depth.

use crate::brute_force::least_depth;
use drystone_core::{NarrowPhase, PosedShape, Proximity};
use drystone_geometry::Shape;
use drystone_math::{Pose, Real, Vec3};
use drystone_narrow_phase::Primitives;
use drystone_testkit::Random;

/// The stated bound: a kept answer is deeper by at most this fraction of the least depth plus this fraction of the size.
const KEEP: (Real, Real) = (0.02, 1e-5);

#[test]
fn the_normal_of_a_trembling_pair_changes_once_not_at_every_tremor() {
    let mut random = Random::new(81);
    let cube = |random: &mut Random| {
        Shape::cuboid(random.range(0.2, 0.6), random.range(0.2, 0.6), random.range(0.2, 0.6)).unwrap()
    };
    let (mut kept, mut afresh, mut deeper) = (0, 0, 0);
    for _ in 0..400 {
        let (x, y) = (cube(&mut random), cube(&mut random));
        let a = PosedShape { shape: &x, pose: Pose::new(Vec3::ZERO, random.rotation()) };
        let (start, turn) = (random.direction() * random.range(0.1, 0.7), random.rotation());
        let way = random.direction() * 1e-4;
        let mut cache = [0; 4];
        let mut last: [Option<Proximity>; 2] = [None; 2];
        for k in 0..300 {
            let tremor = random.vector(2e-4);
            let b = PosedShape { shape: &y, pose: Pose::new(start + way * Real::from(k) + tremor, turn) };
            let exact = least_depth(a, b).unwrap();
            if exact.depth < 1e-3 {
                break;
            }
            let ask = |cache: &mut [u32; 4]| Primitives.query(a, b, 0.01, cache, &mut Vec::new()).unwrap();
            let now = [ask(&mut cache), ask(&mut [0; 4])];
            assert!(exact.agrees(&now[1], 1e-12, 1.0), "{:?} {exact:?}", now[1]);
            assert!(-now[0].distance <= exact.depth * (1.0 + KEEP.0) + KEEP.1 * 0.6, "{:?} {exact:?}", now[0]);
            deeper += u32::from(-now[0].distance > exact.depth + 1e-9);
            for (changes, (now, last)) in [&mut kept, &mut afresh].into_iter().zip(now.iter().zip(&last)) {
                *changes += u32::from(last.is_some_and(|l| l.normal.dot(now.normal) < 0.98));
            }
            last = now.map(Some);
        }
    }
    println!("{kept} changes with a memory, {afresh} without, {deeper} answers deeper than the least");
    assert!(afresh > 60 && kept * 2 < afresh && deeper > 0, "{kept} with, {afresh} without");
}

#[test]
fn middles_that_pass_each_other_do_not_turn_the_normal_round() {
    // two equal cubes whose centres tremble about each other: every way out is equally long
    let cube = Shape::cuboid(0.5, 0.5, 0.5).unwrap();
    let a = PosedShape { shape: &cube, pose: Pose::IDENTITY };
    let mut random = Random::new(82);
    let (mut cache, mut last, mut turned, mut afresh) = ([0; 4], None::<Vec3>, 0, Vec::new());
    for _ in 0..200 {
        let b = PosedShape { shape: &cube, pose: Pose::from_position(random.vector(1e-4)) };
        let p = Primitives.query(a, b, 0.01, &mut cache, &mut Vec::new()).unwrap();
        turned += u32::from(last.is_some_and(|n| n.dot(p.normal) < 0.99));
        last = Some(p.normal);
        afresh.push(Primitives.query(a, b, 0.01, &mut [0; 4], &mut Vec::new()).unwrap().normal);
    }
    assert_eq!(turned, 0);
    assert!(afresh.windows(2).filter(|n| n[0].dot(n[1]) < 0.99).count() > 50);
}

#[test]
fn a_memory_of_another_place_does_not_matter() {
    // the cache of a distant pair, of another face, or filled with nonsense
    let (x, y) = (Shape::cuboid(0.5, 0.4, 0.3).unwrap(), Shape::cuboid(0.3, 0.6, 0.2).unwrap());
    let mut random = Random::new(83);
    for _ in 0..2000 {
        let a = PosedShape { shape: &x, pose: Pose::new(Vec3::ZERO, random.rotation()) };
        let b = PosedShape { shape: &y, pose: Pose::new(random.vector(0.5), random.rotation()) };
        let exact = least_depth(a, b).unwrap();
        let mut cache = [random.bits() as u32, 7, 7, 7];
        let p = Primitives.query(a, b, 0.01, &mut cache, &mut Vec::new()).unwrap();
        if exact.depth > 0.0 {
            assert!(-p.distance <= exact.depth * (1.0 + KEEP.0) + KEEP.1 * 0.6, "{p:?} {exact:?}");
            assert!(-p.distance >= exact.depth - 1e-12, "{p:?} {exact:?}");
        } else {
            assert!(p.distance >= 0.0, "{p:?} {exact:?}");
        }
    }
}

#[test]
fn boxes_apart_are_as_far_as_without_a_memory_of_their_closest_features() {
    let (x, y) = (Shape::cuboid(0.5, 0.4, 0.3).unwrap(), Shape::cuboid(0.3, 0.6, 0.2).unwrap());
    let mut random = Random::new(84);
    let (mut apart, mut close) = (0, 0);
    for _ in 0..400 {
        let a = PosedShape { shape: &x, pose: Pose::new(Vec3::ZERO, random.rotation()) };
        let (start, way) = (random.direction() * random.range(0.6, 1.2), random.vector(2e-2));
        let turn = random.rotation();
        // the features that were closest last, the memory of another pair, and nonsense: none may be trusted without a check
        let mut caches = [[0; 4], [random.bits() as u32, 0, 0, 0]];
        for k in 0..40 {
            let b = PosedShape { shape: &y, pose: Pose::new(start + way * Real::from(k), turn) };
            let ask = |cache: &mut [u32; 4]| Primitives.query(a, b, 10.0, cache, &mut Vec::new()).unwrap();
            let afresh = ask(&mut [0; 4]);
            let nonsense = ask(&mut [random.bits() as u32, 7, 7, 7]);
            if afresh.distance <= 0.0 {
                continue;
            }
            apart += 1;
            close += u32::from(afresh.distance < 1e-2);
            let [kept, others] = caches.each_mut().map(ask);
            for p in [kept, others, nonsense] {
                assert!((p.distance - afresh.distance).abs() < 1e-12, "{p:?} {afresh:?}");
                assert!(p.normal.dot(afresh.normal) > 1.0 - 1e-9, "{p:?} {afresh:?}");
            }
        }
    }
    assert!(apart > 5000 && close > 50, "{apart} {close}");
}
