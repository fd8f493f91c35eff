//! Correcting positions one constraint after the other keeps the contract of a corrector.

use drystone_core::PositionCorrector;
use drystone_dynamics::{NonlinearCorrection, NonlinearParameters};
use drystone_testkit::{CorrectorExpectations, check_position_corrector};

fn check(iterations: usize, expect: CorrectorExpectations) {
    let parameters = NonlinearParameters { iterations, slop: 0.0, rate: 0.2, limit: 0.2, joints: true };
    let make = || -> Box<dyn PositionCorrector> { Box::new(NonlinearCorrection::new(parameters)) };
    check_position_corrector(&mut { make }, expect);
}

#[test]
fn sweeps_take_errors_out() {
    check(200, CorrectorExpectations::default());
    // as many iterations as the preset has, in each of many steps
    check(3, CorrectorExpectations { rounds: 40, ..Default::default() });
}

#[test]
fn three_sweeps_leave_something() {
    assert!(std::panic::catch_unwind(|| check(3, CorrectorExpectations::default())).is_err());
}
