//! Sweeps over contact patches keep the contract of their seam, and carry standing bodies exactly.

use drystone_core::{ConstraintSolver, Executor, GroupAnswer, GroupProblem, Levels, SolveReport, Step};
use drystone_dynamics::{ContactSweeps, CorrectionParameters, PatchCorrection, Projection, SweepParameters};
use drystone_lcp::{ProjectedGaussSeidel, solver_by_name};
use drystone_math::elementary::rotation_by;
use drystone_math::{Pose, Vec3};
use drystone_testkit::problem::{Group, block_on_floor, evaluate_joints, jointed_pair};
use drystone_testkit::{
    ConstraintExpectations, CorrectorExpectations, Random, check_constraint_solver, check_position_corrector,
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
    // groups with joints are moved, and rows that no joint evaluates anew keep the arms that they had at the start
    let expect = ConstraintExpectations { angular_momentum: 1e-2, speed: 2e-2, ..ConstraintExpectations::default() };
    check_constraint_solver(&mut || solver(&patient()), expect);
}

/// A solver that reports every group as resting.
struct Liar(Box<dyn ConstraintSolver>);

impl ConstraintSolver for Liar {
    fn name(&self) -> &'static str {
        "liar"
    }
    fn levels(&self) -> Levels {
        self.0.levels()
    }
    fn solve(
        &mut self,
        problem: &GroupProblem,
        step: Step,
        executor: &dyn Executor,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        let report = self.0.solve(problem, step, executor, answer);
        answer.rests = true;
        report
    }
    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(Self(self.0.fork()))
    }
}

#[test]
fn a_solver_that_says_rest_of_what_moves_is_found() {
    let checked = std::panic::catch_unwind(|| {
        check_constraint_solver(&mut || Box::new(Liar(solver(&patient()))), ConstraintExpectations::default());
    });
    assert!(checked.is_err());
}

/// The suite's check of rest is not vacuous: this block does come to rest.
#[test]
fn a_block_on_the_floor_comes_to_rest() {
    let mut group = Group::from(block_on_floor(10.0, 0.01));
    let mut solver = solver(&SweepParameters::default());
    let rests = (0..40).any(|_| {
        group.solve(solver.as_mut(), 0.01, 0.01);
        let rests = group.answer.rests;
        group.go_on();
        rests
    });
    assert!(rests);
}

#[test]
fn the_corrector_keeps_the_contract() {
    let joints = ProjectedGaussSeidel::with_iterations(1000);
    let make = || PatchCorrection::new(&patient(), &joints);
    let expect = CorrectorExpectations { rounds: 20, ..CorrectorExpectations::default() };
    check_position_corrector(&mut || Box::new(make()), expect);
}

#[test]
fn one_correction_closes_joints_that_are_far_open_and_says_that_nothing_is_left() {
    let open = |angle: f64| {
        let mut group = Group::from(jointed_pair(&mut Random::new(8)));
        let b = &mut group.problem.bodies[1];
        let orientation = (rotation_by(Vec3::new(0.3, -0.7, 0.2) * angle) * b.pose.orientation).normalize();
        b.pose = Pose::new(b.pose.position + Vec3::new(0.2, 0.1, -0.3) * angle, orientation);
        evaluate_joints(&mut group.problem);
        group
    };
    let error = |group: &Group| group.rows.iter().fold(0.0_f64, |m, r| m.max(r.row.error.abs()));
    let joints = solver_by_name("sparse-principal-pivoting").unwrap();
    let mut exact = PatchCorrection::new(&SweepParameters::default(), joints.as_ref());
    let mut once = Projection::by(CorrectionParameters { orthogonal_joints: false, ..Default::default() }, joints);
    for angle in [1e-3, 1e-2] {
        let (mut group, mut other) = (open(angle), open(angle));
        let before = error(&group);
        let report = group.correct(&mut exact);
        assert!(report.finished > 0 && report.finished == report.lcp.solves, "{angle}: {report:?}");
        group.displace_corrected();
        assert!(before > 0.1 * angle && error(&group) < 2e-8, "{angle}: {before:e} {:e}", error(&group));
        // the control: a single step of Newton's method leaves an error of second order
        let report = other.correct(&mut once);
        other.displace_corrected();
        assert!(report.finished == 0 && error(&other) > 1e-3 * angle * angle, "{angle}: {:e}", error(&other));
    }
}
