//! The settings that the thesis recommends, as found in the presets that follow it.

use drystone::prelude::*;
use drystone::{ModuleKind, Modules};

/// F-27, Q-01 ... Q-03: plain Gauss-Seidel, ten iterations for velocities and five for position errors, no convergence test, no permutation, no
/// over-relaxation.
#[test]
fn plain_sweeps_in_a_fixed_number() {
    let modules = Modules::assemble(&Paradigm::VELOCITY_LCP, &[]).unwrap();
    assert_eq!(modules.name(ModuleKind::Lcp), "projected-gauss-seidel");
    let sweeps = modules.settings(ModuleKind::Lcp);
    assert_eq!(sweeps.integer("iterations"), 10);
    // over-relaxation, permutations and convergence tests are off by default
    let chosen = ["iterations", "warm_start"];
    let others: Vec<_> = sweeps.iter().filter(|(p, _)| !chosen.contains(&p.name)).collect();
    assert!(others.len() > 3 && others.iter().all(|(p, v)| p.default_value() == **v));
    assert_eq!(sweeps.real("omega"), 1.0);
    assert!(sweeps.switch("warm_start"));
    assert_eq!(modules.settings(ModuleKind::ConstraintSolver).integer("correction_iterations"), 5);
}

/// Every step makes the same number of sweeps, so the work per step does not depend on convergence.
#[test]
fn work_is_the_same_in_each_step() {
    let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    for i in 0..5 {
        let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap());
        world.add(cube.at([0.01 * f64::from(i), 0.5 + f64::from(i), 0.0])).unwrap();
    }
    for _ in 0..50 {
        let solve = world.advance(0.01).unwrap().calls.solve;
        assert_eq!(solve.lcp.iterations, 10, "{solve:?}");
    }
}
