//! A large moving group is swept domain by domain, with the same answer in whatever order and on however many threads the domains are visited.

use drystone_core::{ConstraintSolver, Executor, GroupProblem, OneThread, Step};
use drystone_dynamics::{ContactSweeps, PatchFriction, SweepParameters};
use drystone_lcp::ProjectedGaussSeidel;
use drystone_math::{Twist, Vec3};
use drystone_testkit::Random;
use drystone_testkit::problem::{Group, contact, cube};

/// Runs the pieces from the last to the first, as if other threads had stolen them.
struct Backwards;

impl Executor for Backwards {
    fn threads(&self) -> usize {
        4
    }

    fn run(&self, pieces: &mut [&mut (dyn FnMut() + Send)]) {
        assert!(pieces.len() > 1, "a group of one domain needs nobody's help");
        pieces.iter_mut().rev().for_each(|piece| piece());
    }
}

/// Runs each piece on a thread of its own.
struct Threads;

impl Executor for Threads {
    fn threads(&self) -> usize {
        8
    }

    fn run(&self, pieces: &mut [&mut (dyn FnMut() + Send)]) {
        std::thread::scope(|s| {
            for piece in pieces {
                s.spawn(piece);
            }
        });
    }
}

/// A raft of `side` x `side` balls on a floor, each touching its neighbours, under gravity
/// and with random velocities up to `speed` (m/s, rad/s) along each axis.
fn raft(side: u32, friction: f64, speed: f64) -> GroupProblem {
    let mut random = Random::new(17);
    let mut p = GroupProblem { gravity: 9.81, up: Vec3::Y, ..GroupProblem::default() };
    p.bodies.push(cube(0, 0.0, Vec3::new(0.0, -1.0, 0.0)));
    let index = |x: u32, z: u32| 1 + x * side + z;
    for x in 0..side {
        for z in 0..side {
            let mut ball = cube(index(x, z), random.range(0.5, 2.0), Vec3::new(f64::from(x), 0.5, f64::from(z)));
            ball.velocity = Twist::new(random.vector(speed), random.vector(speed));
            ball.external = Twist::new(Vec3::Y * (-9.81 * H), Vec3::ZERO);
            p.bodies.push(ball);
        }
    }
    let mut edge = 0;
    let mut touch = |bodies: [u32; 2], at: Vec3, normal: Vec3| {
        p.contacts.push(drystone_core::GroupContact { friction, ..contact(bodies, at, normal, edge, 0) });
        edge += 1;
    };
    for x in 0..side {
        for z in 0..side {
            let place = Vec3::new(f64::from(x), 0.5, f64::from(z));
            touch([0, index(x, z)], place - Vec3::Y * 0.5, Vec3::Y);
            if x + 1 < side {
                touch([index(x, z), index(x + 1, z)], place + Vec3::X * 0.5, Vec3::X);
            }
            if z + 1 < side {
                touch([index(x, z), index(x, z + 1)], place + Vec3::Z * 0.5, Vec3::Z);
            }
        }
    }
    p
}

const H: f64 = 0.01;

fn solved(problem: &GroupProblem, parameters: SweepParameters, executor: &dyn Executor) -> Group {
    solved_and_said(problem, parameters, executor).0
}

/// The same, and the residual that the solver reports (m/s).
fn solved_and_said(problem: &GroupProblem, parameters: SweepParameters, executor: &dyn Executor) -> (Group, f64) {
    let joints = Box::new(ProjectedGaussSeidel::with_iterations(10));
    let mut group = Group::from(problem.clone());
    let Group { problem, answer } = &mut group;
    answer.start(problem);
    let step = Step { slop: Some(0.0), ..Step::new(H, H) };
    let report = ContactSweeps::new(parameters, joints).solve(problem, step, executor, answer);
    (group, report.lcp.largest_residual().unwrap())
}

/// The largest violation of Signorini's conditions: approach (m/s), pull (N s), and impulse times rate (J).
fn off(group: &Group) -> f64 {
    let contacts = group.problem.contacts.iter().zip(&group.answer.contacts);
    contacts.fold(0.0, |worst: f64, (c, impulse)| {
        let rate = c.normal.dot(group.relative_velocity(c));
        worst.max(-rate).max(-impulse.normal).max((impulse.normal * rate).abs())
    })
}

#[test]
fn domains_and_their_border_end_at_the_laws_of_contact() {
    let problem = raft(40, 0.0, 1.0);
    let sweeps = |most: usize| SweepParameters {
        friction: PatchFriction::None,
        moving_sweeps: most,
        tolerance: 1e-8,
        ..SweepParameters::default()
    };
    let patient = solved(&problem, sweeps(2000), &Backwards);
    // a thousandth of what gravity adds in a step; 1e-5 with these velocities
    assert!(off(&patient) < 1e-3 * 9.81 * H, "{:e}", off(&patient));
    let momentum = |p: &GroupProblem, v: &[Twist]| -> Vec3 {
        let bodies = p.bodies.iter().zip(v).filter(|(b, _)| b.inverse_mass > 0.0);
        bodies.map(|(b, v)| v.linear / b.inverse_mass).sum()
    };
    let before: Vec<Twist> = problem.bodies.iter().map(|b| b.velocity + b.external).collect();
    let given = momentum(&problem, &patient.answer.velocity) - momentum(&problem, &before);
    assert!(given.x.abs() < 1e-9 && given.z.abs() < 1e-9, "neighbours push each other alike: {given}");
    // the control: one sweep does not get there
    let hasty = solved(&problem, sweeps(1), &Backwards);
    assert!(off(&hasty) > 1e-2, "{:e}", off(&hasty));
}

/// A raft in which nothing is faster than what gravity adds in a step, but nothing stands: swept as a whole, with its patches side by side.
#[test]
fn what_is_nearly_at_rest_ends_at_the_laws_of_contact_too() {
    let problem = raft(40, 0.0, 0.5 * 9.81 * H);
    let sweeps = |most: usize| SweepParameters {
        friction: PatchFriction::None,
        sweeps: most,
        moving_sweeps: most,
        tolerance: 1e-8,
        ..SweepParameters::default()
    };
    let patient = solved(&problem, sweeps(2000), &OneThread);
    assert!(off(&patient) < 1e-4 * 9.81 * H, "{:e}", off(&patient));
    assert!(patient.answer.correction.is_empty(), "gaps of first order are too coarse here");
    let hasty = solved(&problem, sweeps(1), &OneThread);
    assert!(off(&hasty) > 1e-2 * 9.81 * H, "{:e}", off(&hasty));
}

#[test]
fn the_same_bits_in_any_order_of_domains() {
    let mut problem = raft(40, 0.4, 1.0);
    let mut random = Random::new(3);
    problem.contacts.iter_mut().for_each(|c| c.separation = random.range(-0.01, 0.005));
    let [one, backwards, threads] = [&OneThread as &dyn Executor, &Backwards, &Threads]
        .map(|executor| solved(&problem, SweepParameters::default(), executor));
    assert!(one.answer == backwards.answer && one.answer == threads.answer);
    assert!(one.answer.contacts.iter().any(|c| c.friction != Vec3::ZERO));
    // bodies on the border are displaced by the domains and by the border
    let displaced = one.answer.correction.iter().filter(|way| **way != Twist::ZERO).count();
    assert!(displaced > 1000 && one.answer.correction.len() == problem.bodies.len(), "{displaced}");
}

/// Sweeps over what is far off end when nothing is far off any more; that must not be reported as nothing left.
#[test]
fn what_is_left_where_nothing_is_far_off_is_said() {
    for (side, speed) in [(8, 3.0), (8, 10.0), (16, 3.0), (16, 10.0), (40, 3.0)] {
        let (group, said) = solved_and_said(&raft(side, 0.0, speed), SweepParameters::default(), &OneThread);
        let contacts = &group.problem.contacts;
        let left = contacts.iter().fold(0.0_f64, |worst, c| worst.max(-c.normal.dot(group.relative_velocity(c))));
        assert!(left < said && said < 3.0 * left, "{side} {speed}: {left} m/s are left, and {said} m/s said to be");
    }
}
