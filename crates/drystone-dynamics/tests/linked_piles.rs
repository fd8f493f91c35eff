//! Groups of joints and many contacts: contacts by patches, joints exactly after each sweep.

use drystone_core::{ConstraintSolver, GroupProblem, GroupRow, PositionCorrector, RowLimits};
use drystone_dynamics::{
    ContactSweeps, FrictionModel, PatchCorrection, PatchFriction, RowParameters, SweepParameters, VelocityLevel,
};
use drystone_lcp::{LcpSolver, solver_by_name};
use drystone_math::{Real, Twist, Vec3};
use drystone_testkit::Random;
use drystone_testkit::problem::{Group, contact, cube, pin, rigid_row};

const H: Real = 0.01;
/// Cubes in a row, with four contacts each.
const CUBES: u32 = 13;

fn direct() -> Box<dyn LcpSolver> {
    solver_by_name("sparse-principal-pivoting").unwrap()
}

/// A row of cubes on a floor, one of a hundred kilograms among those of one; every other cube is
/// pinned to the next but one, above the cube between them. All move at random.
fn chain_of_cubes(depth: Real) -> GroupProblem {
    let mut random = Random::new(11);
    let mut p = GroupProblem { gravity: 9.81, up: Vec3::Y, ..GroupProblem::default() };
    p.bodies.push(cube(0, 0.0, Vec3::NEG_Y * 0.5));
    for i in 1..=CUBES {
        let mass = if i == 5 { 100.0 } else { 1.0 };
        let mut body = cube(i, mass, Vec3::new(1.5 * Real::from(i), 0.5, 0.0));
        body.velocity = Twist::new(random.vector(1.0), random.vector(1.0));
        body.external = Twist::new(Vec3::NEG_Y * (9.81 * H), Vec3::ZERO);
        p.bodies.push(body);
        for (k, [x, z]) in [[-0.5, -0.5], [-0.5, 0.5], [0.5, -0.5], [0.5, 0.5]].into_iter().enumerate() {
            let at = Vec3::new(1.5 * Real::from(i) + x, 0.0, z);
            let mut c = contact([0, i], at, Vec3::Y, i, k as u32);
            c.separation = -depth;
            p.contacts.push(c);
        }
    }
    for i in (1..CUBES - 1).step_by(2) {
        pin(&mut p, [i, i + 2], Vec3::new(1.5 * Real::from(i + 1), 1.5, 0.1));
    }
    p
}

/// A stop for the sixth cube, which moves towards it.
fn with_a_stop(mut p: GroupProblem) -> GroupProblem {
    let row = drystone_core::ConstraintRow {
        limits: RowLimits::UNILATERAL,
        ..rigid_row([Twist::ZERO, Twist::new(Vec3::X, Vec3::Y)])
    };
    p.bodies[6].velocity = Twist::new(Vec3::NEG_X, Vec3::ZERO);
    p.rows.push(GroupRow { bodies: [0, 6], row, impulse: 0.0, joint: 100, place: 0 });
    p
}

fn solved(problem: &GroupProblem, solver: &mut dyn ConstraintSolver) -> Group {
    let mut group = Group::from(problem.clone());
    group.solve(solver, H, H);
    group
}

fn sweeps(most: usize) -> ContactSweeps {
    let parameters = SweepParameters {
        friction: PatchFriction::None,
        tolerance: 1e-9,
        moving_sweeps: most,
        geometric_stiffness: 0.0,
        ..SweepParameters::default()
    };
    ContactSweeps::new(parameters, direct())
}

/// The largest rate of a bilateral row (m/s).
fn open(group: &Group) -> Real {
    let held = group.problem.rows.iter().filter(|r| r.row.limits == RowLimits::BILATERAL);
    let chord = |r: &GroupRow| 0.5 * H * r.row.curvature;
    held.fold(0.0, |m: Real, r| {
        m.max((r.row.rate(r.bodies.map(|i| group.answer.velocity[i as usize])) + chord(r)).abs())
    })
}

/// Without friction the velocities are unique: they equal those of a direct solver on the rows of all contacts and joints.
#[test]
fn sweeps_end_at_the_velocities_of_a_direct_solver() {
    for problem in [chain_of_cubes(0.0), with_a_stop(chain_of_cubes(0.0))] {
        // without curvatures, which the direct solver treats in its own way
        let mut problem = problem;
        problem.rows.iter_mut().for_each(|r| r.row.curvature = 0.0);
        let parameters =
            RowParameters { friction: FrictionModel::None, orthogonal_joints: false, ..RowParameters::default() };
        let exact = solved(&problem, &mut VelocityLevel::boxed(parameters, direct(), None));
        let far = |group: &Group| {
            let ways = group.answer.velocity.iter().zip(&exact.answer.velocity);
            ways.fold(0.0, |m: Real, (a, b)| {
                m.max((a.linear - b.linear).length()).max((a.angular - b.angular).length())
            })
        };
        let patient = solved(&problem, &mut sweeps(3000));
        assert!(far(&patient) < 1e-6, "{:e}", far(&patient));
        // joints hold however early the sweeps end; contacts do not
        let hasty = solved(&problem, &mut sweeps(1));
        assert!(far(&hasty) > 1e-3, "{:e}", far(&hasty));
        for group in [&patient, &hasty] {
            assert!(open(group) < 1e-12, "{:e}", open(group));
        }
        // the multipliers of joints and contacts account for the whole change of velocity
        for (i, body) in problem.bodies.iter().enumerate().skip(1) {
            let by = |rows: &dyn Fn(usize) -> Vec3| rows(i) * body.inverse_mass;
            let change = by(&|i| {
                let of_rows = problem.rows.iter().zip(&patient.answer.rows).map(|(r, x)| {
                    let sides = (0..2).filter(|k| r.bodies[*k] as usize == i);
                    sides.map(|k| r.row.jacobian[k].linear * *x).sum::<Vec3>()
                });
                let of_contacts = problem.contacts.iter().zip(&patient.answer.contacts);
                let of_contacts = of_contacts.filter(|(c, _)| c.bodies[1] as usize == i);
                of_rows.sum::<Vec3>() + of_contacts.map(|(c, x)| x.total(c.normal)).sum::<Vec3>()
            });
            let after = body.velocity.linear + body.external.linear + change;
            assert!((after - patient.answer.velocity[i].linear).length() < 1e-12);
        }
    }
}

/// Cubes a millimetre deep, with pins a millimetre or more off: a correction closes the pins and makes the cubes less deep.
#[test]
fn a_correction_closes_joints_and_lifts_what_is_deep() {
    let depth = 1e-3;
    let mut group = Group::from(chain_of_cubes(depth));
    let mut random = Random::new(3);
    for body in &mut group.problem.bodies[1..] {
        body.pose.position += random.vector(1e-3);
    }
    drystone_testkit::problem::evaluate_joints(&mut group.problem);
    let error = |group: &Group| group.rows.iter().fold(0.0, |m: Real, r| m.max(r.row.error.abs()));
    let deepest = |group: &Group| group.contacts.iter().fold(0.0, |m: Real, c| m.max(-c.separation));
    assert!(error(&group) > 1e-3 && deepest(&group) >= depth);
    let mut corrector = PatchCorrection::new(&SweepParameters::default(), direct().as_ref());
    let report = group.correct(&mut corrector);
    assert!(report.finished == report.lcp.solves && report.lcp.solves > 0, "{report:?}");
    group.displace_corrected();
    assert!(error(&group) < 2e-8, "{:e}", error(&group));
    assert!(deepest(&group) < 0.7 * depth, "{:e}", deepest(&group));
    // once everything is within the slop, a correction changes nothing
    for _ in 0..40 {
        group.correct(&mut corrector);
        group.displace_corrected();
    }
    let slop = PositionCorrector::slop(&corrector);
    assert!(deepest(&group) <= slop && error(&group) < 2e-8, "{:e} {:e}", deepest(&group), error(&group));
    group.correct(&mut corrector);
    assert!(group.answer.correction.iter().all(|way| *way == Twist::ZERO));
}

/// Duplicate pins still hold, and a body whose state is not a number ends in a report, not in a panic or an endless loop.
#[test]
fn redundant_pins_hold_and_what_is_no_number_ends() {
    let mut twice = chain_of_cubes(0.0);
    pin(&mut twice, [1, 3], Vec3::new(3.0, 1.5, 0.1));
    twice.rows.iter_mut().for_each(|r| r.row.curvature = 0.0);
    let once = {
        let mut once = chain_of_cubes(0.0);
        once.rows.iter_mut().for_each(|r| r.row.curvature = 0.0);
        solved(&once, &mut sweeps(3000))
    };
    let twice = solved(&twice, &mut sweeps(3000));
    assert!(open(&twice) < 1e-9, "{:e}", open(&twice));
    let apart = twice.answer.velocity.iter().zip(&once.answer.velocity);
    let apart = apart.fold(0.0, |m: Real, (a, b)| m.max((a.linear - b.linear).length()));
    assert!(apart < 1e-5, "{apart:e}");
    let mut lost = chain_of_cubes(1e-3);
    lost.bodies[4].velocity.linear.x = Real::NAN;
    lost.bodies[6].pose.position.y = Real::NAN;
    drystone_testkit::problem::evaluate_joints(&mut lost);
    let mut group = solved(&lost, &mut sweeps(20));
    assert!(group.answer.velocity.iter().any(|v| !v.is_finite()));
    group.correct(&mut PatchCorrection::new(&SweepParameters::default(), direct().as_ref()));
}
