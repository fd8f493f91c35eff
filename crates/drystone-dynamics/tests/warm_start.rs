//! The fraction of the last multipliers from which a solve starts (F-17).

use drystone_dynamics::{ConstraintRows, RowParameters, VelocityLevel, assemble};
use drystone_lcp::ProjectedGaussSeidel;
use drystone_testkit::problem::{Group, block_on_floor};

/// A block that was pressed down with 2 N s at each corner.
fn pressed() -> Group {
    let mut problem = Group::from(block_on_floor(2.0, 0.01));
    for c in &mut problem.problem.contacts {
        c.impulse.normal = 2.0;
    }
    problem
}

fn parameters(warm_start_scale: f64, warm_start: bool) -> RowParameters {
    RowParameters { warm_start, warm_start_scale, ..RowParameters::default() }
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
        problem.solve(&mut VelocityLevel::boxed(parameters(scale, warm), sweeps, None), 0.01, 0.01);
        let total: f64 = problem.answer.contacts.iter().map(|c| c.normal).sum();
        assert!((total - weight).abs() < 1e-9, "{scale}: {total} against {weight}");
    }
}
