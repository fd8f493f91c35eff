//! Rigid rows of a joint made orthogonal: the same answer in fewer sweeps.

use drystone_core::{ConstraintRow, ConstraintSolver, GroupProblem, GroupRow, RowLimits, Softness};
use drystone_dynamics::{ConstraintRows, VelocityComplementarity, VelocityParameters, assemble};
use drystone_lcp::ProjectedGaussSeidel;
use drystone_math::{Real, Twist, Vec3};
use drystone_testkit::{Random, problem::cube, problem::gather, problem::jointed_pair};

fn solved(mut problem: GroupProblem, orthogonal_joints: bool, sweeps: usize) -> GroupProblem {
    let parameters = VelocityParameters { orthogonal_joints, warm_start: true, ..VelocityParameters::default() };
    VelocityComplementarity::new(parameters, Box::new(ProjectedGaussSeidel::with_iterations(sweeps))).solve(
        &mut problem,
        0.01,
        0.01,
    );
    problem
}

const ARM: Vec3 = Vec3::new(1.6, 0.9, -0.8);

/// The point at the origin of a cube whose centre is two meters away stands still: three rows, and a fourth that they imply.
fn pendulum() -> GroupProblem {
    let mut problem =
        GroupProblem { bodies: vec![cube(0, 0.0, Vec3::ZERO), cube(1, 3.0, ARM)], ..GroupProblem::default() };
    problem.bodies[1].inverse_inertia.diagonal = Vec3::new(500.0, 700.0, 900.0);
    problem.bodies[1].external.linear = Vec3::new(0.2, -0.0981, 0.3);
    problem.bodies[1].velocity.angular = Vec3::new(0.3, 1.0, -2.0);
    gather(&mut problem);
    let directions = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(1.0, 2.0, 3.0)];
    for (place, e) in directions.into_iter().enumerate() {
        let row = ConstraintRow {
            jacobian: [Twist::ZERO, Twist::new(e, (-ARM).cross(e))],
            target: 0.0,
            error: 0.0,
            curvature: 0.0,
            limits: RowLimits::BILATERAL,
            softness: Softness::RIGID,
            restitution: 0.0,
            correctable: true,
        };
        problem.rows.push(GroupRow { bodies: [0, 1], row, impulse: 0.0, joint: 7, place: place as u32 });
    }
    problem
}

fn rate(problem: &GroupProblem, row: &GroupRow) -> Real {
    let u = &problem.bodies[1].solved;
    let j = &row.row.jacobian[1];
    j.linear.dot(u.linear) + j.angular.dot(u.angular)
}

/// Velocity that the multipliers of the rows as given make of body 1.
fn by_impulses(problem: &GroupProblem) -> Twist {
    let body = &problem.bodies[1];
    let p = problem.rows.iter().map(|r| r.row.jacobian[1] * r.impulse).fold(Twist::ZERO, |sum, t| sum + t);
    let change = Twist::new(p.linear * body.inverse_mass, body.inverse_inertia.mul_vec(p.angular));
    body.velocity + body.external + change
}

#[test]
fn one_sweep_solves_one_joint() {
    let orthogonal = solved(pendulum(), true, 1);
    let plain = solved(pendulum(), false, 10);
    let worst = |p: &GroupProblem| p.rows.iter().map(|r| rate(p, r).abs()).fold(0.0, Real::max);
    assert!(worst(&orthogonal) < 1e-12, "{}", worst(&orthogonal));
    assert!(worst(&plain) > 1e-3, "{}", worst(&plain));
    let (u, v) = (orthogonal.bodies[1].solved, by_impulses(&orthogonal));
    assert!((u.linear - v.linear).length() + (u.angular - v.angular).length() < 1e-11, "{u:?} {v:?}");
}

#[test]
fn the_answer_is_that_of_the_rows_as_given() {
    let mut random = Random::new(3);
    for _ in 0..20 {
        let problem = jointed_pair(&mut random);
        let (one, other) = (solved(problem.clone(), true, 30), solved(problem, false, 20_000));
        for (a, b) in one.rows.iter().zip(&other.rows) {
            assert!((a.impulse - b.impulse).abs() < 1e-8, "{} {}", a.impulse, b.impulse);
        }
    }
}

#[test]
fn a_warm_start_begins_at_the_answer() {
    let first = solved(pendulum(), true, 5);
    let again = solved(first.clone(), true, 0);
    assert!((again.bodies[1].solved.angular - first.bodies[1].solved.angular).length() < 1e-12);

    // and what it starts from is what is written for others to replay
    let mut rows = ConstraintRows::default();
    assemble(&first, &VelocityParameters { warm_start: true, ..Default::default() }, 0.01, 0.01, &mut rows);
    for (a, b) in rows.x.iter().zip(rows.multipliers_of(&first)) {
        assert!((a - b).abs() < 1e-14);
    }
}
