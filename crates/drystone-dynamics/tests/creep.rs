//! Bodies that move by less than a millionth of what gravity adds in a step, because the impulses carried over are slightly off, are brought to
//! rest by impulses that balance the forces, not by impulses that stop the motion: those would set it going again in the next step.

use drystone_core::{ConstraintSolver, GroupProblem, OneThread, Step};
use drystone_dynamics::{ContactSweeps, SweepParameters};
use drystone_lcp::SparsePrincipalPivoting;
use drystone_math::{Twist, Vec3};
use drystone_testkit::problem::{Group, contact, cube};

const H: f64 = 1.0 / 60.0;
const G: f64 = 9.81;
const MASS: f64 = 2.0;

/// Three cubes on top of each other, each on four corners, without impulses of an earlier
/// step; all sink and slide at these multiples of a millionth of g h.
fn column(sinks: f64, slides: f64, friction: f64) -> GroupProblem {
    let mut p = GroupProblem { gravity: G, up: Vec3::Y, ..GroupProblem::default() };
    p.bodies.push(cube(0, 0.0, Vec3::NEG_Y));
    for i in 1..=3 {
        let mut body = cube(i, MASS, Vec3::Y * (f64::from(i) - 0.5));
        body.velocity = Twist::new((Vec3::X * slides - Vec3::Y * sinks) * (1e-6 * G * H), Vec3::ZERO);
        body.external = Twist::new(Vec3::NEG_Y * (G * H), Vec3::ZERO);
        p.bodies.push(body);
        for (k, [x, z]) in [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]].into_iter().enumerate() {
            let mut c = contact([i - 1, i], Vec3::new(x, f64::from(i - 1), z), Vec3::Y, i, k as u32);
            c.friction = friction;
            p.contacts.push(c);
        }
    }
    p
}

fn solve(problem: GroupProblem) -> Group {
    let mut group = Group::from(problem);
    let mut solver = ContactSweeps::new(SweepParameters::default(), Box::new(SparsePrincipalPivoting::default()));
    group.answer.start(&group.problem);
    solver.solve(&group.problem, Step::new(H, H), &OneThread, &mut group.answer);
    group
}

/// By how much the load on the floor exceeds the weight, relative to the weight.
fn excess(group: &Group) -> f64 {
    let borne: f64 = group.answer.contacts[..4].iter().map(|c| c.normal).sum();
    borne / (3.0 * MASS * G * H) - 1.0
}

#[test]
fn what_creeps_is_borne_and_not_stopped() {
    let creeping = solve(column(0.9, 0.3, 0.5));
    assert!(creeping.answer.velocity.iter().all(|v| *v == Twist::ZERO), "{:?}", creeping.answer.velocity);
    assert!(excess(&creeping).abs() < 1e-9, "{}", excess(&creeping));
    // the control: twice that speed counts as motion, and the floor stops it with m v
    let moving = solve(column(1.8, 0.0, 0.5));
    assert!((excess(&moving) - 1.8e-6).abs() < 1e-9, "{}", excess(&moving));
}

/// A pull of a tenth of a millionth of the weight, with no friction against it: the velocity is kept, and grows.
#[test]
fn what_is_pulled_keeps_its_velocity() {
    let mut problem = column(0.0, 0.5, 0.0);
    for body in &mut problem.bodies[1..] {
        body.external.linear.x = 1e-7 * G * H;
    }
    let pulled = solve(problem);
    for velocity in &pulled.answer.velocity[1..] {
        assert!((velocity.linear.x / (6e-7 * G * H) - 1.0).abs() < 1e-3, "{velocity:?}");
    }
}
