//! The overlap at the end of a step, which the solve of a large moving group predicts together with the displacements that remove it.

use drystone_core::{ConstraintSolver, Executor, GroupContact, GroupProblem, OneThread, Step};
use drystone_dynamics::{ContactSweeps, PatchCorrection, SweepParameters};
use drystone_lcp::ProjectedGaussSeidel;
use drystone_math::{Twist, Vec3};
use drystone_testkit::Random;
use drystone_testkit::problem::{Group, contact, cube};

const H: f64 = 0.01;
const SLOP: f64 = 1e-6;
/// How close to the answer sweeps over the normals of a patch come (m, of 2 mm; rad).
const NEAR: f64 = 2e-5;

/// Blocks on a floor with up to four points each, or balls with one. Block `i` starts `gap(i)` above the floor and moves at `velocity(i)`.
fn spread(count: u32, points: usize, gap: impl Fn(u32) -> f64, velocity: impl Fn(u32) -> Twist) -> GroupProblem {
    let mut p = GroupProblem { gravity: 9.81, up: Vec3::Y, ..GroupProblem::default() };
    p.bodies.push(cube(0, 0.0, Vec3::NEG_Y));
    for i in 0..count {
        let (edge, middle) = (i, Vec3::new(2.0 * f64::from(i), gap(i), 0.0));
        let mut block = cube(i + 1, 1.0 + f64::from(i % 3), middle + Vec3::Y * 0.5);
        block.velocity = velocity(i);
        block.external.linear = Vec3::NEG_Y * (9.81 * H);
        p.bodies.push(block);
        let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
        for (k, (x, z)) in corners.into_iter().take(points).enumerate() {
            let place = if points == 1 { Vec3::ZERO } else { Vec3::new(x, 0.0, z) };
            let c = contact([0, i + 1], middle + place - Vec3::Y * (0.5 * gap(i)), Vec3::Y, edge, k as u32);
            p.contacts.push(GroupContact { separation: gap(i), friction: 0.0, ..c });
        }
    }
    p
}

fn solved(problem: &GroupProblem, slop: Option<f64>, executor: &dyn Executor) -> Group {
    let joints = Box::new(ProjectedGaussSeidel::with_iterations(10));
    let mut group = Group::from(problem.clone());
    let Group { problem, answer } = &mut group;
    answer.start(problem);
    let step = Step { slop, ..Step::new(H, H) };
    ContactSweeps::new(SweepParameters::default(), joints).solve(problem, step, executor, answer);
    group
}

/// Moves the bodies of a group over the step at the velocities of its answer.
fn drift(group: &mut Group) {
    group.answer.displacement.clear();
    group.answer.displacement.extend(group.answer.velocity.iter().map(|v| *v * H));
    group.displace();
}

fn deepest(group: &Group) -> f64 {
    group.problem.contacts.iter().fold(0.0, |deepest: f64, c| deepest.max(-c.separation))
}

#[test]
fn bodies_are_lifted_by_what_they_would_be_deep() {
    // the solve stops what touches: a third are deep, a third are farther away than they fall, a third just arrive
    let gap = |i: u32| [-0.002, 0.5, 0.003][i as usize % 3];
    let falls = |i: u32| Twist::new(Vec3::Y * [0.0, -1.0, -1.0][i as usize % 3] + Vec3::X, Vec3::ZERO);
    for points in [1, 2, 3, 4] {
        let group = solved(&spread(300, points, gap, falls), Some(SLOP), &OneThread);
        assert_eq!(group.answer.correction.len(), group.problem.bodies.len());
        assert!((group.answer.overlap - 0.002).abs() < NEAR, "{}", group.answer.overlap);
        for (i, way) in (0..).zip(&group.answer.correction[1..]) {
            let lift = if i % 3 == 0 { 0.002 - SLOP } else { 0.0 };
            // two or three points support a block off its centre, so that it also turns: there the lift is checked at the points
            if points == 1 || points == 4 {
                assert!((way.linear - Vec3::Y * lift).length() < NEAR, "{points}, {i}: {way:?}");
                assert!(way.angular.length() < NEAR, "{points}, {i}: {way:?}");
            } else if i % 3 == 0 {
                let at = |c: &GroupContact| {
                    let arm = c.position - group.problem.bodies[i as usize + 1].pose.position;
                    way.at(arm).y
                };
                let own = group.problem.contacts.iter().filter(|c| c.edge == i);
                assert!(own.map(at).all(|y| (y - lift).abs() < NEAR), "{points}, {i}: {way:?}");
            } else {
                assert!(way.linear.length() + way.angular.length() < 2.0 * NEAR, "{points}, {i}: {way:?}");
            }
        }
        assert_eq!(group.answer.correction[0], Twist::ZERO, "the floor stays");
    }
}

#[test]
fn nobody_says_it_where_it_is_not_asked_or_would_be_too_coarse() {
    let deep = |_: u32| -0.002;
    let moving = |i: u32| Twist::new(Vec3::X * f64::from(i % 2), Vec3::ZERO);
    assert!(!solved(&spread(300, 4, deep, moving), Some(SLOP), &OneThread).answer.correction.is_empty());
    let at_rest = |_: u32| Twist::ZERO;
    for (problem, slop, why) in [
        (spread(300, 4, deep, moving), None, "nobody asked"),
        (spread(300, 4, deep, at_rest), Some(SLOP), "nothing moves"),
        (spread(200, 4, deep, moving), Some(SLOP), "few patches"),
    ] {
        assert!(solved(&problem, slop, &OneThread).answer.correction.is_empty(), "{why}");
    }
}

/// Blocks that bounce on the floor within the step, each with another block above it: their overlap
/// follows from the paths of both, not from their velocities at the end.
#[test]
fn what_turns_within_the_step_is_where_it_goes() {
    let mut bouncing = spread(600, 4, |_| 0.005, |i| Twist::new(Vec3::NEG_Y * f64::from((i + 1) % 2), Vec3::ZERO));
    bouncing.contacts.iter_mut().for_each(|c| c.restitution = 0.5);
    bouncing.bodies.iter_mut().for_each(|b| b.external = Twist::ZERO);
    for i in (0..600).step_by(2) {
        // above the one that bounces
        let at = bouncing.bodies[i + 1].pose.position + Vec3::Y * 0.5;
        bouncing.bodies[i + 2].pose.position = at + Vec3::Y * 0.5;
        bouncing.contacts.retain(|c| c.bodies[1] != i as u32 + 2);
        let c = contact([i as u32 + 1, i as u32 + 2], at, Vec3::Y, 600 + i as u32, 0);
        bouncing.contacts.push(GroupContact { separation: 0.0045, friction: 0.0, ..c });
    }
    let mut group = solved(&bouncing, Some(SLOP), &OneThread);
    let after = group.answer.velocity[1].linear.y;
    assert!(after > 0.4 && group.answer.turn[1].shift.linear.y < -5e-3, "{after} {:?}", group.answer.turn[1]);
    // up by half of what it has fallen; a whole step at its last velocity would take it into the upper block
    assert!(group.answer.overlap < 1e-9, "{}", group.answer.overlap);
    assert!(group.answer.correction.iter().all(|way| way.linear.length() < 1e-9));
    group.answer.turn.fill(drystone_core::Turn::default());
    drift(&mut group);
    assert!(deepest(&group) > 2e-4, "{}", deepest(&group));
}

/// The prediction at the start of a step does the same as a corrector at its end, to second order in how far bodies turn.
#[test]
fn it_is_what_a_correction_finds_after_the_step() {
    let mut random = Random::new(5);
    let (gaps, spins): (Vec<f64>, Vec<Vec3>) =
        (0..400).map(|_| (random.range(-0.004, 0.002), random.vector(2.0))).unzip();
    let mut problem = spread(400, 4, |i| gaps[i as usize], |i| Twist::new(Vec3::X * 0.5, spins[i as usize]));
    // each block also pushes its neighbour
    for i in 0..399 {
        let at = Vec3::new(2.0 * f64::from(i) + 1.0, 0.5, 0.0);
        let c = contact([i + 1, i + 2], at, Vec3::X, 400 + i, 0);
        problem.contacts.push(GroupContact { separation: random.range(-0.003, 0.01), ..c });
    }
    let mut said = solved(&problem, Some(SLOP), &OneThread);
    let mut seen = solved(&problem, None, &OneThread);
    assert!(said.answer.velocity == seen.answer.velocity && said.answer.contacts == seen.answer.contacts);
    let ways = said.answer.correction.clone();
    drift(&mut said);
    drift(&mut seen);
    let before = deepest(&said);
    assert!(before > 2e-3, "{before}");
    assert!((before - said.answer.overlap).abs() < 0.1 * before, "{before} {}", said.answer.overlap);
    let sum = |group: &Group| -> f64 { group.problem.contacts.iter().map(|c| (-c.separation).max(0.0)).sum() };
    let overlap = sum(&said);
    let joints = ProjectedGaussSeidel::with_iterations(10);
    seen.correct(&mut PatchCorrection::new(&SweepParameters::default(), &joints));
    seen.displace_corrected();
    said.answer.correction = ways;
    said.displace_corrected();
    assert!(sum(&said) < 0.1 * overlap, "{:e} {overlap:e}", sum(&said));
    assert!(sum(&said) < 1.25 * sum(&seen), "{:e} {:e}", sum(&said), sum(&seen));
    assert!(deepest(&said) < 1.25 * deepest(&seen), "{} {}", deepest(&said), deepest(&seen));
}
