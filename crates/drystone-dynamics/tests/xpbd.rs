//! Position-based dynamics keeps the contract of a constraint solver, and angular momentum to the order of a sub-step.

use drystone_core::ConstraintSolver;
use drystone_dynamics::{Xpbd, XpbdParameters};
use drystone_testkit::{ConstraintExpectations, check_constraint_solver};

fn check(sub_steps: u32, position_iterations: u32, angular_momentum: f64) {
    let parameters = XpbdParameters { sub_steps, position_iterations, ..XpbdParameters::default() };
    let make = || -> Box<dyn ConstraintSolver> { Box::new(Xpbd::new(parameters.clone())) };
    let expect = ConstraintExpectations { speed: 0.05, momentum: 1e-9, angular_momentum, ..Default::default() };
    check_constraint_solver(&mut { make }, expect);
}

#[test]
fn xpbd_keeps_the_contract() {
    check(20, 20, 1e-3);
    check(200, 5, 1e-4);
}

#[test]
fn positions_left_as_they_are_do_not() {
    assert!(std::panic::catch_unwind(|| check(20, 0, 1e-3)).is_err());
}
