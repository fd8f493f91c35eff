//! Parry through the seam: the contract, agreement with our distances, and a world that stands on it.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, Registry};
use drystone_core::{NarrowCache, NarrowPhase, PosedShape};
use drystone_narrow_phase::Combined;
use drystone_narrow_phase_parry::Parry;
use drystone_testkit::{NarrowPhaseTolerance, Random, check_narrow_phase};

fn shapes() -> Vec<Shape> {
    let mut random = Random::new(3);
    let points: Vec<Vec3> = (0..24).map(|_| random.direction() * 0.6).collect();
    vec![
        Shape::sphere(0.5).unwrap(),
        Shape::cuboid(0.5, 0.4, 0.3).unwrap(),
        Shape::capsule(0.3, 0.4).unwrap(),
        Shape::cylinder(0.4, 0.5).unwrap(),
        Shape::cone(0.5, 0.6).unwrap(),
        Shape::convex(&points).unwrap(),
        Shape::plane(Vec3::new(0.1, 1.0, 0.2), 0.1).unwrap(),
    ]
}

#[test]
fn it_keeps_the_contract() {
    check_narrow_phase(
        &Parry::default(),
        &shapes(),
        NarrowPhaseTolerance { distance: 1e-4, depth: false, opposite: true },
    );
}

#[test]
fn it_is_as_far_as_ours() {
    let (parry, shapes) = (Parry::default(), shapes());
    let mut random = Random::new(5);
    let (mut worst, mut deeper, mut pairs) = (0.0_f64, 0, 0);
    for k in 0..4000 {
        let (a, b) = (&shapes[k % 7], &shapes[k / 7 % 7]);
        if !parry.supports(a, b) {
            continue;
        }
        let a = PosedShape { shape: a, pose: Pose::new(random.vector(1.0), random.rotation()) };
        let away = random.direction() * random.range(0.5, 3.0);
        let b = PosedShape { shape: b, pose: Pose::new(a.pose.position + away, random.rotation()) };
        let ask =
            |n: &dyn NarrowPhase| n.query(a, b, 10.0, &mut NarrowCache::default(), &mut Vec::new()).unwrap().distance;
        let (theirs, ours) = (ask(&parry), ask(&Combined));
        pairs += 1;
        if ours > 0.0 {
            worst = worst.max((theirs - ours).abs());
        } else {
            // a depth is a length whose displacement separates the pair, so the smaller one is the better answer
            deeper += u32::from(theirs < ours - 1e-3);
            assert!(theirs < ours + 1e-3, "pair {k}: ours is not the least, {ours} and {theirs}");
        }
    }
    println!(
        "{pairs} pairs: distances differ by {worst:.1e} m at most, {deeper} of theirs are deeper by more than 1 mm"
    );
    assert!(pairs > 3500 && worst < 1e-5 && deeper == 0, "{worst}, {deeper} deeper");
}

fn world(narrow_phase: &str) -> World {
    let mut registry = Registry::default();
    registry.add_narrow_phase(Parry::DESCRIPTION, |_| Box::new(Parry::default())).unwrap();
    let choice = ModuleChoice { kind: ModuleKind::NarrowPhase, name: Some(narrow_phase.to_owned()), settings: vec![] };
    let mut world = World::builder().registry(registry).choose(choice).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    world
}

#[test]
fn a_world_stands_on_it() {
    let mut world = world("parry");
    assert_eq!(world.modules().name(ModuleKind::NarrowPhase), "parry");
    let boxes: Vec<_> = (0..4)
        .map(|i| {
            world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([0.0, 0.5 + f64::from(i), 0.0])).unwrap()
        })
        .collect();
    for _ in 0..200 {
        world.advance(0.01).unwrap();
    }
    for (i, b) in boxes.iter().enumerate() {
        let moved = world.position(*b).unwrap() - Vec3::Y * (0.5 + i as f64);
        assert!(moved.length() < 5e-3, "box {i} moved by {moved}");
    }
}

#[test]
fn a_hull_that_is_gone_is_forgotten() {
    let parry = Parry::default();
    for k in 0..50 {
        let points: Vec<Vec3> =
            [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|p| p * (1.0 + 0.1 * f64::from(k))).to_vec();
        let (hull, ball) = (Shape::convex(&points).unwrap(), Shape::sphere(0.5).unwrap());
        let pose = Pose::from_position(Vec3::X * 10.0);
        let (a, b) = (PosedShape { shape: &hull, pose: Pose::IDENTITY }, PosedShape { shape: &ball, pose });
        let found = parry.query(a, b, 0.1, &mut NarrowCache::default(), &mut Vec::new()).unwrap();
        // each hull is queried as itself, whatever was at the same address before
        assert!((found.distance - (9.5 - (1.0 + 0.1 * f64::from(k)))).abs() < 1e-6, "{k}: {}", found.distance);
    }
}
