use crate::Random;
use crate::collision_solver::check_momentum;
use crate::problem::{block_on_floor, floating_pair, gather, jointed_pair, relative_velocity};
use drystone_core::{ConstraintSolver, ContactImpulse, GroupProblem};
use drystone_math::{Real, Twist, Vec3};

/// How far ahead gaps are looked at (s); the scenes have none.
const HORIZON: Real = 0.01;

/// What a constraint solver is held to by [`check_constraint_solver`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConstraintExpectations {
    /// Residual speed allowed at contacts and rows (m/s), for speeds of 1 m/s: what its iterations reach.
    pub speed: Real,
    /// Whether contacts are unilateral constraints, with complementary speed and impulse; false for springs.
    pub complementarity: bool,
    /// Whether friction stays in its cone or pyramid of the contact's own normal impulse.
    pub friction_cone: bool,
    /// Whether `correct` takes out penetration.
    pub correction: bool,
}

impl Default for ConstraintExpectations {
    fn default() -> Self {
        Self { speed: 1e-3, complementarity: true, friction_cone: true, correction: true }
    }
}

/// The contract of [`ConstraintSolver`]: momentum of free groups, immovable bodies, the same bits for the same problem,
/// a resting block, complementarity, joints, and position correction that leaves velocities alone.
///
/// # Panics
/// Where the solver breaks its contract.
pub fn check_constraint_solver(make: &mut dyn FnMut() -> Box<dyn ConstraintSolver>, expect: ConstraintExpectations) {
    let mut random = Random::new(31);
    for round in 0..20 {
        for h in [0.0, 0.01] {
            let (contacts, joint) = (floating_pair(&mut random), jointed_pair(&mut random));
            for before in [contacts, joint] {
                let what = format!("{}: round {round}, h = {h}, {} rows", make().name(), before.rows.len());
                check_free_pair(make, &before, h, expect, &what);
            }
        }
    }
    check_resting_block(make, expect);
    if expect.correction {
        check_correction(make, expect);
    }
    let mut empty = GroupProblem::default();
    make().solve(&mut empty, 0.01, HORIZON);
    make().correct(&mut empty);
}

fn check_free_pair(
    make: &mut dyn FnMut() -> Box<dyn ConstraintSolver>,
    before: &GroupProblem,
    h: Real,
    expect: ConstraintExpectations,
    what: &str,
) {
    let mut solver = make();
    let mut after = before.clone();
    solver.solve(&mut after, h, HORIZON);
    check_momentum(before, &after, what);
    check_untouched(before, &after, what);
    check_contacts(&after, expect, what);
    for r in &after.rows {
        let [a, b] = r.bodies.map(|i| after.bodies[i as usize].solved);
        let dot = |j: &Twist, u: &Twist| j.linear.dot(u.linear) + j.angular.dot(u.angular);
        let speed = dot(&r.row.jacobian[0], &a) + dot(&r.row.jacobian[1], &b);
        assert!(speed.abs() <= expect.speed, "{what}: a joint moves at {speed} m/s");
    }
    // the same bits after another problem, and from a fork
    let mut other = block_on_floor(3.0, 0.01);
    solver.solve(&mut other, 0.01, HORIZON);
    for again in [&mut solver, &mut make().fork()] {
        let mut same = before.clone();
        again.solve(&mut same, h, HORIZON);
        assert_eq!(same, after, "{what}: not the same bits");
    }
}

/// A solver writes velocities, shifts and multipliers, nothing else.
fn check_untouched(before: &GroupProblem, after: &GroupProblem, what: &str) {
    for (b, a) in before.bodies.iter().zip(&after.bodies) {
        let restored = drystone_core::GroupBody { solved: b.solved, shift: b.shift, turn: b.turn, ..*a };
        assert_eq!(*b, restored, "{what}: a body's inputs changed");
        if b.inverse_mass == 0.0 {
            assert_eq!(a.solved, b.solved, "{what}: an immovable body was moved");
        }
    }
    for (b, a) in before.contacts.iter().zip(&after.contacts) {
        assert_eq!(*b, drystone_core::GroupContact { impulse: b.impulse, ..*a }, "{what}: a contact's inputs changed");
    }
}

fn check_contacts(after: &GroupProblem, expect: ConstraintExpectations, what: &str) {
    for c in &after.contacts {
        assert!(c.impulse.is_finite(), "{what}: a multiplier is not finite");
        let (normal, friction) = (c.impulse.normal, c.impulse.friction.length());
        assert!(normal >= 0.0, "{what}: a contact pulls: {normal}");
        if expect.friction_cone {
            // a pyramid's corner lies outside of the cone by the square root of two
            let bound = c.friction * normal * core::f64::consts::SQRT_2 + 1e-9;
            assert!(friction <= bound, "{what}: friction {friction} above its bound {bound}");
        }
        if expect.complementarity {
            let speed = relative_velocity(after, c).dot(c.normal);
            assert!(speed >= -expect.speed, "{what}: a contact still approaches at {} m/s", -speed);
        }
    }
}

fn check_resting_block(make: &mut dyn FnMut() -> Box<dyn ConstraintSolver>, expect: ConstraintExpectations) {
    let (mass, h) = (10.0, 0.01);
    let mut solver = make();
    let mut problem = block_on_floor(mass, h);
    let before = problem.clone();
    solver.solve(&mut problem, h, HORIZON);
    let what = format!("{}: a resting block", solver.name());
    check_untouched(&before, &problem, &what);
    check_contacts(&problem, expect, &what);
    if !expect.complementarity {
        return;
    }
    let carried: Real = problem.contacts.iter().map(|c| c.impulse.normal).sum();
    let weight = mass * 9.81 * h;
    assert!((carried - weight).abs() <= mass * expect.speed, "{what}: contacts carry {carried} of {weight} N s");
    let moved = problem.bodies[1].solved;
    assert!(moved.linear.length() <= expect.speed && moved.angular.length() <= 4.0 * expect.speed, "{what}: {moved:?}");

    // pulled up by more than its weight it leaves the floor, and the contacts do nothing
    let mut lifted = block_on_floor(mass, h);
    lifted.bodies[1].external.linear = Vec3::Y * 0.1;
    gather(&mut lifted);
    solver.solve(&mut lifted, h, HORIZON);
    let pull: Real = lifted.contacts.iter().map(|c| c.impulse.normal.abs()).sum();
    assert!(pull <= mass * expect.speed, "{what}: contacts of a lifted block act with {pull} N s");
    let speed = lifted.bodies[1].solved.linear.y;
    assert!((speed - 0.1).abs() <= expect.speed, "{what}: lifted at 0.1 m/s, moves at {speed}");
}

fn check_correction(make: &mut dyn FnMut() -> Box<dyn ConstraintSolver>, expect: ConstraintExpectations) {
    let mut solver = make();
    let mut problem = block_on_floor(10.0, 0.0);
    for c in &mut problem.contacts {
        c.separation = -0.02;
        c.impulse = ContactImpulse { normal: 1.0, friction: Vec3::new(0.1, 0.0, -0.1) };
    }
    let before = problem.clone();
    solver.correct(&mut problem);
    let what = format!("{}: correction", solver.name());
    assert_eq!(problem.contacts, before.contacts, "{what}: contacts changed");
    for (a, b) in problem.bodies.iter().zip(&before.bodies) {
        assert_eq!(a.solved, b.solved, "{what}: velocities changed");
    }
    assert_eq!(problem.bodies[0].shift, Twist::ZERO, "{what}: an immovable body was moved");
    let rise = problem.bodies[1].shift.linear.y;
    assert!(rise > 0.0 && rise <= 0.02 + expect.speed, "{what}: 20 mm deep, moved up by {rise} m");
}
