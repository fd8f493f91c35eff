//! Poisson's law for all impacts of a group at once, in two complementarity problems (D-03).

mod examples;

use drystone_core::GroupProblem;
use drystone_core::catalogue::Value;
use drystone_math::{Real, SymmetricMat3, Vec3};
use drystone_testkit::problem::Group;
use examples::*;

/// A rod that falls on its tip at an angle: one contact with the floor, sliding at `slip`.
fn leaning(e: Real, mu: Real, slip: Real) -> Group {
    let mut p = GroupProblem::default();
    p.bodies.push(ball(Vec3::NEG_Y, 0.0, Vec3::ZERO));
    let mut rod = ball(Vec3::new(0.3, 0.8, 0.0), 2.0, Vec3::new(slip, -1.0, 0.0));
    rod.inverse_inertia = SymmetricMat3::from_diagonal(Vec3::splat(3.0));
    p.bodies.push(rod);
    p.contacts.push(contact([0, 1], Vec3::ZERO, Vec3::Y, e, mu));
    p.into()
}

#[test]
fn two_problems_give_poisson_s_law() {
    let poisson = [("law", Value::Text("poisson".into()))];
    // with one contact the answer is that of the algebraic law: sticking, slipping on, and without friction
    for (e, mu, slip) in [(0.5, 0.0, 1.0), (0.5, 3.0, 0.2), (0.8, 0.1, 4.0), (0.8, 0.1, -4.0), (0.0, 0.4, 1.0)] {
        let (mut together, mut alone) = (leaning(e, mu, slip), leaning(e, mu, slip));
        let before = together.problem.bodies[1].velocity;
        let arm = Vec3::new(-0.3, -0.8, 0.0);
        together.resolve(solver("simultaneous", &poisson).as_mut(), H);
        alone.resolve(solver("sequential", &poisson).as_mut(), H);
        let [a, b] = [&together, &alone].map(|g| g.answer.velocity[1]);
        assert!(
            (a.linear - b.linear).length() + (a.angular - b.angular).length() < 1e-9,
            "{e} {mu} {slip}: {a:?} {b:?}"
        );
        // by Newton's law the approach would come back times e; if friction sticks at a lever arm, Poisson's law gives another velocity
        let (approach, leaves) = (before.at(arm).y, a.at(arm).y);
        let is_newton = (leaves + e * approach).abs() < 1e-6;
        assert_eq!(is_newton, mu < 1.0, "{e} {mu} {slip}: {approach} {leaves}");
    }
    // without friction the rows follow Newton's law: three equal balls, e = 1
    let mut p = row_of_balls(&[3.0, 0.0, 0.0], 1.0);
    p.resolve(solver("simultaneous", &poisson).as_mut(), H);
    assert!(near(&speeds(&p), &[-1.0, 2.0, 2.0]), "{:?}", speeds(&p));
    // what one contact gives back another one absorbs: with e = 1 and 0 the last two balls move on together
    let mut p = row_of_balls(&[3.0, 0.0, 0.0], 1.0);
    p.problem.contacts[1].restitution = 0.0;
    p.resolve(solver("simultaneous", &poisson).as_mut(), H);
    assert!(near(&speeds(&p), &[-1.0, 2.0, 2.0]), "{:?}", speeds(&p));
    // with many contacts nothing approaches, and no energy is gained
    for (e, mu) in [(0.5, 0.0), (1.0, 0.0), (0.0, 0.4), (0.5, 0.4), (1.0, 0.4)] {
        let mut p = block(e, mu);
        let before = energy(&p);
        let report = p.resolve(solver("simultaneous", &poisson).as_mut(), H);
        assert!(!report.truncated && fastest_approach(&p) <= 1e-8, "{e} {mu}: {report:?} {}", fastest_approach(&p));
        assert!(energy(&p) <= before * (1.0 + ROUNDING), "{e} {mu}: {} {before}", energy(&p));
        if (e, mu) == (1.0, 0.0) {
            assert!((energy(&p) / before - 1.0).abs() < 1e-9, "{}", energy(&p) / before);
        }
    }
}
