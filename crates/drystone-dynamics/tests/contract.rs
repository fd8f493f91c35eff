//! The velocity-based solver keeps the contract of its seam with every friction model and stabilization.

use drystone_core::ConstraintSolver;
use drystone_dynamics::{FrictionModel, Stabilization, VelocityComplementarity, VelocityParameters};
use drystone_lcp::ProjectedGaussSeidel;
use drystone_testkit::{ConstraintExpectations, check_constraint_solver};

fn make(parameters: &VelocityParameters, sweeps: usize, fused: bool) -> Box<dyn ConstraintSolver> {
    let solver = Box::new(ProjectedGaussSeidel::with_iterations(sweeps));
    let made = VelocityComplementarity::new(parameters.clone(), solver);
    Box::new(if fused { made.with_plain_sweeps(sweeps, false) } else { made })
}

#[test]
fn scaled_box_friction_with_projection() {
    let parameters = VelocityParameters { correction_iterations: 200, ..VelocityParameters::default() };
    for fused in [false, true] {
        check_constraint_solver(&mut || make(&parameters, 1000, fused), ConstraintExpectations::default());
    }
}

#[test]
fn pyramid_friction() {
    for facets in [4, 6, 8] {
        let parameters = VelocityParameters {
            friction: FrictionModel::Pyramid,
            facets,
            correction_iterations: 200,
            ..VelocityParameters::default()
        };
        check_constraint_solver(&mut || make(&parameters, 1000, false), ConstraintExpectations::default());
    }
}

#[test]
fn no_friction_and_baumgarte() {
    let parameters = VelocityParameters {
        friction: FrictionModel::None,
        stabilization: Stabilization::Baumgarte,
        correction_iterations: 200,
        ..VelocityParameters::default()
    };
    // errors are the velocity problem's business then, and projection leaves them alone
    let expectations = ConstraintExpectations { correction: false, ..ConstraintExpectations::default() };
    check_constraint_solver(&mut || make(&parameters, 1000, true), expectations);
}

#[test]
fn cone_friction_and_feedback() {
    let parameters = VelocityParameters {
        friction: FrictionModel::Cone,
        stabilization: Stabilization::Feedback,
        cone_iterations: 2000,
        correction_iterations: 200,
        ..VelocityParameters::default()
    };
    check_constraint_solver(&mut || make(&parameters, 1000, true), ConstraintExpectations::default());
}
