//! The same bits: on any number of threads, after a restore, and whatever broad phase finds the pairs.

use drystone::core::State;
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};

/// Presets whose solvers are exact and dense: a few stacks are enough to test them.
const DENSE: [Paradigm; 4] = [
    Paradigm::POSITION_NCP,
    Paradigm::COLLISION_SYNCHRONIZATION,
    Paradigm::ACCELERATION_LCP,
    Paradigm::ACCELERATION_LP,
];

fn is_dense(paradigm: Paradigm) -> bool {
    DENSE.iter().any(|d| d.name == paradigm.name)
}

/// Many small stacks and some bodies in the air: groups of all sizes.
fn stacks(paradigm: Paradigm, threads: usize, broad_phase: Option<&str>) -> World {
    let mut builder = World::builder().paradigm(paradigm).threads(threads);
    if let Some(name) = broad_phase {
        builder = builder.choose(ModuleChoice {
            kind: ModuleKind::BroadPhase,
            name: Some(name.to_owned()),
            settings: vec![],
        });
    }
    let mut world = builder.build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let columns = if is_dense(paradigm) { 4 } else { 24 };
    for column in 0..columns {
        for level in 0..=(column % 6) {
            let place = [f64::from(column) * 1.7, 0.5 + 1.02 * f64::from(level), 0.1 * f64::from(column % 3)];
            world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at(place)).unwrap();
        }
        let ball = Body::dynamic(Shape::sphere(0.3).unwrap()).at([f64::from(column) * 1.7 + 0.2, 8.0, 0.0]);
        world.add(ball.linear_velocity([0.3, -3.0, 0.1])).unwrap();
    }
    world
}

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        world.advance(0.01).unwrap();
    }
}

fn assert_same_bits(a: &State, b: &State, what: &str) {
    assert_eq!(a, b, "{what}");
    for (p, q) in a.position.iter().zip(&b.position) {
        assert_eq!(p.to_array().map(f64::to_bits), q.to_array().map(f64::to_bits), "{what}");
    }
}

#[test]
fn threads_change_while_a_world_runs() {
    for preset in [Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP, Paradigm::XPBD] {
        let (mut one, mut other) = (stacks(preset, 1, None), stacks(preset, 2, None));
        for threads in [3, 1, 2] {
            run(&mut one, 20);
            run(&mut other, 20);
            assert_same_bits(one.state(), other.state(), preset.name);
            other.set_threads(threads).unwrap();
            assert_eq!(other.threads(), threads);
        }
        for wrong in [0, 257] {
            let refused = other.set_threads(wrong).unwrap_err();
            assert!(matches!(refused.cause(), WorldError::OutOfRange { what: "threads", .. }), "{refused}");
        }
        run(&mut one, 5);
        run(&mut other, 5);
        assert_same_bits(one.state(), other.state(), "what was refused changed nothing");
        assert_eq!(other.threads(), 2);
    }
}

#[test]
fn any_number_of_threads() {
    let presets = [
        Paradigm::REAL_TIME,
        Paradigm::VELOCITY_LCP,
        Paradigm::LOAD_PROPAGATION,
        Paradigm::CONVEX_NEWTON,
        Paradigm::POSITION_NCP,
        Paradigm::COLLISION_SYNCHRONIZATION,
        Paradigm::ACCELERATION_LCP,
        Paradigm::ACCELERATION_LP,
    ];
    for paradigm in presets {
        let steps = if is_dense(paradigm) { 30 } else { 120 };
        let mut one = stacks(paradigm, 1, None);
        run(&mut one, steps);
        for threads in [2, 3, 5] {
            let mut many = stacks(paradigm, threads, None);
            run(&mut many, steps);
            assert_same_bits(one.state(), many.state(), &format!("{} on {threads} threads", paradigm.name));
        }
    }
}

/// A cube of 14 x 14 x 14 balls that touch, thrown: one group so large that several threads gather, test and sweep it.
fn lattice(threads: usize) -> World {
    let mut world = World::builder().paradigm(Paradigm::REAL_TIME).threads(threads).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    for i in 0..14 * 14 * 14 {
        let [x, y, z] = [i % 14, i / 14 % 14, i / 196].map(f64::from);
        let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).at([x, y + 0.5, z]);
        let thrown = [0.3 * (7.0 * x).sin(), 0.2 * (5.0 * y).sin() - 0.5, 0.3 * (3.0 * z + x).sin()];
        world.add(ball.linear_velocity(thrown)).unwrap();
    }
    world
}

#[test]
fn one_pile_on_any_number_of_threads() {
    let mut one = lattice(1);
    run(&mut one, 4);
    let report = one.advance(0.01).unwrap();
    assert_eq!(report.groups, 1);
    for threads in [2, 3, 8] {
        let mut many = lattice(threads);
        run(&mut many, 4);
        let other = many.advance(0.01).unwrap();
        assert_same_bits(one.state(), many.state(), &format!("a pile on {threads} threads"));
        let found = |r: &drystone::StepReport| (r.contacts, r.penetration, r.events);
        assert_eq!(found(&report), found(&other), "{threads} threads");
        assert_eq!(one.graph().events, many.graph().events, "{threads} threads");
        assert_eq!(one.graph().order, many.graph().order);
        for (p, q) in one.graph().iter().zip(many.graph().iter()) {
            assert_eq!((p.touching, &p.manifold), (q.touching, &q.manifold), "{:?} on {threads} threads", p.pair);
        }
    }
}

#[test]
fn after_a_restore() {
    for paradigm in [Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP, Paradigm::LOAD_PROPAGATION] {
        let mut world = stacks(paradigm, 1, None);
        run(&mut world, 60);
        let snapshot = world.snapshot();
        run(&mut world, 60);
        let end = world.state().clone();
        world.restore(&snapshot).unwrap();
        run(&mut world, 60);
        assert_eq!(world.state(), &end, "{}", paradigm.name);
    }
}

/// What modules and buffers hold of their past changes no bit: from a snapshot the world continues as
/// it did at first, both with new modules and with modules that have just been through something else.
#[test]
fn after_a_restore_with_modules_of_another_past() {
    for paradigm in Paradigm::ALL {
        let steps = if is_dense(*paradigm) { 10 } else { 30 };
        let mut world = stacks(*paradigm, 1, None);
        run(&mut world, 2 * steps);
        let snapshot = world.snapshot();
        assert_ne!(world.state(), stacks(*paradigm, 1, None).state(), "{}: nothing has moved", paradigm.name);
        run(&mut world, steps);
        let end = world.state().clone();

        world.set_paradigm(*paradigm, &[]).unwrap(); // modules made anew
        world.restore(&snapshot).unwrap();
        run(&mut world, steps);
        assert_same_bits(world.state(), &end, &format!("{} with new modules", paradigm.name));

        // another past: all bodies are thrown about, so that pairs and groups are different ones
        for body in world.bodies().to_vec() {
            world.set_velocity(body, Twist::new(Vec3::new(3.0, 0.0, -2.0), Vec3::X)).unwrap();
        }
        run(&mut world, steps);
        assert_ne!(world.state(), &end, "{}: the past is not another one", paradigm.name);
        world.restore(&snapshot).unwrap();
        run(&mut world, steps);
        assert_same_bits(world.state(), &end, &format!("{} with modules of another past", paradigm.name));
    }
}

#[test]
fn any_broad_phase() {
    // I-09
    let mut reference = stacks(Paradigm::VELOCITY_LCP, 1, Some("exhaustive"));
    run(&mut reference, 120);
    for d in drystone::registry::implementations(ModuleKind::BroadPhase) {
        let mut other = stacks(Paradigm::VELOCITY_LCP, 1, Some(d.name));
        run(&mut other, 120);
        assert_same_bits(reference.state(), other.state(), d.name);
    }
}

#[test]
fn paradigms_swap_while_the_world_runs() {
    let mut world = stacks(Paradigm::VELOCITY_LCP, 1, None);
    run(&mut world, 30);
    let momentum = world.momentum();
    world.set_paradigm(Paradigm::LOAD_PROPAGATION, &[]).unwrap();
    assert_eq!(world.momentum(), momentum, "swapping modules moves nothing");
    run(&mut world, 30);
    assert_eq!(world.paradigm(), Paradigm::LOAD_PROPAGATION);
    assert!(world.state().position.iter().all(|p| p.is_finite()));
}
