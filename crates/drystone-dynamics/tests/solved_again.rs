//! A problem that is solved again with other curvatures: what a solver keeps from the first time changes no bit of the answer.

use drystone_core::{ConstraintSolver, GroupAnswer, GroupProblem, GroupRow, OneThread, Step};
use drystone_dynamics::{GeometricStiffness, RowParameters, VelocityLevel};
use drystone_lcp::SparsePrincipalPivoting;
use drystone_math::{Real, SymmetricMat3, Twist, Vec3};
use drystone_testkit::Random;
use drystone_testkit::problem::{cube, rigid_row};

const H: Real = 1.0 / 60.0;

/// A chain of rods, linked by ball joints to a fixed first body; its last link is heavy, and `tension` is what the joints bore before.
fn chain(random: &mut Random, links: u32, tension: Real) -> GroupProblem {
    let mut p = GroupProblem { gravity: 9.81, ..GroupProblem::default() };
    p.bodies.push(cube(0, 0.0, Vec3::ZERO));
    for i in 1..=links {
        let mass = if i == links { 100.0 } else { 1.0 };
        let mut body = cube(i, mass, Vec3::X * (0.2 * Real::from(i)));
        body.inverse_inertia = SymmetricMat3::from_diagonal(Vec3::new(5000.0, 300.0, 300.0) / mass);
        body.velocity = random_twist(random);
        body.external = Twist::new(Vec3::NEG_Y * (9.81 * H), Vec3::ZERO);
        p.bodies.push(body);
        for (place, e) in (0..).zip(Vec3::AXES) {
            let arms = [Vec3::X * 0.1, Vec3::X * -0.1];
            let mut row = rigid_row([Twist::new(-e, e.cross(arms[0])), Twist::new(e, arms[1].cross(e))]);
            row.curvature = random.range(-1.0, 1.0);
            p.rows.push(GroupRow { bodies: [i - 1, i], row, impulse: -tension * e.x, joint: i - 1, place });
        }
    }
    p
}

fn random_twist(random: &mut Random) -> Twist {
    Twist::new(random.vector(0.1), random.vector(0.1))
}

fn solver() -> VelocityLevel {
    let parameters = RowParameters { orthogonal_joints: false, ..RowParameters::default() };
    let stiffness = GeometricStiffness { factor: 0.5, damping: 0.1 };
    VelocityLevel::boxed(parameters, Box::<SparsePrincipalPivoting>::default(), None)
        .with_geometric_stiffness(stiffness)
}

fn solved(solver: &mut VelocityLevel, problem: &GroupProblem, again: bool) -> GroupAnswer {
    let mut answer = GroupAnswer::default();
    answer.start(problem);
    solver.solve(problem, Step { again, ..Step::new(H, H) }, &OneThread, &mut answer);
    answer
}

/// The same problem with other curvatures, starting from the multipliers of an answer.
fn bent(random: &mut Random, problem: &GroupProblem, answer: &GroupAnswer) -> GroupProblem {
    let mut next = problem.clone();
    next.row_beginnings = problem.rows.iter().map(|r| r.impulse).collect();
    next.start_from(answer);
    for r in &mut next.rows {
        r.row.curvature += random.range(-0.1, 0.1);
    }
    next
}

#[test]
fn what_is_kept_of_a_problem_changes_no_bit() {
    let mut random = Random::new(3);
    // taut chains, slack ones, and one whose forces change abruptly
    for tension in [1000.0 * H, 1100.0 * H, 0.0, 1e-3, 5000.0 * H] {
        for links in [1, 5, 40] {
            let first = chain(&mut random, links, tension);
            let mut keeps = solver();
            let once = solved(&mut keeps, &first, false);
            let second = bent(&mut random, &first, &once);
            let third = bent(&mut random, &second, &once);
            for next in [second, third] {
                let kept = solved(&mut keeps, &next, true);
                let anew = solved(&mut solver(), &next, false);
                assert_eq!(kept, anew, "{tension}, {links}");
                assert_ne!(kept, once);
            }
        }
    }
}

/// If another problem was solved in between, nothing kept from the one before is used.
#[test]
fn another_problem_in_between_is_not_taken_for_the_last_one() {
    let mut random = Random::new(8);
    let tension = 1000.0 * H;
    let (one, other) = (chain(&mut random, 4, tension), chain(&mut random, 7, tension));
    let mut keeps = solver();
    solved(&mut keeps, &one, false);
    let met = solved(&mut keeps, &other, false);
    assert_eq!(met, solved(&mut solver(), &other, false));
    let next = bent(&mut random, &other, &met);
    assert_eq!(solved(&mut keeps, &next, true), solved(&mut solver(), &next, false));
}

/// A step whose impulses stand as they are is not solved. What was solved before it must then not be taken for the problem that is solved again.
#[test]
fn what_was_settled_in_between_is_not_what_was_solved() {
    use drystone_dynamics::{ContactSweeps, SweepParameters};
    let mut random = Random::new(21);
    let sweeps = || ContactSweeps::new(SweepParameters::default(), Box::<SparsePrincipalPivoting>::default());
    let solved = |solver: &mut ContactSweeps, problem: &GroupProblem, again: bool| {
        let mut answer = GroupAnswer::default();
        answer.start(problem);
        solver.solve(problem, Step { again, ..Step::new(H, H) }, &OneThread, &mut answer);
        answer
    };
    let tension = 1000.0 * H;
    let moving = chain(&mut random, 4, tension);
    // a chain that hangs at rest under its own weight
    let mut still = chain(&mut random, 4, 0.0);
    for (i, body) in still.bodies.iter_mut().enumerate() {
        body.velocity = Twist::ZERO;
        body.external = if i > 0 { Twist::new(Vec3::X * (9.81 * H), Vec3::ZERO) } else { Twist::ZERO };
    }
    for r in &mut still.rows {
        r.row.curvature = 0.0;
        let below: Real = still.bodies[r.bodies[1] as usize..].iter().map(|b| 1.0 / b.inverse_mass).sum();
        r.impulse = if r.place == 0 { -9.81 * H * below } else { 0.0 };
    }
    let mut keeps = sweeps();
    solved(&mut keeps, &moving, false);
    let settled = solved(&mut keeps, &still, false);
    assert!(settled.velocity.iter().all(|u| u.linear.length() < 1e-12), "{settled:?}");
    let next = bent(&mut random, &still, &settled);
    assert_eq!(solved(&mut keeps, &next, true), solved(&mut sweeps(), &next, false));
}
