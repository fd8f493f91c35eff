//! Sweeps over contact patches keep the contract of their seam, and carry what stands on something exactly.

use drystone_core::ConstraintSolver;
use drystone_dynamics::{ContactSweeps, PatchCorrection, SweepParameters};
use drystone_lcp::ProjectedGaussSeidel;
use drystone_testkit::{
    ConstraintExpectations, CorrectorExpectations, check_constraint_solver, check_position_corrector,
};

fn solver(parameters: &SweepParameters) -> Box<dyn ConstraintSolver> {
    Box::new(ContactSweeps::new(parameters.clone(), Box::new(ProjectedGaussSeidel::with_iterations(1000))))
}

fn patient() -> SweepParameters {
    SweepParameters {
        tolerance: 1e-6,
        sweeps: 1000,
        moving_sweeps: 1000,
        correction_iterations: 50,
        ..SweepParameters::default()
    }
}

#[test]
fn keeps_the_contract() {
    // friction is that of a patch: with a twist on top of it a point may bear up to twice mu times its normal impulse
    let expectations = ConstraintExpectations { friction_cone: false, ..ConstraintExpectations::default() };
    check_constraint_solver(&mut || solver(&patient()), expectations);
}

#[test]
fn the_corrector_keeps_the_contract() {
    let joints = ProjectedGaussSeidel::with_iterations(1000);
    let make = || PatchCorrection::new(&patient(), &joints);
    let expect = CorrectorExpectations { rounds: 20, ..CorrectorExpectations::default() };
    check_position_corrector(&mut || Box::new(make()), expect);
}
