//! The part of the last multipliers that a solve starts from (F-17).

use drystone_core::{ConstraintSolver, GroupProblem};
use drystone_dynamics::{ConstraintRows, VelocityComplementarity, VelocityParameters, assemble};
use drystone_lcp::ProjectedGaussSeidel;
use drystone_testkit::problem::block_on_floor;

/// A block that was pressed down with 2 N s a corner.
fn pressed() -> GroupProblem {
    let mut problem = block_on_floor(2.0, 0.01);
    for c in &mut problem.contacts {
        c.impulse.normal = 2.0;
    }
    problem
}

fn parameters(warm_start_scale: f64, warm_start: bool) -> VelocityParameters {
    VelocityParameters { warm_start, warm_start_scale, ..VelocityParameters::default() }
}

#[test]
fn a_start_is_the_scaled_multiplier_of_the_last_solve() {
    let start = |scale, warm| {
        let mut rows = ConstraintRows::default();
        assemble(&pressed(), &parameters(scale, warm), 0.01, 0.01, &mut rows);
        rows.x[0]
    };
    assert_eq!((start(1.0, true), start(0.9, true), start(0.9, false)), (2.0, 1.8, 0.0));
}

#[test]
fn the_answer_does_not_depend_on_it() {
    let weight = 2.0 * 9.81 * 0.01;
    for (scale, warm) in [(1.0, true), (0.9, true), (1.0, false)] {
        let mut problem = pressed();
        let sweeps = Box::new(ProjectedGaussSeidel::with_iterations(2000));
        VelocityComplementarity::new(parameters(scale, warm), sweeps).solve(&mut problem, 0.01, 0.01);
        let total: f64 = problem.contacts.iter().map(|c| c.impulse.normal).sum();
        assert!((total - weight).abs() < 1e-9, "{scale}: {total} against {weight}");
    }
}
