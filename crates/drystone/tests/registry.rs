//! The registry's own entries, checked by the suites that a module from outside must pass.

use drystone::core::catalogue::Value;
use drystone::core::{GroupAnswer, GroupProblem, PositionCorrector, SolveReport};
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, Registry};
use drystone_testkit::{EnergyGain, check_collision_law};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Every collision law (D-08) under its suite: only Newton's law with friction may gain energy, as the text shows.
#[test]
fn the_laws_hold_their_contract() {
    for described in drystone_impact::LAWS {
        let settings = drystone::core::catalogue::Settings::defaults(described);
        let law = drystone_impact::law_by_name(described.name, &settings).unwrap();
        let gain = if law.name().starts_with("newton") { EnergyGain::Known } else { EnergyGain::Never };
        check_collision_law(law.as_ref(), gain);
    }
}

/// The exact solvers under their suite; iterative ones, as accurate as their default sweeps make them, are tested beside their theory.
#[test]
fn the_direct_lcp_solvers_hold_their_contract() {
    let registry = Registry::default();
    for name in ["dantzig", "lemke", "block-principal-pivoting", "murty-least-index", "sparse-principal-pivoting"] {
        drystone::lcp::check_lcp_solver(|| registry.lcp_solver(name).unwrap(), 1e-9);
    }
}

/// Every listed name leads to its own description.
#[test]
fn every_listed_name_is_found() {
    let registry = Registry::default();
    for kind in ModuleKind::ALL {
        for i in registry.implementations(kind) {
            assert_eq!(registry.find(kind, i.name).unwrap(), *i);
        }
        assert!(registry.find(kind, "no-such-module").is_err());
    }
}

/// A leaning pile of three boxes after 30 steps.
fn pile(builder: drystone::WorldBuilder) -> World {
    let mut world = builder.build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    for i in 0..3 {
        let half = Vec3::splat(0.5);
        world
            .add(Body::dynamic(Shape::cuboid(half.x, half.y, half.z).unwrap()).at([
                0.2 * f64::from(i),
                0.49 + f64::from(i),
                0.0,
            ]))
            .unwrap();
    }
    advance(&mut world);
    world
}

fn advance(world: &mut World) {
    for _ in 0..30 {
        world.advance(0.01).unwrap();
    }
}

fn bits(world: &World) -> Vec<u64> {
    let of = |v: Vec3| v.to_array().map(f64::to_bits);
    world.bodies().iter().flat_map(|b| of(world.position(*b).unwrap())).collect()
}

/// The three solvers of the velocity problem under their own names agree, to the bit, with the old name and a setting.
#[test]
fn the_old_name_stands_for_three_solvers() {
    let chosen = |name: &str, settings: &[(&str, Value)]| {
        let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
        pile(World::builder().choose(ModuleChoice {
            kind: ModuleKind::ConstraintSolver,
            name: Some(name.to_owned()),
            settings,
        }))
    };
    let text = |v: &str| Value::Text(v.to_owned());
    let old = |settings: &[(&str, Value)]| bits(&chosen("velocity-complementarity", settings));
    let boxed = chosen("boxed", &[("friction", text("scaled-box"))]);
    assert_eq!(boxed.modules().name(ModuleKind::ConstraintSolver), "boxed");
    assert_eq!(bits(&boxed), old(&[("friction", text("scaled-box"))]));
    let pyramid = bits(&chosen("pyramid", &[("facets", Value::Integer(8))]));
    assert_eq!(pyramid, old(&[("friction", text("pyramid")), ("facets", Value::Integer(8))]));
    let cone = bits(&chosen("cone", &[("iterations", Value::Integer(3))]));
    assert_eq!(cone, old(&[("friction", text("cone")), ("cone_iterations", Value::Integer(3))]));
    // the control: no two of the three give the same result
    assert!(pyramid != cone && cone != bits(&boxed) && bits(&boxed) != pyramid);
    let settings = vec![("facets".to_owned(), Value::Integer(8))];
    let wrong = ModuleChoice { kind: ModuleKind::ConstraintSolver, name: Some("cone".to_owned()), settings };
    assert!(World::builder().choose(wrong).build().err().unwrap().to_string().contains("facets"));
}

/// With `iterations` zero, the cone makes as many sweeps as the complementarity solver, or a hundred if that solver makes none.
#[test]
fn the_cone_makes_the_sweeps_of_the_lcp_table() {
    let sweeps = |own: i64, lcp: &str| {
        let settings = vec![("iterations".to_owned(), Value::Integer(own))];
        let cone = ModuleChoice { kind: ModuleKind::ConstraintSolver, name: Some("cone".to_owned()), settings };
        let lcp = ModuleChoice { kind: ModuleKind::Lcp, name: Some(lcp.to_owned()), settings: vec![] };
        bits(&pile(World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(cone).choose(lcp)))
    };
    let by_sweeps = sweeps(0, "projected-gauss-seidel");
    assert!(by_sweeps == sweeps(10, "projected-gauss-seidel") && by_sweeps != sweeps(100, "projected-gauss-seidel"));
    assert_eq!(sweeps(0, "dantzig"), sweeps(100, "dantzig"));
}

/// Settings without effect leave the bits unchanged: sweeps that are never ended early do not use a tolerance.
#[test]
fn what_sweeps_do_not_look_at_changes_no_bits() {
    let by = |key: &str, value: Value| {
        let settings = vec![(key.to_owned(), value)];
        let lcp = ModuleChoice { kind: ModuleKind::Lcp, name: None, settings };
        bits(&pile(World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(lcp)))
    };
    let plain = by("iterations", Value::Integer(10));
    assert_eq!(by("tolerance", Value::Real(1.0)), plain);
    assert_eq!(by("min_iterations", Value::Integer(3)), plain);
    assert_ne!(by("threshold", Value::Real(1.0)), plain);
}

/// Counts its calls, and corrects nothing.
struct Counting(Arc<AtomicU64>);

impl PositionCorrector for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }
    fn correct(&mut self, _: &GroupProblem, _: &mut GroupAnswer) -> SolveReport {
        self.0.fetch_add(1, Ordering::Relaxed);
        SolveReport::default()
    }
    fn fork(&self) -> Box<dyn PositionCorrector> {
        Box::new(Self(self.0.clone()))
    }
}

/// A corrector given by value replaces the solver's own, and stays when the paradigm changes.
#[test]
fn a_corrector_by_value_stays() {
    let calls = Arc::new(AtomicU64::new(0));
    let mut world = pile(World::builder().position_corrector(Counting(calls.clone())));
    assert!(calls.load(Ordering::Relaxed) > 0);
    // the initial penetration remains, since nothing corrects it
    let lowest = |world: &World| world.position(world.bodies()[1]).unwrap().y;
    assert!(lowest(&world) < 0.4901 && lowest(&pile(World::builder())) > 0.4999);
    for paradigm in [Paradigm::LOAD_PROPAGATION, Paradigm::VELOCITY_LCP] {
        let before = calls.load(Ordering::Relaxed);
        world.set_paradigm(paradigm, &[]).unwrap();
        world.set_velocity(world.bodies()[1], drystone::math::Twist::new(Vec3::X * 0.1, Vec3::ZERO)).unwrap();
        advance(&mut world);
        assert!(calls.load(Ordering::Relaxed) > before, "{}", paradigm.name);
        assert!(lowest(&world) < 0.4901);
    }
}

/// A former name stands for the present one, in programs as in scenes.
#[test]
fn former_names_are_known() {
    let registry = Registry::default();
    for (kind, former, present) in drystone::registry::ALIASES {
        assert_eq!(registry.find(kind, former).unwrap().name, present);
        assert!(registry.implementations(kind).iter().all(|i| i.name != former), "{former} is listed");
        let choice = ModuleChoice { kind, name: Some(former.to_owned()), settings: Vec::new() };
        assert_eq!(World::builder().choose(choice).build().unwrap().modules().name(kind), present);
    }
}
