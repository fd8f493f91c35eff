//! Bounds on what scripted bodies and overlaps ask for.

use crate::{GroupAnswer, GroupProblem, Turn};
use drystone_math::{Real, Twist};

/// The speed that a scripted body may give, in units of its own: twice is an elastic blow by something heavy.
const MOST_SPEED: Real = 2.0;
/// Rounding of an energy.
const EQUAL: Real = 1e-9;

/// Bounds the velocities that scripted bodies give to others through contacts, in a step of `h` seconds. Returns the number of bodies that were slowed.
///
/// A scripted body yields to nothing. Where others are jammed between it and a wall, at an angle a from a straight line, the exact velocities are of order
/// 1 / a or 1 / a^2. In the frame of a body of speed v its blow gives no energy to a body of speed u, which therefore leaves at e u + (1 + e) v, with the
/// coefficient of restitution e. What holds for each body holds for the roots of all energies: bodies that no joint acts on leave with
///
/// ```text
/// sqrt(E) <= max(sqrt(B), sqrt(G), e sqrt(B) + (1 + e) / 2 sqrt(G))
/// ```
///
/// at most, where B is the energy of their group before, G what they have at twice the largest speed of a script, and e the group's largest coefficient.
/// A lever stays within that if it lifts less than it weighs. If they have more, something was jammed: each that is faster than before and than twice the
/// script is slowed to that, and the impulses of its contacts are scaled alike. What is left of the demand shows as overlap.
pub fn bound_jammed(problem: &GroupProblem, h: Real, answer: &mut GroupAnswer) -> u64 {
    let bodies = &problem.bodies;
    let square = MOST_SPEED * MOST_SPEED * fastest_script(problem);
    if square == 0.0 {
        return 0;
    }
    let before = |i: usize| bodies[i].square(bodies[i].velocity + bodies[i].external);
    let given = |i: usize| square / bodies[i].inverse_mass;
    let is_held = |i: usize| problem.rows.iter().any(|r| r.bodies.contains(&(i as u32)));
    let scale = |i: usize, velocity: Twist| (given(i).max(before(i)) / bodies[i].square(velocity)).sqrt();
    let movable = || (0..bodies.len()).filter(|&i| bodies[i].inverse_mass > 0.0);
    if movable().all(|i| scale(i, answer.velocity[i]) >= 1.0) {
        return 0;
    }
    let all: Real = (0..bodies.len()).map(before).sum();
    let (mut has, mut most) = (0.0, 0.0);
    for i in movable().filter(|&i| !is_held(i)) {
        has += bodies[i].square(answer.velocity[i]);
        most += given(i);
    }
    let restitution = problem.contacts.iter().fold(0.0, |most: Real, c| most.max(c.restitution)).min(1.0);
    let [before_root, given_root] = [all, most].map(Real::sqrt);
    let root = before_root.max(given_root).max(restitution * before_root + 0.5 * (1.0 + restitution) * given_root);
    if has <= root * root * (1.0 + EQUAL) {
        return 0;
    }
    let mut slowed = 0;
    for i in movable().filter(|&i| !is_held(i)) {
        let scale = scale(i, answer.velocity[i]);
        if scale >= 1.0 {
            continue;
        }
        answer.velocity[i] = answer.velocity[i] * scale;
        // it takes the whole step at that velocity
        answer.turn[i] = Turn::default();
        if let Some(acceleration) = answer.acceleration.get_mut(i).filter(|_| h > 0.0) {
            *acceleration = (answer.velocity[i] - bodies[i].velocity) * (1.0 / h);
        }
        let own = problem.contacts.iter().zip(&mut answer.contacts).filter(|(c, _)| c.bodies.contains(&(i as u32)));
        own.for_each(|(_, x)| *x = *x * scale);
        slowed += 1;
    }
    slowed
}

/// Bounds displacements that take out overlap, in a group without joints. Returns the number of bodies that were displaced less.
///
/// Between walls the exact displacement has no bound either. In a stack each body moves by the overlaps below it: a body that is to move by more than twice
/// all overlaps of its group together is displaced by so much.
pub fn bound_displaced(problem: &GroupProblem, answer: &mut GroupAnswer) -> u64 {
    if !problem.rows.is_empty() {
        return 0;
    }
    let most = MOST_SPEED * problem.contacts.iter().map(|c| (-c.separation).max(0.0)).sum::<Real>();
    let mut displaced_less = 0;
    for way in &mut answer.correction {
        let length = way.linear.length();
        if length > most {
            *way = *way * (most / length);
            displaced_less += 1;
        }
    }
    displaced_less
}

/// The square of the largest speed of a scripted body where it touches another ((m/s)^2).
fn fastest_script(problem: &GroupProblem) -> Real {
    let scripted = |i: u32| {
        let body = &problem.bodies[i as usize];
        (!body.is_movable() && body.velocity != Twist::ZERO).then_some(body)
    };
    let points = problem.contacts.iter().flat_map(|c| c.bodies.map(|i| (scripted(i), c.position)));
    let squares = points.filter_map(|(body, at)| body.map(|b| b.velocity.at(at - b.pose.position).length_squared()));
    squares.fold(0.0, Real::max)
}
