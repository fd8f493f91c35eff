mod accelerations;
mod gaps;
mod rest;

use crate::Random;
use crate::collision_solver::check_momentum_within;
use crate::problem::{Group, block_on_floor, floating_pair, jointed_pair};
use drystone_core::{ConstraintSolver, Level, Levels, Step};
use drystone_math::{Real, Twist, Vec3};

/// Look-ahead time for gaps (s); the scenes have none.
const HORIZON: Real = 0.01;

/// Expectations of [`check_constraint_solver`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConstraintExpectations {
    /// Residual speed allowed at contacts and rows (m/s), for speeds of 1 m/s: what the solver's iterations reach.
    pub speed: Real,
    /// True if contacts are unilateral constraints, with complementary speed and impulse; false for springs.
    pub complementarity: bool,
    /// Change of angular momentum allowed, relative to the total: rounding, unless velocities result from positions corrected one after the other.
    pub angular_momentum: Real,
    /// The same for linear momentum.
    pub momentum: Real,
    /// True if friction stays in the cone or pyramid given by the contact's own normal impulse.
    pub friction_cone: bool,
    /// True if it takes joints; otherwise worlds with joints must be refused.
    pub joints: bool,
}

impl Default for ConstraintExpectations {
    fn default() -> Self {
        Self {
            speed: 1e-3,
            complementarity: true,
            angular_momentum: 1e-9,
            momentum: 1e-9,
            friction_cone: true,
            joints: true,
        }
    }
}

/// The contract of [`ConstraintSolver`]: the momentum of free groups, immovable bodies, the same bits for the same problem, a resting block, answers that claim
/// rest, complementarity, and joints. At the level of velocities and positions it covers gaps that close, but not beyond contact; at the level of accelerations,
/// forces complementary to accelerations, and joints that follow their curvature.
///
/// # Panics
/// If the solver violates its contract.
pub fn check_constraint_solver(make: &mut dyn FnMut() -> Box<dyn ConstraintSolver>, expect: ConstraintExpectations) {
    let mut random = Random::new(31);
    let levels = make().levels();
    for round in 0..20 {
        for step in impulse_steps(levels) {
            let (contacts, joint) = (floating_pair(&mut random), jointed_pair(&mut random));
            for before in [contacts, joint].into_iter().take(if expect.joints { 2 } else { 1 }) {
                let what = format!("{}: round {round}, h = {}, {} rows", make().name(), step.h, before.rows.len());
                check_free_pair(make, &before.into(), step, expect, &what);
            }
        }
    }
    check_resting_block(make, expect);
    rest::check_rest(make);
    if levels.velocity {
        gaps::check_gaps(make, expect);
    }
    if levels.acceleration {
        accelerations::check_accelerations(make, expect);
    }
    Group::default().solve(make().as_mut(), 0.01, HORIZON);
}

/// Steps at the levels at which approaching bodies are stopped.
fn impulse_steps(levels: Levels) -> impl Iterator<Item = Step> {
    let steps = [Step::new(0.0, HORIZON), Step::new(0.01, HORIZON)];
    steps.into_iter().filter(move |step| levels.has(step.level))
}

/// A step of `h` seconds at the level that a solver uses for steps.
fn step_of(levels: Levels, h: Real) -> Step {
    let level = if levels.velocity { Level::Velocity } else { Level::Acceleration };
    Step { level, ..Step::new(h, HORIZON) }
}

fn check_free_pair(
    make: &mut dyn FnMut() -> Box<dyn ConstraintSolver>,
    before: &Group,
    step: Step,
    expect: ConstraintExpectations,
    what: &str,
) {
    let mut solver = make();
    let mut after = before.clone();
    after.solve_step(solver.as_mut(), step);
    check_momentum_within([expect.momentum, expect.angular_momentum], before, &after, what);
    check_immovable(&after, what);
    rest::check_claim(&after, what);
    check_contacts(&after, expect, what);
    for r in &after.rows {
        let [a, b] = r.bodies.map(|i| after.answer.velocity[i as usize]);
        let dot = |j: &Twist, u: &Twist| j.linear.dot(u.linear) + j.angular.dot(u.angular);
        let speed = dot(&r.row.jacobian[0], &a) + dot(&r.row.jacobian[1], &b);
        assert!(speed.abs() <= expect.speed, "{what}: a joint moves at {speed} m/s");
    }
    // the same bits after another problem, and from a fork
    Group::from(block_on_floor(3.0, 0.01)).solve(solver.as_mut(), 0.01, HORIZON);
    for again in [&mut solver, &mut make().fork()] {
        let mut same = before.clone();
        same.solve_step(again.as_mut(), step);
        assert_eq!(same, after, "{what}: not the same bits");
    }
}

fn check_immovable(after: &Group, what: &str) {
    for (body, velocity) in after.bodies.iter().zip(&after.answer.velocity).filter(|(b, _)| !b.is_movable()) {
        assert_eq!(*velocity, body.velocity, "{what}: an immovable body was moved");
    }
}

fn check_contacts(after: &Group, expect: ConstraintExpectations, what: &str) {
    for (c, impulse) in after.contacts.iter().zip(&after.answer.contacts) {
        assert!(impulse.is_finite(), "{what}: a multiplier is not finite");
        let (normal, friction) = (impulse.normal, impulse.friction.length());
        assert!(normal >= 0.0, "{what}: a contact pulls: {normal}");
        if expect.friction_cone {
            // a pyramid's corner lies outside the cone by a factor of the square root of two
            let bound = c.friction * normal * core::f64::consts::SQRT_2 + 1e-9;
            assert!(friction <= bound, "{what}: friction {friction} above its bound {bound}");
        }
        if expect.complementarity {
            let speed = after.relative_velocity(c).dot(c.normal);
            assert!(speed >= -expect.speed, "{what}: a contact still approaches at {} m/s", -speed);
        }
    }
}

// E-15
fn check_resting_block(make: &mut dyn FnMut() -> Box<dyn ConstraintSolver>, expect: ConstraintExpectations) {
    let (mass, h) = (10.0, 0.01);
    let mut solver = make();
    let step = step_of(solver.levels(), h);
    let mut problem = Group::from(block_on_floor(mass, h));
    problem.solve_step(solver.as_mut(), step);
    let what = format!("{}: a resting block", solver.name());
    check_immovable(&problem, &what);
    check_contacts(&problem, expect, &what);
    if !expect.complementarity {
        return;
    }
    let carried: Real = problem.answer.contacts.iter().map(|c| c.normal).sum();
    let weight = mass * 9.81 * h;
    assert!((carried - weight).abs() <= mass * expect.speed, "{what}: contacts carry {carried} of {weight} N s");
    let moved = problem.answer.velocity[1];
    assert!(moved.linear.length() <= expect.speed && moved.angular.length() <= 4.0 * expect.speed, "{what}: {moved:?}");

    // pulled up by more than its weight, it leaves the floor and the contacts do nothing
    let mut lifted = Group::from(block_on_floor(mass, h));
    lifted.bodies[1].external.linear = Vec3::Y * 0.1;
    lifted.solve_step(solver.as_mut(), step);
    let pull: Real = lifted.answer.contacts.iter().map(|c| c.normal.abs()).sum();
    assert!(pull <= mass * expect.speed, "{what}: contacts of a lifted block act with {pull} N s");
    let speed = lifted.answer.velocity[1].linear.y;
    assert!((speed - 0.1).abs() <= expect.speed, "{what}: lifted at 0.1 m/s, moves at {speed}");
}
