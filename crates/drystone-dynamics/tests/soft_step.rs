//! Small soft steps keep the contract of a constraint solver, whichever of its author's variants the settings say.

use drystone_core::ConstraintSolver;
use drystone_dynamics::{ErrorRule, SoftStep, SoftStepParameters};
use drystone_testkit::{ConstraintExpectations, check_constraint_solver};

/// Bodies that meet turn by up to a hundredth of a radian within the step: what is still at its end moves a little at the places of its start.
const TURNED: f64 = 0.03;

fn check(parameters: &SoftStepParameters) {
    let make = || -> Box<dyn ConstraintSolver> { Box::new(SoftStep::new(parameters.clone())) };
    check_constraint_solver(&mut { make }, ConstraintExpectations { speed: TURNED, ..Default::default() });
}

/// Enough sweeps to converge.
fn many() -> SoftStepParameters {
    SoftStepParameters { relax_iterations: 50, ..SoftStepParameters::default() }
}

#[test]
fn soft_steps_keep_the_contract() {
    check(&many());
    check(&SoftStepParameters { sub_steps: 1, ..many() });
    check(&SoftStepParameters { sub_steps: 16, warm_start: false, ..many() });
}

#[test]
fn so_do_the_variants() {
    check(&SoftStepParameters { errors: ErrorRule::Baumgarte, ..many() });
    check(&SoftStepParameters { errors: ErrorRule::Leave, ..many() });
    check(&SoftStepParameters { sticky: true, ..many() });
    // projected Gauss-Seidel: one step, sweeps without errors alone
    check(&SoftStepParameters {
        sub_steps: 1,
        iterations: 100,
        relax_iterations: 0,
        errors: ErrorRule::Leave,
        ..many()
    });
}

#[test]
fn one_sweep_without_relaxation_does_not() {
    let lax = SoftStepParameters { iterations: 1, relax_iterations: 0, ..many() };
    assert!(std::panic::catch_unwind(|| check(&lax)).is_err());
}
