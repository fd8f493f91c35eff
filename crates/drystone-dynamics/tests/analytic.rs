//! Forces at the level of accelerations: the contract, agreement with the velocity level, groups without admissible forces, guesses.

use drystone_core::{
    ConstraintSolver, Executor, GroupAnswer, GroupProblem, Guesses, Level, Levels, OneThread, SolveReport, Step,
};
use drystone_dynamics::{
    AccelerationComplementarity, AccelerationProgram, AnalyticParameters, RowParameters, VelocityLevel,
};
use drystone_lcp::{Dantzig, PrincipalPivoting, Simplex};
use drystone_math::{SymmetricMat3, Vec3};
use drystone_testkit::problem::{block_on_floor, contact, cube};
use drystone_testkit::{ConstraintExpectations, Random, check_constraint_solver};

fn complementarity() -> AccelerationComplementarity {
    AccelerationComplementarity::new(AnalyticParameters::default(), Box::new(Dantzig::default()))
}

fn solve(solver: &mut dyn ConstraintSolver, problem: &GroupProblem, h: f64) -> (GroupAnswer, SolveReport) {
    let mut answer = GroupAnswer::default();
    answer.start(problem);
    let executor: &dyn Executor = &OneThread;
    let report = solver.solve(problem, Step { level: Level::Acceleration, ..Step::new(h, h) }, executor, &mut answer);
    (answer, report)
}

#[test]
fn both_keep_the_contract() {
    check_constraint_solver(&mut || Box::new(complementarity()), ConstraintExpectations::default());
    let make = || -> Box<dyn ConstraintSolver> { Box::new(AccelerationProgram::new(1e-3)) };
    check_constraint_solver(&mut { make }, ConstraintExpectations::default());
}

/// A faulty solver: it ignores the curvature of contacts, or that of joints, or doubles its forces.
struct Broken(AccelerationComplementarity, Fault);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    FlatContacts,
    StraightJoints,
    TwiceTheForce,
}

impl ConstraintSolver for Broken {
    fn name(&self) -> &'static str {
        "broken"
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
        let mut seen = problem.clone();
        match self.1 {
            Fault::FlatContacts => seen.contact_curvature.clear(),
            Fault::StraightJoints => seen.rows.iter_mut().for_each(|r| r.row.target = 0.0),
            Fault::TwiceTheForce => {}
        }
        let report = self.0.solve(&seen, step, executor, answer);
        if self.1 == Fault::TwiceTheForce && step.level == Level::Acceleration {
            answer.contacts.iter_mut().for_each(|c| c.normal *= 2.0);
        }
        report
    }
    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(Self(complementarity(), self.1))
    }
}

#[test]
fn a_solver_that_does_not_see_what_bends_is_found() {
    for fault in [Fault::FlatContacts, Fault::StraightJoints, Fault::TwiceTheForce] {
        let checked = std::panic::catch_unwind(|| {
            let make = || -> Box<dyn ConstraintSolver> { Box::new(Broken(complementarity(), fault)) };
            check_constraint_solver(&mut { make }, ConstraintExpectations::default());
        });
        assert!(checked.is_err(), "{fault:?}");
    }
}

/// A block on the floor that slides or rests, turns about the normal, and is pulled at random for `h` seconds.
fn resting(random: &mut Random, h: f64) -> GroupProblem {
    let mut p = block_on_floor(random.range(1.0, 10.0), h);
    let moves = random.range(0.0, 1.0) > 0.5;
    // a resting block is pulled by less than friction can hold: at the bound the friction sets of the two levels differ
    let pull = random.vector(if moves { 6.0 } else { 1.5 });
    let block = &mut p.bodies[1];
    block.external.linear += Vec3::new(pull.x, -pull.y.abs(), pull.z) * h;
    block.external.angular = random.vector(0.3) * h;
    if moves {
        let along = random.vector(1.0);
        block.velocity.linear = Vec3::new(along.x, 0.0, along.z).normalize() * 2.0;
        block.velocity.angular = Vec3::Y * random.range(-0.2, 0.2);
    }
    for c in &mut p.contacts {
        c.friction = 0.4;
    }
    // all contact points belong to the block, the normal to the floor
    let spin = p.bodies[1].velocity.angular;
    let arms: Vec<Vec3> = p.contacts.iter().map(|c| c.position - p.bodies[1].pose.position).collect();
    p.contact_curvature = arms.into_iter().map(|r| spin.cross(spin.cross(r))).collect();
    p
}

/// The two levels differ only by what changes during the step: the difference of their accelerations falls with h.
#[test]
fn accelerations_and_velocities_agree_to_the_order_of_the_step() {
    let difference = |h: f64, with_friction: bool| {
        let mut random = Random::new(5);
        let mut worst = 0.0_f64;
        for _ in 0..20 {
            let mut problem = resting(&mut random, h);
            if with_friction {
                // no spin: if corners slip in different directions, friction depends on how they share the load, which rigid bodies leave open
                problem.bodies[1].velocity.angular = Vec3::ZERO;
                problem.contact_curvature.fill(Vec3::ZERO);
            } else {
                problem.contacts.iter_mut().for_each(|c| c.friction = 0.0);
            }
            let parameters = RowParameters::default();
            let mut velocities = VelocityLevel::boxed(parameters, Box::new(PrincipalPivoting::default()), None);
            let mut by_velocities = GroupAnswer::default();
            by_velocities.start(&problem);
            velocities.solve(&problem, Step::new(h, h), &OneThread, &mut by_velocities);
            let (by_forces, report) = solve(&mut complementarity(), &problem, h);
            assert_eq!((report.inconsistent, report.fallbacks), (0, 0));
            // the sum of what all contacts do to the block, which is the same for all solutions
            let [u, v] = [&by_velocities, &by_forces].map(|a| a.velocity[1]);
            worst = worst.max((u.linear - v.linear).length().max((u.angular - v.angular).length()) / h);
        }
        worst
    };
    for with_friction in [false, true] {
        let [coarse, fine] = [difference(1e-2, with_friction), difference(5e-3, with_friction)];
        assert!(
            fine < 0.6 * coarse + 1e-6 && coarse < 1.0,
            "friction {with_friction}: {coarse} at 10 ms, {fine} at 5 ms"
        );
    }
}

/// A rod of 1 m and 1 kg, leaning at tan 2, with its foot sliding ahead of it.
fn rod(friction: f64) -> GroupProblem {
    let mut p = GroupProblem { gravity: 9.81, up: Vec3::Y, ..GroupProblem::default() };
    let axis = Vec3::new(1.0, 2.0, 0.0).normalize();
    p.bodies = vec![cube(0, 0.0, Vec3::NEG_Y), cube(1, 1.0, axis * 0.5)];
    p.bodies[1].inverse_inertia = SymmetricMat3 { diagonal: Vec3::splat(12.0), ..SymmetricMat3::ZERO };
    p.bodies[1].external.linear = Vec3::NEG_Y * (9.81 * 1e-3);
    p.bodies[1].velocity.linear = Vec3::NEG_X * 3.0;
    p.contacts.push(contact([0, 1], Vec3::ZERO, Vec3::Y, 0, 0));
    p.contacts[0].friction = friction;
    p.contact_curvature = vec![Vec3::ZERO];
    p
}

// E-14
#[test]
fn painleve_s_rod_has_no_forces_but_an_impulse() {
    let (answer, report) = solve(&mut complementarity(), &rod(2.0), 1e-3);
    assert_eq!(report.inconsistent, 1);
    assert!(answer.acceleration.is_empty());
    let foot = answer.velocity[1].at(Vec3::new(-1.0, -2.0, 0.0).normalize() * 0.5);
    assert!(foot.length() < 1e-6, "the foot sticks: {foot}");
    // the impulse does not come from the forces of the step: a thousandth of the step gives one as large
    let mut short = rod(2.0);
    short.bodies[1].external.linear *= 1e-3;
    let (other, _) = solve(&mut complementarity(), &short, 1e-6);
    let (p, q) = (answer.contacts[0].normal, other.contacts[0].normal);
    assert!((p - q).abs() < 0.02 * p && p > 0.5, "{p} {q}");
    // with less friction there are admissible forces: N (1 + 3 cos^2 - 3 mu sin cos) = m g
    let (answer, report) = solve(&mut complementarity(), &rod(1.0), 1e-3);
    let wanted = 9.81 / (1.0 + 0.6 - 1.2);
    assert_eq!(report.inconsistent, 0);
    assert!((answer.contacts[0].normal / 1e-3 - wanted).abs() < 1e-6, "{}", answer.contacts[0].normal / 1e-3);
    assert!((answer.contacts[0].friction.x / 1e-3 - wanted).abs() < 1e-6, "friction is against the slip");
}

/// Programs that may not pivot decide nothing: this is reported, and sweeps still hold the
/// block. It is not the same as knowing that no admissible forces exist.
#[test]
fn a_limit_of_the_programs_is_no_proof_that_there_are_no_forces() {
    let h = 1e-3;
    let mut problem = block_on_floor(2.0, h);
    problem.contacts.iter_mut().for_each(|c| c.friction = 0.0);
    let limited = |pivots: usize| {
        let simplex = Simplex { iterations: pivots, ..Simplex::default() };
        AccelerationProgram::new(1e-3).with_simplex(simplex)
    };
    let (answer, report) = solve(&mut limited(0), &problem, h);
    assert_eq!((report.fallbacks, report.guesses), (1, Guesses { undecided: 1, ..Guesses::default() }));
    assert!(answer.velocity[1].linear.length() < 1e-9, "sweeps hold it: {:?}", answer.velocity[1]);
    assert!(report.lcp.largest_residual().is_some_and(|r| r < 1e-9));
    // a torque lifts one side: with enough pivots the vanishing contacts are predicted, and there is no fallback
    problem.bodies[1].external.angular.z = 60.0 * h;
    let (_, report) = solve(&mut limited(1000), &problem, h);
    assert_eq!((report.fallbacks, report.guesses.undecided, report.guesses.predicted), (0, 0, 1));
    // enough pivots for the first program only: the guess stays undecided, whatever the other programs would say
    let enough = (1..1000).find(|n| solve(&mut limited(*n), &problem, h).1.guesses.undecided == 0).unwrap();
    for pivots in 0..enough {
        let (answer, report) = solve(&mut limited(pivots), &problem, h);
        assert_eq!((report.fallbacks, report.guesses.undecided), (1, 1), "{pivots} of {enough}");
        assert!(answer.contacts.iter().all(|c| c.normal >= 0.0) && answer.contacts.iter().any(|c| c.normal > 0.0));
    }
    assert!(enough > 4, "{enough}");
    // a fork has the same limit
    let mut answer = GroupAnswer::default();
    answer.start(&problem);
    let step = Step { level: Level::Acceleration, ..Step::new(h, h) };
    assert_eq!(limited(0).fork().solve(&problem, step, &OneThread, &mut answer).guesses.undecided, 1);
}

/// A block pulled up at one side: the contacts there vanish, and the least sum of forces predicts which ones.
// E-05, E-06
#[test]
fn the_least_sum_of_forces_predicts_what_vanishes() {
    let h = 1e-3;
    let mut problem = block_on_floor(2.0, h);
    problem.contacts.iter_mut().for_each(|c| c.friction = 0.0);
    let (calm, report) = solve(&mut AccelerationProgram::new(1e-3), &problem, h);
    assert_eq!((report.guesses.none_vanish, report.guesses.predicted, report.guesses.wrong), (1, 0, 0));
    let sum: f64 = calm.contacts.iter().map(|c| c.normal).sum();
    assert!((sum - 2.0 * 9.81 * h).abs() < 1e-12);
    // a torque about z that lifts two corners: 6 / m is the inverse inertia of the cube
    problem.bodies[1].external.angular.z = 60.0 * h;
    let (tipped, report) = solve(&mut AccelerationProgram::new(1e-3), &problem, h);
    assert_eq!((report.guesses.none_vanish, report.guesses.predicted, report.guesses.wrong), (0, 1, 0));
    let (exact, _) = solve(&mut complementarity(), &problem, h);
    let [a, b] = [&tipped, &exact].map(|a| a.acceleration[1]);
    assert!((a.linear - b.linear).length() < 1e-6 && (a.angular - b.angular).length() < 1e-6, "{a:?} {b:?}");
    // it turns about the left edge, which alone bears; the other edge accelerates away from the floor
    for (c, force) in problem.contacts.iter().zip(&tipped.contacts) {
        let leaves = a.at(c.position - problem.bodies[1].pose.position).y;
        let left = c.position.x < 0.0;
        assert!(if left { force.normal > 1e-9 && leaves.abs() < 1e-6 } else { force.normal < 1e-12 && leaves > 1.0 });
    }
}
