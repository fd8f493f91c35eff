//! The unified constraint interface: contacts as constraints, one-sided rows, and the numbering of rows (G-04, G-16, G-23, G-24).

use drystone_core::{ConstraintRow, GroupProblem, GroupRow, RowLimits, Softness};
use drystone_dynamics::{ConstraintRows, FrictionModel, RowParameters, VelocityLevel, assemble, assemble_pyramid};
use drystone_lcp::{LcpOperator, NO_DEPENDENCY, ProjectedGaussSeidel};
use drystone_math::{Quat, Real, SymmetricMat3, Twist, Vec3, tangent_basis};
use drystone_testkit::Random;
use drystone_testkit::problem::{Group, contact, cube, jointed_pair};

const H: Real = 0.01;

fn vector(random: &mut Random) -> Vec3 {
    Vec3::from_array([0.0; 3].map(|_: Real| random.range(-1.0, 1.0)))
}

/// Three bodies of different inertia in motion, five contacts between them, some of them gaps and some without friction.
fn heap(random: &mut Random) -> GroupProblem {
    let mut p = GroupProblem { gravity: 9.81, ..GroupProblem::default() };
    for i in 0..3 {
        let mut body = cube(i, 1.0 + f64::from(i), vector(random));
        let turned = Quat::from_scaled_axis(vector(random));
        body.inverse_inertia = SymmetricMat3::from_diagonal(Vec3::new(3.0, 5.0, 9.0)).rotated(turned);
        body.velocity = Twist::new(vector(random), vector(random));
        body.external = Twist::new(Vec3::NEG_Y * (9.81 * H), vector(random) * 0.1);
        p.bodies.push(body);
    }
    p.bodies.push(cube(3, 0.0, Vec3::NEG_Y * 2.0));
    for (k, bodies) in [[0, 1], [1, 2], [3, 0], [3, 2], [3, 2]].into_iter().enumerate() {
        let normal = vector(random).normalize();
        let mut c = contact(bodies, vector(random), normal, k as u32, 0);
        c.separation = random.range(-0.01, 0.01);
        c.friction = [0.5, 0.0, 0.3, 0.7, 0.0][k];
        p.contacts.push(c);
    }
    p
}

/// A joint row written by hand, with nothing but its gradient.
fn row(jacobian: [Twist; 2], limits: RowLimits) -> ConstraintRow {
    ConstraintRow {
        jacobian,
        target: 0.0,
        error: 0.0,
        curvature: 0.0,
        limits,
        softness: Softness::RIGID,
        restitution: 0.0,
        correctable: true,
        line: None,
    }
}

/// Equation (4.165): `J = [-d, -(r_A x d); d, r_B x d]` for the normal and each direction of friction.
fn contact_rows(p: &GroupProblem, k: usize, facets: usize) -> Vec<ConstraintRow> {
    let c = &p.contacts[k];
    let (t1, t2) = tangent_basis(c.normal);
    let angle = |i: usize| 2.0 * core::f64::consts::PI * i as Real / facets as Real;
    let directions = (0..facets).map(|i| t1 * angle(i).cos() + t2 * angle(i).sin());
    let arms = c.bodies.map(|b| c.position - p.bodies[b as usize].pose.position);
    core::iter::once(c.normal)
        .chain(directions)
        .map(|d| row([Twist::new(-d, -arms[0].cross(d)), Twist::new(d, arms[1].cross(d))], RowLimits::UNILATERAL))
        .collect()
}

#[test]
fn a_contact_as_constraint_is_the_assembly_of_the_frictional_problem() {
    // G-16: J and b of 1 + eta constraint rows per contact, against the blocks of E-22
    let mut random = Random::new(41);
    for facets in [4, 6, 8] {
        let p = heap(&mut random);
        let parameters = RowParameters { restitution: false, ..RowParameters::default() };
        let whole = assemble_pyramid(&p, &parameters, facets, H, H);

        // the same contacts, written as joint rows; the gap becomes the target of the normal row: nu / h
        let mut as_joints = p.clone();
        as_joints.contacts.clear();
        for k in 0..p.contacts.len() {
            for (i, mut row) in contact_rows(&p, k, facets).into_iter().enumerate() {
                if i == 0 {
                    row.target = -p.contacts[k].separation.max(0.0) / H;
                }
                let bodies = p.contacts[k].bodies;
                as_joints.rows.push(GroupRow { bodies, row, impulse: 0.0, joint: k as u32, place: i as u32 });
            }
        }
        let mut rows = ConstraintRows::default();
        assemble(&as_joints, &parameters, H, H, &mut rows);
        assert_eq!(rows.len(), (1 + facets) * p.contacts.len());
        let a = rows.operator.to_dense();
        let n = (2 + facets) * p.contacts.len();
        let problem = whole.problem.view();
        assert_eq!(problem.b.len(), n);
        let entry = |i: usize, j: usize| problem.operator.entry(i, j);
        for (i, &row) in whole.places.iter().enumerate() {
            assert!((problem.b[row] - rows.b[i]).abs() < 1e-13, "b {i}");
            assert_eq!((problem.lo[row], problem.hi[row]), (rows.lo[i], rows.hi[i]));
            for (j, &column) in whole.places.iter().enumerate() {
                assert!((entry(row, column) - a.get(i, j)).abs() < 1e-13, "{i} {j}");
            }
        }
        // the remaining entries are E, -E^T and mu, of each contact's own variables
        for (k, c) in p.contacts.iter().enumerate() {
            let normal = k * (2 + facets);
            let auxiliary = normal + facets + 1;
            assert_eq!(problem.b[auxiliary], 0.0);
            for j in 0..n {
                let direction = j > normal && j < auxiliary;
                let expected = if j == normal { c.friction } else { -f64::from(u8::from(direction)) };
                assert_eq!(entry(auxiliary, j), expected);
                assert_eq!(entry(j, auxiliary), f64::from(u8::from(direction)));
            }
        }
    }
}

#[test]
fn one_sided_rows_push_only_and_are_met_or_open() {
    // G-04: J u >= 0, lambda >= 0, one of them zero
    let mut random = Random::new(42);
    let solver = ProjectedGaussSeidel::with_iterations(20_000);
    let mut solver = VelocityLevel::boxed(RowParameters::default(), Box::new(solver), None);
    let mut pushing = 0;
    for _ in 0..20 {
        let mut p = heap(&mut random);
        p.contacts.clear();
        for k in 0..6 {
            let bodies = [[0, 1], [1, 2], [2, 0]][k % 3];
            let jacobian = [0, 1].map(|_| Twist::new(vector(&mut random), vector(&mut random)));
            let row = row(jacobian, RowLimits::UNILATERAL);
            p.rows.push(GroupRow { bodies, row, impulse: 0.0, joint: k as u32, place: 0 });
        }
        let mut p = Group::from(p);
        p.solve(&mut solver, H, H);
        for (r, &impulse) in p.rows.iter().zip(&p.answer.rows) {
            let rate: Real = r
                .bodies
                .iter()
                .zip(&r.row.jacobian)
                .map(|(&b, j)| {
                    let u = p.answer.velocity[b as usize];
                    j.linear.dot(u.linear) + j.angular.dot(u.angular)
                })
                .sum();
            assert!(impulse >= 0.0 && rate > -1e-9, "{impulse} {rate}");
            assert!(impulse * rate < 1e-8, "{impulse} {rate}");
            pushing += usize::from(impulse > 1e-6);
        }
    }
    assert!((20..100).contains(&pushing), "some push and some are open: {pushing}");
}

// E-32
#[test]
fn rows_are_numbered_without_gaps_and_what_is_inactive_has_none() {
    // G-24: joints first, then each contact's own rows behind its normal row
    let mut random = Random::new(43);
    for model in [FrictionModel::None, FrictionModel::Box, FrictionModel::ScaledBox, FrictionModel::Disc] {
        let mut p = heap(&mut random);
        p.rows = jointed_pair(&mut random).rows;
        let joints = p.rows.len();
        assert!(joints > 0);
        let parameters = RowParameters { friction: model, ..RowParameters::default() };
        let mut rows = ConstraintRows::default();
        assemble(&p, &parameters, H, H, &mut rows);
        assert!(rows.dependency[..joints].iter().all(|d| *d == NO_DEPENDENCY));
        let mut next = joints;
        for c in &p.contacts {
            // a contact without friction has no tangents
            let tangents = if model == FrictionModel::None || c.friction == 0.0 { 0 } else { 2 };
            assert_eq!((rows.dependency[next], rows.lo[next], rows.hi[next]), (NO_DEPENDENCY, 0.0, f64::INFINITY));
            for t in next + 1..=next + tangents {
                let dependency = if model == FrictionModel::Box { NO_DEPENDENCY } else { next as u32 };
                assert_eq!(rows.dependency[t], dependency);
            }
            next += 1 + tangents;
        }
        let columns = [rows.b.len(), rows.lo.len(), rows.hi.len(), rows.dependency.len(), rows.mu.len(), rows.x.len()];
        assert_eq!(columns, [next; 6]);
        assert_eq!(rows.operator.factored_rows().len(), next);
    }
    // with auxiliary variables: physical and auxiliary rows together take each number once, the auxiliary ones behind their contact
    let mut p = heap(&mut random);
    p.rows = jointed_pair(&mut random).rows;
    let whole = assemble_pyramid(&p, &RowParameters::default(), 4, H, H);
    let (joints, per_contact) = (p.rows.len(), whole.facets[0] + 2);
    let n = joints + per_contact * p.contacts.len();
    assert_eq!((whole.joint_rows, whole.problem.b.len()), (joints, n));
    let auxiliary = (1..=p.contacts.len()).map(|k| joints + per_contact * k - 1);
    let mut all: Vec<usize> = whole.places.iter().copied().chain(auxiliary).collect();
    assert!(whole.places.is_sorted_by(|a, b| a < b));
    all.sort_unstable();
    assert_eq!(all, (0..n).collect::<Vec<_>>());
}

#[test]
fn an_assembly_begins_anew() {
    // what is dropped between two steps leaves no trace
    let mut random = Random::new(44);
    let (large, mut small) = (heap(&mut random), heap(&mut random));
    small.contacts.truncate(1);
    let (mut used, mut fresh) = (ConstraintRows::default(), ConstraintRows::default());
    let parameters = RowParameters::default();
    assemble(&large, &parameters, H, H, &mut used);
    assemble(&small, &parameters, H, H, &mut used);
    assemble(&small, &parameters, H, H, &mut fresh);
    assert_eq!(format!("{used:?}"), format!("{fresh:?}"));
}
