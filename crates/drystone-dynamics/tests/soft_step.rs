//! Small soft steps keep the contract of a constraint solver, with any of their author's variants.

use drystone_core::{ConstraintSolver, GroupProblem};
use drystone_dynamics::{ErrorRule, SoftStep, SoftStepParameters};
use drystone_math::{Real, Vec3};
use drystone_testkit::problem::{Group, contact, cube};
use drystone_testkit::{ConstraintExpectations, check_constraint_solver};

/// Touching bodies turn by up to a hundredth of a radian within the step: bodies at rest
/// at its end still move a little at the contact points of its start.
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
    // projected Gauss-Seidel: one sub-step, and only sweeps that ignore errors
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

/// A cube of 1 kg that comes down at 3 m/s on one lower edge, e = 1/2, with the other edge
/// `gap` (m) above the floor; one step of 1/100 s without gravity.
fn on_one_edge(gap: Real) -> Group {
    let mut p = Group::from(GroupProblem { gravity: 0.0, ..GroupProblem::default() });
    p.bodies = vec![cube(0, 0.0, Vec3::NEG_Y), cube(1, 1.0, Vec3::Y * 0.5)];
    p.bodies[1].velocity.linear = Vec3::NEG_Y * 3.0;
    for (k, (x, gap)) in [(-0.5, 0.0), (0.5, gap)].into_iter().enumerate() {
        let mut c = contact([0, 1], Vec3::X * x, Vec3::Y, 0, k as u32);
        (c.separation, c.restitution, c.friction) = (gap, 0.5, 0.0);
        p.contacts.push(c);
    }
    p.solve(&mut SoftStep::new(SoftStepParameters::default()), 0.01, 0.01);
    p
}

#[test]
fn what_bounces_on_one_edge_leaves_the_open_one_alone() {
    let p = on_one_edge(0.1);
    // the edge leaves at 1.5 m/s: I = 4.5 / (1/m + x^2 / (m/6))
    let (impulse, after) = (p.answer.contacts[0].normal, p.answer.velocity[1]);
    assert!((impulse - 1.8).abs() < 0.02, "{impulse}");
    assert!((after.linear.y + 1.2).abs() < 0.02 && (after.angular.z + 5.4).abs() < 0.06, "{after:?}");
    assert_eq!(p.answer.contacts[1].normal, 0.0);
    // the control: if both edges touch, both bear, and the cube rises without turning
    let p = on_one_edge(0.0);
    let after = p.answer.velocity[1];
    assert!((after.linear.y - 1.5).abs() < 0.02 && after.angular.z.abs() < 1e-6, "{after:?}");
    assert!((p.answer.contacts[1].normal - 2.25).abs() < 0.02, "{:?}", p.answer.contacts);
}
