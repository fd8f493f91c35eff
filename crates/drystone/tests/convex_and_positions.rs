//! Paradigms of one problem a step: the convex one in velocities.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::catalogue::Value;

const H: f64 = 1.0 / 240.0;
const G: f64 = 9.81;

fn world(paradigm: Paradigm, settings: &[(&str, Value)]) -> World {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    let choice = ModuleChoice { kind: ModuleKind::ConstraintSolver, name: None, settings };
    let mut world = World::builder().paradigm(paradigm).gravity([0.0, -G, 0.0]).choose(choice).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    world
}

fn cube() -> Body {
    Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap())
}

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        world.advance(H).unwrap();
    }
}

#[test]
fn convex_newton_sinks_as_its_impedance_says() {
    // steady: R f = k r, R = (1 - d) / d A, A f = g, k = 1 / (d T zeta)^2
    for (d, time, ratio) in [(0.9, 0.02, 1.0), (0.95, 0.05, 1.0), (0.9, 0.02, 0.7)] {
        let settings = [
            ("impedance", Value::Real(d)),
            ("impedance_deep", Value::Real(d)),
            ("time_constant", Value::Real(time)),
            ("damping_ratio", Value::Real(ratio)),
        ];
        let mut world = world(Paradigm::CONVEX_NEWTON, &settings);
        let block = world.add(cube().at([0.0, 0.5, 0.0])).unwrap();
        run(&mut world, 960);
        let (found, expected) = (0.5 - world.position(block).unwrap().y, (1.0 - d) * d * G * (time * ratio).powi(2));
        assert!((found - expected).abs() < 1e-6 * expected, "{d} {time}: {found}, expected {expected}");
    }
    // at the defaults hardly at all
    let mut world = world(Paradigm::CONVEX_NEWTON, &[]);
    let block = world.add(cube().at([0.0, 0.5, 0.0])).unwrap();
    run(&mut world, 480);
    assert!((0.5 - world.position(block).unwrap().y).abs() < 1e-6);
}

/// How far a block thrown at 3 m/s comes, and how high.
fn slide(settings: &[(&str, Value)]) -> (f64, f64) {
    let mut world = world(Paradigm::CONVEX_NEWTON, settings);
    let m = world.add_material(Material { friction: 0.4, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(m)).unwrap();
    let block = world.add(cube().at([0.0, 0.5, 0.0]).material(m).linear_velocity([2.6, 0.0, 1.5])).unwrap();
    let mut highest = 0.0_f64;
    for _ in 0..480 {
        run(&mut world, 1);
        highest = highest.max(world.position(block).unwrap().y - 0.5);
    }
    let p = world.position(block).unwrap();
    (p.x.hypot(p.z), highest)
}

#[test]
fn convex_newton_slides_by_coulombs_law_and_hops_without_its_iteration() {
    let want = (2.6_f64 * 2.6 + 1.5 * 1.5) / (2.0 * 0.4 * G);
    let (far, high) = slide(&[]);
    assert!((far - want).abs() < 0.01 * want && high < 1e-6, "{far}, expected {want}; {high}");
    let (_, high) = slide(&[("sliding_iterations", Value::Integer(0))]);
    assert!(high > 0.03, "{high}");
}

#[test]
fn convex_newton_holds_columns_and_keeps_momentum() {
    let mut w = world(Paradigm::CONVEX_NEWTON, &[]);
    let ids: Vec<_> = (0..10).map(|i| w.add(cube().at([0.0, 0.5 + f64::from(i), 0.0])).unwrap()).collect();
    let start = w.energy();
    run(&mut w, 480);
    for (i, id) in ids.iter().enumerate() {
        assert!((w.position(*id).unwrap() - Vec3::Y * (0.5 + i as f64)).length() < 1e-4, "{i}");
    }
    assert!(w.energy().total() <= start.total() + 1e-9 * start.total().abs());

    // cubes that meet in flight
    let mut w = World::builder().paradigm(Paradigm::CONVEX_NEWTON).gravity([0.0; 3]).build().unwrap();
    for i in 0..6 {
        let speed = if i % 2 == 0 { 1.0 } else { -0.5 };
        w.add(cube().at([f64::from(i) * 1.3, 0.1 * f64::from(i), 0.0]).linear_velocity([speed, 0.0, 0.1])).unwrap();
    }
    let (before, energy) = (w.momentum(), w.energy().total());
    for _ in 0..240 {
        w.advance(H).unwrap();
        assert!(w.energy().total() <= energy * (1.0 + 1e-9));
    }
    let after = w.momentum();
    assert!((after.linear - before.linear).length() < 1e-9 * 6000.0, "{before:?} {after:?}");
    assert!(w.energy().total() < 0.9 * energy, "they met");
}
