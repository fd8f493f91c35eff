//! The rigid rows of a joint, made orthogonal: the same answer in fewer sweeps.

use drystone_core::{ConstraintRow, GroupProblem, GroupRow, RowLimits, Softness};
use drystone_dynamics::{ConstraintRows, RowParameters, VelocityLevel, assemble};
use drystone_lcp::ProjectedGaussSeidel;
use drystone_math::{Real, Twist, Vec3};
use drystone_testkit::{
    Random,
    problem::{Group, cube, jointed_pair},
};

fn solved(problem: GroupProblem, orthogonal_joints: bool, sweeps: usize) -> Group {
    // sweeps only: if joints were first solved among themselves, nothing would be left to do
    let parameters =
        RowParameters { orthogonal_joints, joint_start: false, warm_start: true, ..RowParameters::default() };
    let lcp = Box::new(ProjectedGaussSeidel::with_iterations(sweeps));
    let mut group = Group::from(problem);
    group.solve(&mut VelocityLevel::boxed(parameters, lcp, None), 0.01, 0.01);
    group
}

const ARM: Vec3 = Vec3::new(1.6, 0.9, -0.8);

/// A cube is held at the origin, two metres from its centre: three rows, and a fourth that they imply.
fn pendulum() -> GroupProblem {
    let mut problem =
        GroupProblem { bodies: vec![cube(0, 0.0, Vec3::ZERO), cube(1, 3.0, ARM)], ..GroupProblem::default() };
    problem.bodies[1].inverse_inertia.diagonal = Vec3::new(500.0, 700.0, 900.0);
    problem.bodies[1].external.linear = Vec3::new(0.2, -0.0981, 0.3);
    problem.bodies[1].velocity.angular = Vec3::new(0.3, 1.0, -2.0);
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
            line: None,
        };
        problem.rows.push(GroupRow { bodies: [0, 1], row, impulse: 0.0, joint: 7, place: place as u32 });
    }
    problem
}

fn rate(group: &Group, row: &GroupRow) -> Real {
    let u = &group.answer.velocity[1];
    let j = &row.row.jacobian[1];
    j.linear.dot(u.linear) + j.angular.dot(u.angular)
}

/// The velocity of body 1 that follows from the multipliers of the original rows.
fn by_impulses(group: &Group) -> Twist {
    let body = &group.bodies[1];
    let rows = group.rows.iter().zip(&group.answer.rows);
    let p = rows.map(|(r, x)| r.row.jacobian[1] * *x).fold(Twist::ZERO, |sum, t| sum + t);
    let change = Twist::new(p.linear * body.inverse_mass, body.inverse_inertia.mul_vec(p.angular));
    body.velocity + body.external + change
}

#[test]
fn one_sweep_solves_one_joint() {
    let orthogonal = solved(pendulum(), true, 1);
    let plain = solved(pendulum(), false, 10);
    let worst = |p: &Group| p.rows.iter().map(|r| rate(p, r).abs()).fold(0.0, Real::max);
    assert!(worst(&orthogonal) < 1e-12, "{}", worst(&orthogonal));
    assert!(worst(&plain) > 1e-3, "{}", worst(&plain));
    let (u, v) = (orthogonal.answer.velocity[1], by_impulses(&orthogonal));
    assert!((u.linear - v.linear).length() + (u.angular - v.angular).length() < 1e-11, "{u:?} {v:?}");
}

#[test]
fn the_answer_is_that_of_the_rows_as_given() {
    let mut random = Random::new(3);
    for _ in 0..20 {
        let problem = jointed_pair(&mut random);
        let (one, other) = (solved(problem.clone(), true, 30), solved(problem, false, 20_000));
        for (a, b) in one.answer.rows.iter().zip(&other.answer.rows) {
            assert!((a - b).abs() < 1e-8, "{a} {b}");
        }
    }
}

#[test]
fn a_warm_start_begins_at_the_answer() {
    let first = solved(pendulum(), true, 5);
    let mut next = first.problem.clone();
    next.start_from(&first.answer);
    let again = solved(next.clone(), true, 0);
    assert!((again.answer.velocity[1].angular - first.answer.velocity[1].angular).length() < 1e-12);

    // the rows that are written to a file for a replay have the same start
    let mut rows = ConstraintRows::default();
    assemble(&next, &RowParameters { warm_start: true, ..Default::default() }, 0.01, 0.01, &mut rows);
    for (a, b) in rows.x.iter().zip(rows.multipliers_of(&first, &first.answer)) {
        assert!((a - b).abs() < 1e-14);
    }
}
