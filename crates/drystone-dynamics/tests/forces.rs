//! What contact and joint forces must be in closed form, at the levels of accelerations and of velocities.

use drystone_core::{ConstraintSolver, ContactImpulse, GroupAnswer, GroupProblem, GroupRow, Level, OneThread, Step};
use drystone_dynamics::{
    AccelerationComplementarity, AccelerationProgram, AnalyticParameters, ConstraintRows, FrictionModel, RowParameters,
    VelocityLevel, assemble, assemble_pyramid,
};
use drystone_lcp::{Dantzig, LcpOperator, Lemke, ProjectedGaussSeidel};
use drystone_math::{Mat3, Real, Twist, Vec3, skew, tangent_basis};
use drystone_testkit::Random;
use drystone_testkit::problem::{Group, block_on_floor, contact, cube, evaluate_joints, jointed_pair};

const G: Real = 9.81;
const H: Real = 0.01;

fn complementarity() -> Box<dyn ConstraintSolver> {
    Box::new(AccelerationComplementarity::new(AnalyticParameters::default(), Box::new(Dantzig::default())))
}

fn program() -> Box<dyn ConstraintSolver> {
    Box::new(AccelerationProgram::new(1e-3))
}

fn velocities(friction: FrictionModel) -> Box<dyn ConstraintSolver> {
    let parameters = RowParameters { friction, ..RowParameters::default() };
    Box::new(VelocityLevel::boxed(parameters, Box::new(ProjectedGaussSeidel::with_iterations(5000)), None))
}

/// The answer at the acceleration level.
fn accelerated(mut solver: Box<dyn ConstraintSolver>, problem: &GroupProblem) -> GroupAnswer {
    let mut answer = GroupAnswer::default();
    answer.start(problem);
    solver.solve(problem, Step { level: Level::Acceleration, ..Step::new(H, H) }, &OneThread, &mut answer);
    answer
}

/// A frictionless block on a slope, in the axes of the slope.
fn on_slope(mass: Real, slope: Real) -> GroupProblem {
    let mut p = block_on_floor(mass, H);
    p.bodies[1].external.linear = Vec3::new(slope.sin(), -slope.cos(), 0.0) * (G * H);
    p.contacts.iter_mut().for_each(|c| c.friction = 0.0);
    p
}

/// E-03, Baraff 1989, Figure 7: `f >= m g cos(slope)`, with equality if forces are complementary (E-04); E-10.
#[test]
fn a_slope_bears_the_cosine_of_the_weight() {
    for slope in [0.0, 0.3, 1.2] {
        let p = on_slope(3.0, slope);
        for solver in [complementarity(), program()] {
            let answer = accelerated(solver, &p);
            let force: Real = answer.contacts.iter().map(|c| c.normal).sum::<Real>() / H;
            assert!((force - 3.0 * G * slope.cos()).abs() < 1e-9, "{slope}: {force}");
            let along = answer.acceleration[1].linear;
            assert!((along - Vec3::X * (G * slope.sin())).length() < 1e-9, "{slope}: {along}");
        }
    }
}

/// Heaps of three bodies with six frictionless contacts.
fn heap(random: &mut Random) -> GroupProblem {
    let mut p = GroupProblem { gravity: G, up: Vec3::Y, ..GroupProblem::default() };
    p.bodies.push(cube(0, 0.0, Vec3::NEG_Y));
    for i in 1..4 {
        let mut body = cube(i, random.range(0.5, 5.0), random.vector(1.0));
        body.velocity = Twist::new(random.vector(1.0), random.vector(1.0));
        body.external = Twist::new(Vec3::NEG_Y * (G * H), random.vector(0.1));
        p.bodies.push(body);
    }
    for (k, bodies) in [[0, 1], [0, 2], [1, 2], [2, 3], [1, 3], [0, 3]].into_iter().enumerate() {
        let normal = (Vec3::Y + random.vector(0.7)).normalize();
        p.contacts.push(contact(bodies, random.vector(1.0), normal, k as u32, 0));
        p.contacts[k].friction = 0.0;
    }
    p
}

/// E-16: `n u+ >= 0`, `f >= 0`, and one of them is zero. E-02: nothing approaches, nothing pulls, and what separates is not pushed.
#[test]
fn without_friction_speeds_and_forces_are_complementary() {
    let mut random = Random::new(3);
    let (mut pushed, mut parting) = (0, 0);
    for round in 0..40 {
        let mut group = Group::from(heap(&mut random));
        group.solve(velocities(FrictionModel::None).as_mut(), H, H);
        for (c, impulse) in group.contacts.iter().zip(&group.answer.contacts) {
            let speed = group.relative_velocity(c).dot(c.normal);
            assert!(speed >= -1e-7 && impulse.normal >= 0.0, "{round}: {speed} {impulse:?}");
            assert!(speed * impulse.normal < 1e-7, "{round}: {speed} m/s at {} N s", impulse.normal);
            pushed += usize::from(impulse.normal > 1e-6);
            parting += usize::from(speed > 1e-4);
        }
    }
    assert!(pushed > 40 && parting > 40, "both happen: {pushed} {parting}");
}

/// Equation (4.28): the matrix entry of two contacts, summed over the bodies that they share.
fn entry(p: &GroupProblem, l: usize, k: usize) -> Real {
    let mut sum = 0.0;
    for (i, &a) in p.contacts[l].bodies.iter().enumerate() {
        for (j, &b) in p.contacts[k].bodies.iter().enumerate() {
            if a != b {
                continue;
            }
            let body = &p.bodies[a as usize];
            let arms = [l, k].map(|c| skew(p.contacts[c].position - body.pose.position));
            let inertia = Mat3::from_diagonal(body.inverse_inertia.diagonal);
            let block = Mat3::IDENTITY * body.inverse_mass - arms[0] * inertia * arms[1];
            let sign = if i == j { 1.0 } else { -1.0 };
            sum += sign * p.contacts[l].normal.dot(block * p.contacts[k].normal);
        }
    }
    sum
}

/// E-17, F-38: the four terms, which are zero if two contacts share no movable body; F-23, G-05: a row has twelve entries.
#[test]
fn entries_are_the_four_terms_of_shared_bodies() {
    let mut random = Random::new(5);
    let parameters = RowParameters { friction: FrictionModel::None, ..RowParameters::default() };
    let mut apart = 0;
    for _ in 0..10 {
        let p = heap(&mut random);
        let mut rows = ConstraintRows::default();
        assemble(&p, &parameters, H, H, &mut rows);
        let a = rows.operator.to_dense();
        assert_eq!(rows.len(), p.contacts.len());
        for l in 0..rows.len() {
            for k in 0..rows.len() {
                let expected = entry(&p, l, k);
                assert!((a.get(l, k) - expected).abs() < 1e-12 * (1.0 + expected.abs()), "{l} {k}");
                let [x, y] = [l, k].map(|c| p.contacts[c].bodies);
                if x.iter().all(|b| *b == 0 || !y.contains(b)) {
                    assert_eq!(a.get(l, k), 0.0, "{l} and {k} share nothing that moves");
                    apart += 1;
                }
            }
        }
        for row in rows.operator.factored_rows() {
            assert_eq!(row.jacobian.as_flattened().len(), 12);
        }
    }
    assert!(apart > 20, "{apart}");
}

/// F-40: three variables per contact with a box or a disc, `2 + eta` with a pyramid of `eta` directions, one without friction.
#[test]
fn problems_have_their_sizes() {
    let mut p = block_on_floor(1.0, H);
    p.contacts.iter_mut().for_each(|c| c.friction = 0.5);
    let size = |friction| {
        let mut rows = ConstraintRows::default();
        assemble(&p, &RowParameters { friction, ..RowParameters::default() }, H, H, &mut rows);
        rows.len()
    };
    assert_eq!([FrictionModel::None, FrictionModel::ScaledBox, FrictionModel::Disc].map(size), [4, 12, 12]);
    for eta in [4, 6, 8] {
        let whole = assemble_pyramid(&p, &RowParameters::default(), eta, H, H);
        assert_eq!(whole.problem.view().len(), (2 + eta) * 4);
    }
}

/// E-35: duplicate normals leave the velocity problem solvable, by sweeps and by pivoting, and do not change the motion.
/// E-39: nor does the order of the contacts of a table with four legs, whose forces are not unique.
#[test]
fn motion_is_unique_though_forces_are_not() {
    let mut table = block_on_floor(4.0, H);
    table.bodies[1].velocity = Twist::new(Vec3::new(0.3, 0.0, 0.1), Vec3::new(0.2, 0.0, 0.4));
    table.contacts.iter_mut().for_each(|c| c.friction = 0.0);
    let pivoting = || -> Box<dyn ConstraintSolver> {
        let parameters = RowParameters { friction: FrictionModel::None, ..RowParameters::default() };
        Box::new(VelocityLevel::boxed(parameters, Box::new(Lemke::default()), None))
    };
    let motion = |p: &GroupProblem, mut solver: Box<dyn ConstraintSolver>| {
        let mut group = Group::from(p.clone());
        group.solve(solver.as_mut(), H, H);
        let bears: Vec<Real> = group.answer.contacts.iter().map(|c| c.normal).collect();
        (group.answer.velocity[1], bears)
    };
    let (plain, _) = motion(&table, velocities(FrictionModel::None));
    let near = |u: Twist| (u.linear - plain.linear).length() + (u.angular - plain.angular).length() < 1e-6;
    let mut turned = table.clone();
    turned.contacts.rotate_left(1);
    turned.contacts.swap(0, 2);
    let mut doubled = table.clone();
    doubled.contacts.extend(table.contacts.clone());
    for p in [&table, &turned, &doubled] {
        for solver in [velocities(FrictionModel::None), pivoting()] {
            let name = format!("{} contacts", p.contacts.len());
            let (found, bears) = motion(p, solver);
            assert!(near(found), "{name}: {found:?}, not {plain:?}");
            assert!(bears.iter().all(|f| *f >= 0.0));
        }
    }
    // at rest: accelerations and the sum of the forces are unique, the forces of four legs are not
    let table = block_on_floor(4.0, H);
    let [by_pivots, by_program] = [complementarity(), program()].map(|s| accelerated(s, &table));
    for answer in [&by_pivots, &by_program] {
        let sum: Real = answer.contacts.iter().map(|c| c.normal).sum();
        assert!((sum - 4.0 * G * H).abs() < 1e-12, "{sum}");
        assert!(answer.acceleration[1].linear.length() < 1e-9);
    }
    let by_sweeps = motion(&table, velocities(FrictionModel::None)).1;
    let differ = by_sweeps.iter().zip(&by_pivots.contacts).any(|(a, b)| (a - b.normal).abs() > 1e-3);
    assert!(differ, "four legs bear {by_sweeps:?} by sweeps and the same by pivots");
}

/// A frictionless block of 2 kg on these legs, with a load (N) that presses on it at (x, z).
fn loaded(legs: &[[Real; 2]], load: Real, [x, z]: [Real; 2]) -> GroupProblem {
    let mut p = block_on_floor(2.0, H);
    p.bodies[1].external.linear.y -= load / 2.0 * H;
    p.bodies[1].external.angular = Vec3::new(z * load, 0.0, -x * load) * (6.0 / 2.0 * H);
    p.contacts = legs
        .iter()
        .enumerate()
        .map(|(k, leg)| contact([0, 1], Vec3::new(leg[0], 0.0, leg[1]), Vec3::Y, 0, k as u32))
        .collect();
    p.contacts.iter_mut().for_each(|c| c.friction = 0.0);
    p
}

/// E-02, E-12: if a load moves over three legs, each bears its share by the lever rule, without a jump, even when a leg comes to bear nothing
/// and the table begins to tip. Four legs share the load in one of many ways, all with the same sum and moments.
#[test]
fn legs_bear_a_load_that_moves_without_a_jump() {
    const LOAD: Real = 100.0;
    let three = [[-0.5, -0.5], [0.5, -0.5], [0.0, 0.5]];
    let four = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
    let bears = |answer: &GroupAnswer| answer.contacts.iter().map(|c| c.normal / H).collect::<Vec<_>>();
    let shares = |[x, z]: [Real; 2]| [(0.5 - z) / 2.0 - x, (0.5 - z) / 2.0 + x, z + 0.5];
    for k in 0..=40 {
        let place = [-0.1 + 0.2 * Real::from(k) / 40.0, 0.1];
        let answer = accelerated(complementarity(), &loaded(&three, LOAD, place));
        let (own, of_load) = (shares([0.0, 0.0]), shares(place));
        for (i, force) in bears(&answer).into_iter().enumerate() {
            let want = 2.0 * G * own[i] + LOAD * of_load[i];
            assert!((force - want).abs() < 1e-8, "{k}, leg {i}: {force}, not {want}");
        }
        assert!(answer.acceleration[1].linear.length() < 1e-9);
        let answer = accelerated(complementarity(), &loaded(&four, LOAD, place));
        let force = bears(&answer);
        let moment = |axis: usize| four.iter().zip(&force).map(|(leg, f)| leg[axis] * f).sum::<Real>();
        assert!(force.iter().all(|f| *f >= 0.0) && (force.iter().sum::<Real>() - LOAD - 2.0 * G).abs() < 1e-8);
        assert!((moment(0) - place[0] * LOAD).abs() < 1e-8 && (moment(1) - place[1] * LOAD).abs() < 1e-8);
        assert!(answer.acceleration[1].linear.length() + answer.acceleration[1].angular.length() < 1e-9);
    }
    // the first leg bears 2 g / 4 + load ((1/2 - z) / 2 - x), which becomes 0 at this x, on the second leg's side
    let edge = 0.2 + 2.0 * G / 4.0 / LOAD;
    let [before, after, beyond] = [-1e-6, 1e-6, 0.05].map(|d| {
        let p = loaded(&three, LOAD, [edge + d, 0.1]);
        let answer = accelerated(complementarity(), &p);
        let rises = answer.acceleration[1].at(p.contacts[0].position - p.bodies[1].pose.position).y;
        (bears(&answer), rises)
    });
    let jump = before.0.iter().zip(&after.0).map(|(a, b)| (a - b).abs()).fold(0.0, Real::max);
    assert!(jump < 1e-2 && before.0[0] > 0.0 && after.0[0] == 0.0, "{before:?} {after:?}");
    assert!(before.1.abs() < 1e-9 && after.1 > 0.0 && after.1 < 0.01, "{before:?} {after:?}");
    // the control: farther out the table tips, and no force holds it down
    assert!(beyond.1 > 1.0 && beyond.0[0] == 0.0, "{beyond:?}");
}

/// E-11: from step to step four legs share a moving load as they did in the step before, starting from the least forces; with pivots alone
/// a leg bears nothing from the start. Both are solutions, even after the first leg has come to bear nothing (step 83): then there is no
/// partition any more, the pivots start afresh with a jump of their own, and the table finally tips (step 100).
#[test]
fn four_legs_share_as_in_the_last_step() {
    let four = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
    let ways = [true, false].map(|partition| {
        let parameters = AnalyticParameters { partition, ..AnalyticParameters::default() };
        let mut solver = AccelerationComplementarity::new(parameters, Box::new(Dantzig::default()));
        let mut last = vec![ContactImpulse::ZERO; 4];
        let (mut jump, mut least, mut motions) = (0.0_f64, 0.0, Vec::new());
        for k in 0..=120 {
            let mut p = loaded(&four, 100.0, [0.006 * Real::from(k), 0.1]);
            p.contacts.iter_mut().zip(&last).for_each(|(c, impulse)| c.impulse = *impulse);
            let mut answer = GroupAnswer::default();
            answer.start(&p);
            let step = Step { level: Level::Acceleration, ..Step::new(H, H) };
            let report = solver.solve(&p, step, &OneThread, &mut answer);
            assert_eq!((report.inconsistent, report.fallbacks), (0, 0), "{k}");
            if k == 0 {
                least = answer.contacts.iter().map(|c| c.normal / H).fold(Real::MAX, Real::min);
            } else if k < 83 {
                let moves = answer.contacts.iter().zip(&last).map(|(a, b)| (a.normal - b.normal).abs() / H);
                jump = moves.fold(jump, Real::max);
            }
            last.clone_from(&answer.contacts);
            motions.push(answer.acceleration[1]);
        }
        (jump, least, motions)
    });
    let [(jump, least, motions), (jump_by_pivots, least_by_pivots, others)] = ways;
    // the moment of the load grows by 0.6 N m per step
    assert!(jump < 1.0 && jump_by_pivots > 10.0, "{jump} {jump_by_pivots}");
    // at first all legs bear; those farther from the load bear 20 N of it and a quarter of the weight. At a vertex one leg bears nothing
    assert!((least - (2.0 * G / 4.0 + 20.0)).abs() < 1e-3 && least_by_pivots == 0.0, "{least} {least_by_pivots}");
    for (k, (a, b)) in motions.iter().zip(&others).enumerate() {
        assert!((a.linear - b.linear).length() + (a.angular - b.angular).length() < 1e-6, "{k}: {a:?} {b:?}");
    }
    assert!(motions[50].angular.length() < 1e-9 && motions[120].angular.z < -1.0, "it stands, and tips at the end");
}

/// E-08: without contacts the program is the linear system of the joints, whose forces have
/// either sign; with a contact added, program and pivots still agree.
#[test]
fn joints_in_the_program_are_the_linear_system() {
    let mut random = Random::new(9);
    let mut signs = [0, 0];
    for _ in 0..10 {
        let mut p = jointed_pair(&mut random);
        for body in &mut p.bodies {
            body.external = Twist::new(random.vector(10.0) * H, random.vector(10.0) * H);
            body.velocity = Twist::ZERO;
        }
        evaluate_joints(&mut p);
        let [pivots, lp] = [complementarity(), program()].map(|s| accelerated(s, &p));
        for (x, y) in pivots.rows.iter().zip(&lp.rows) {
            assert!((x - y).abs() < 1e-9, "{:?} {:?}", pivots.rows, lp.rows);
            signs[usize::from(*x > 0.0)] += 1;
        }
        // the pair touches the floor with one corner
        p.bodies.push(cube(2, 0.0, Vec3::NEG_Y));
        p.contacts.push(contact([2, 0], Vec3::new(-0.9, -0.5, 0.1), Vec3::Y, 0, 0));
        p.contacts[0].friction = 0.0;
        let [pivots, lp] = [complementarity(), program()].map(|s| accelerated(s, &p));
        for (a, b) in pivots.acceleration.iter().zip(&lp.acceleration) {
            assert!((a.linear - b.linear).length() + (a.angular - b.angular).length() < 1e-6, "{a:?} {b:?}");
        }
    }
    assert!(signs[0] > 3 && signs[1] > 3, "{signs:?}");
}

/// E-09: if joints contradict each other, the sum of their violations is as small as possible and forces stay finite:
/// of three rows that ask for different accelerations of a body, two equal ones win against the third.
#[test]
fn contradictory_joints_are_missed_by_the_least_sum() {
    let mut p = GroupProblem { gravity: G, up: Vec3::Y, ..GroupProblem::default() };
    p.bodies = vec![cube(0, 0.0, Vec3::ZERO), cube(1, 2.0, Vec3::Y)];
    let mut random = Random::new(1);
    let template = jointed_pair(&mut random).rows[0].row;
    for (place, wished) in [1.0, 1.0, 4.0].into_iter().enumerate() {
        let mut row = template;
        row.jacobian = [Twist::ZERO, Twist::new(Vec3::X, Vec3::ZERO)];
        // the row's target is a speed at the end of the step, from rest
        (row.target, row.error, row.curvature) = (wished * H, 0.0, 0.0);
        p.rows.push(GroupRow { bodies: [0, 1], row, impulse: 0.0, joint: 0, place: place as u32 });
    }
    let answer = accelerated(program(), &p);
    let found = answer.acceleration[1].linear.x;
    assert!((found - 1.0).abs() < 1e-6, "{found} m/s2: the median of 1, 1 and 4 misses least");
    assert!(answer.rows.iter().all(|x| x.is_finite() && x.abs() < 1e3 * H), "{:?}", answer.rows);
}

/// E-33: mixing makes duplicate rows solvable, shares the load equally between them, and yields by `cfm f` (m) over the step.
#[test]
fn mixing_shares_a_load_between_duplicate_rows() {
    let cfm = 1e-5;
    let mut p = block_on_floor(2.0, H);
    p.contacts.truncate(1);
    p.contacts[0].position = Vec3::ZERO;
    p.contacts.push(p.contacts[0]);
    p.contacts.iter_mut().for_each(|c| c.friction = 0.0);
    let parameters = RowParameters { friction: FrictionModel::None, cfm, ..RowParameters::default() };
    let mut rows = ConstraintRows::default();
    assemble(&p, &parameters, H, H, &mut rows);
    let a = rows.operator.to_dense();
    let determinant = a.get(0, 0) * a.get(1, 1) - a.get(0, 1) * a.get(1, 0);
    assert!(determinant > 1e-3, "{determinant}");
    let mut solver = VelocityLevel::boxed(parameters, Box::new(ProjectedGaussSeidel::with_iterations(20_000)), None);
    let mut group = Group::from(p);
    group.solve(&mut solver, H, H);
    let [x, y] = [0, 1].map(|k| group.answer.contacts[k].normal);
    assert!((x - y).abs() < 1e-9 * x, "{x} {y}");
    // A x + b = 0 with the same x for each row: 2 x / m + (cfm / h^2) x = g h
    let expected = G * H / (2.0 / 2.0 + cfm / (H * H));
    assert!((x - expected).abs() < 1e-6, "{x}, not {expected}");
}

/// E-42: `J^T lambda` of the rows of a contact is `C (N f + D beta)`.
#[test]
fn a_contact_s_rows_push_as_its_normal_and_directions_do() {
    let mut random = Random::new(8);
    let mut p = heap(&mut random);
    p.contacts.iter_mut().for_each(|c| c.friction = 0.5);
    // no motion, because tangents follow the slip if there is any
    p.bodies.iter_mut().for_each(|b| (b.velocity, b.external) = (Twist::ZERO, Twist::ZERO));
    let mut rows = ConstraintRows::default();
    assemble(&p, &RowParameters { friction: FrictionModel::ScaledBox, ..RowParameters::default() }, H, H, &mut rows);
    let multipliers: Vec<Real> = (0..rows.len()).map(|_| random.range(-1.0, 1.0)).collect();
    let mut by_rows = vec![[0.0; 6]; p.bodies.len()];
    for (row, x) in rows.operator.factored_rows().iter().zip(&multipliers) {
        for (body, j) in row.bodies.into_iter().zip(&row.jacobian) {
            if let Some(sum) = by_rows.get_mut(body as usize) {
                sum.iter_mut().zip(j).for_each(|(s, j)| *s += j * x);
            }
        }
    }
    for (i, body) in p.bodies.iter().enumerate().filter(|(_, b)| b.is_movable()) {
        let (mut force, mut torque) = (Vec3::ZERO, Vec3::ZERO);
        for (c, f) in p.contacts.iter().zip(multipliers.chunks(3)) {
            let (t1, t2) = tangent_basis(c.normal);
            let on_b = c.normal * f[0] + t1 * f[1] + t2 * f[2];
            for (_, sign) in c.bodies.into_iter().zip([-1.0, 1.0]).filter(|(b, _)| *b as usize == i) {
                force += on_b * sign;
                torque += (c.position - body.pose.position).cross(on_b * sign);
            }
        }
        let [a, b, c, d, e, f] = by_rows[i];
        let (linear, angular) = (Vec3::new(a, b, c), Vec3::new(d, e, f));
        assert!((linear - force).length() + (angular - torque).length() < 1e-12, "body {i}: {linear} {force}");
    }
}
