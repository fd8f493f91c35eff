//! The fused sweeps give the iterates of Gauss-Seidel on the assembled rows, warm or cold, with or without friction.

use drystone_core::{ContactImpulse, GroupProblem};
use drystone_dynamics::{CorrectionParameters, FrictionModel, Projection, RowParameters, VelocityLevel};
use drystone_lcp::{LcpSolver, Measure, ProjectedGaussSeidel};
use drystone_math::{Real, Vec3, tangent_basis};
use drystone_testkit::Random;
use drystone_testkit::problem::{Group, contact, cube};

/// Rounding errors of some hundred updates of numbers near one.
const SAME_ITERATES: Real = 1e-11;

/// A pile of cubes with contacts at random places in random directions, some with gaps, some deep; one body is immovable.
fn pile(random: &mut Random) -> GroupProblem {
    let mut p = GroupProblem { gravity: 9.81, ..GroupProblem::default() };
    for i in 0..8 {
        let mass = if i == 0 { 0.0 } else { random.range(0.5, 20.0) };
        let mut body = cube(i, mass, Vec3::Y * Real::from(i) + random.vector(0.2));
        body.velocity.linear = random.vector(1.0);
        body.velocity.angular = random.vector(1.0);
        body.external.linear = Vec3::NEG_Y * 0.0981;
        p.bodies.push(body);
    }
    for k in 0..20 {
        let a = random.below(7) as u32;
        let b = a + 1 + random.below(7 - a as usize) as u32;
        let place = Vec3::Y * (0.5 * Real::from(a + b)) + random.vector(0.5);
        let mut c = contact([a, b], place, (Vec3::Y + random.vector(0.7)).normalize(), k, 0);
        c.separation = random.range(-0.01, 0.01);
        c.restitution = random.range(0.0, 1.0);
        c.friction = if k % 5 == 0 { 0.0 } else { random.range(0.1, 1.0) };
        let (t1, t2) = tangent_basis(c.normal);
        let own = [random.range(0.0, 1.0), random.range(-0.5, 0.5), random.range(-0.5, 0.5)];
        c.impulse = ContactImpulse::of_multipliers(own, [t1, t2]);
        p.contacts.push(c);
    }
    p
}

// F-22
#[test]
fn the_same_iterates_as_on_rows() {
    let mut random = Random::new(5);
    for round in 0..50 {
        let before = Group::from(pile(&mut random));
        for (friction, warm_start) in [
            (FrictionModel::ScaledBox, false),
            (FrictionModel::ScaledBox, true),
            (FrictionModel::Disc, false),
            (FrictionModel::Disc, true),
            (FrictionModel::None, true),
        ] {
            let parameters = RowParameters {
                friction,
                warm_start,
                warm_start_scale: if round % 2 == 0 { 1.0 } else { 0.9 },
                cfm: 1e-7,
                ..RowParameters::default()
            };
            for sweeps in [1, 2, 10] {
                let solver = || {
                    let plain = ProjectedGaussSeidel::with_iterations(sweeps);
                    Box::new(ProjectedGaussSeidel { measure: Measure::AtEnd, ..plain })
                };
                let mut plain = VelocityLevel::boxed(parameters, solver(), None);
                let mut fused = VelocityLevel::boxed(parameters, solver(), solver().plain_sweeps());
                for h in [0.0, 0.01] {
                    let (mut p, mut q) = (before.clone(), before.clone());
                    let reports = (p.solve(&mut plain, h, 0.01), q.solve(&mut fused, h, 0.01));
                    let what = format!("round {round}, {friction:?}, warm {warm_start}, {sweeps} sweeps, h {h}");
                    compare(&p, &q, &what);
                    let (a, b) = (reports.0.lcp, reports.1.lcp);
                    assert_eq!((a.variables_max, a.residuals), (b.variables_max, b.residuals), "{what}");
                    assert!((a.residual_max - b.residual_max).abs() < SAME_ITERATES * 100.0, "{what}: residuals");

                    let corrections = CorrectionParameters::default();
                    p.correct(&mut Projection::by(corrections, solver()));
                    q.correct(&mut Projection::by_sweeps(corrections, sweeps));
                    compare(&p, &q, &format!("{what}, corrected"));
                }
            }
        }
    }
}

fn compare(p: &Group, q: &Group, what: &str) {
    assert_eq!(p.answer.correction.len(), q.answer.correction.len());
    let motions = |g: &Group| [g.answer.velocity.clone(), g.answer.correction.clone()].concat();
    for (i, (x, y)) in motions(p).into_iter().zip(motions(q)).enumerate() {
        let off = (x - y).linear.length() + (x - y).angular.length();
        assert!(off < SAME_ITERATES, "{what}: motion {i} off by {off:e}");
    }
    for ((a, b), c) in p.answer.contacts.iter().zip(&q.answer.contacts).zip(&p.contacts) {
        let off = (a.total(c.normal) - b.total(c.normal)).length();
        assert!(off < SAME_ITERATES * 100.0, "{what}: impulse {a:?} against {b:?}");
    }
}
