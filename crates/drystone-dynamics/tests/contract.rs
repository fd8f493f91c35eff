//! The velocity-level solvers and the corrector keep the contracts of their seams with every friction model and stabilization.

use drystone_core::ConstraintSolver;
use drystone_dynamics::{
    ConvexParameters, CorrectionParameters, FrictionModel, NoCorrection, PositionNcp, PositionParameters, Projection,
    RowParameters, Stabilization, VelocityLevel,
};
use drystone_lcp::{LcpSolver, ProjectedGaussSeidel, solver_by_name};
use drystone_testkit::{
    ConstraintExpectations, CorrectorExpectations, check_constraint_solver, check_position_corrector,
};

const SWEEPS: usize = 1000;

fn sweeps() -> Box<ProjectedGaussSeidel> {
    Box::new(ProjectedGaussSeidel::with_iterations(SWEEPS))
}

fn check(make: impl Fn() -> VelocityLevel) {
    let mut boxed = || -> Box<dyn ConstraintSolver> { Box::new(make()) };
    check_constraint_solver(&mut boxed, ConstraintExpectations::default());
}

#[test]
fn boxes_and_discs() {
    for friction in [FrictionModel::None, FrictionModel::ScaledBox, FrictionModel::Disc] {
        for stabilization in [Stabilization::Projection, Stabilization::Baumgarte] {
            for fused in [None, sweeps().plain_sweeps()] {
                let parameters = RowParameters { friction, stabilization, ..RowParameters::default() };
                check(|| VelocityLevel::boxed(parameters, sweeps(), fused));
            }
        }
    }
}

#[test]
fn pyramid_friction() {
    for facets in [4, 6, 8] {
        check(|| VelocityLevel::pyramid(RowParameters::default(), facets, sweeps()));
    }
}

#[test]
fn cone_friction_and_feedback() {
    let parameters = RowParameters { stabilization: Stabilization::Feedback, ..RowParameters::default() };
    check(|| VelocityLevel::cone(parameters, (2000, 1e-9), None, sweeps()));
}

#[test]
fn the_convex_problem() {
    for sliding_iterations in [0, 4] {
        let parameters = ConvexParameters { sliding_iterations, ..ConvexParameters::default() };
        check(|| VelocityLevel::convex(parameters, true, sweeps()));
    }
}

#[test]
fn distances_complementary_to_forces() {
    // the conditions concern distances at the end of the step; rates at its start differ by how far bodies turn
    let expect = ConstraintExpectations { speed: 5e-3, joints: false, ..ConstraintExpectations::default() };
    check_constraint_solver(
        &mut || Box::new(PositionNcp::new(PositionParameters { tolerance: 1e-12, ..PositionParameters::default() })),
        expect,
    );
}

#[test]
fn projection_takes_errors_out_of_positions() {
    for joints in [true, false] {
        let parameters = CorrectionParameters { joints, ..CorrectionParameters::default() };
        let expect = CorrectorExpectations { joints, ..CorrectorExpectations::default() };
        check_position_corrector(&mut || Box::new(Projection::by_sweeps(parameters, 200)), expect);
        for name in ["projected-gauss-seidel", "sparse-principal-pivoting"] {
            let make = || {
                let mut lcp = solver_by_name(name).unwrap();
                lcp.set("iterations", 200.0).unwrap();
                Projection::by(parameters, lcp)
            };
            check_position_corrector(&mut || Box::new(make()), expect);
        }
    }
    // few sweeps in each of many steps, as in the presets
    let few = CorrectorExpectations { rounds: 40, ..CorrectorExpectations::default() };
    check_position_corrector(&mut || Box::new(Projection::by_sweeps(CorrectionParameters::default(), 5)), few);
}

#[test]
fn what_corrects_nothing_does_not_pass_for_a_corrector() {
    let checked = std::panic::catch_unwind(|| {
        check_position_corrector(&mut || Box::new(NoCorrection), CorrectorExpectations::default());
    });
    assert!(checked.is_err());
}

/// As in every crate of modules, a name and settings are all that it takes.
#[test]
fn every_solver_is_made_by_its_name() {
    for described in drystone_dynamics::IMPLEMENTATIONS {
        let settings = drystone_core::catalogue::Settings::defaults(described);
        assert!(drystone_dynamics::by_name(described.name, &settings).is_some(), "{}", described.name);
    }
    let first = drystone_core::catalogue::Settings::defaults(&drystone_dynamics::IMPLEMENTATIONS[0]);
    assert!(drystone_dynamics::by_name("none of these", &first).is_none());
}
