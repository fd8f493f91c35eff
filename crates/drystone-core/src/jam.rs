//! A bound on what scripted bodies ask for.

use crate::{GroupAnswer, GroupProblem};
use drystone_math::{Real, Twist};

/// The speed that a scripted body may give, in units of its own: twice is an elastic blow by something heavy.
const MOST_SPEED: Real = 2.0;
/// Rounding of an energy.
const EQUAL: Real = 1e-9;

/// Bounds the velocities that scripted bodies give to others through contacts, in a step of `h` seconds. Returns the number of bodies that were slowed.
///
/// A scripted body yields to nothing. Where others are jammed between it and a wall, at an angle a from a straight line, the exact velocities are of order
/// 1 / a or 1 / a^2. In the frame of a body of speed v its blow gives no energy to a body of speed u, which therefore leaves at e u + (1 + e) v at most, with
/// the coefficient of restitution e; the square of that is at most u^2 + (2 v)^2 + 2 e u (2 v). A body that leaves faster was jammed, where u is the speed at
/// which it would have all the energy of its group, e the group's largest coefficient, and v the largest speed of a script. If no joint acts on it, it leaves
/// at the speed that it had, or at 2 v if this is more; the impulses of its contacts are scaled alike. What is left of the demand shows as overlap.
pub fn bound_jammed(problem: &GroupProblem, h: Real, answer: &mut GroupAnswer) -> u64 {
    let bodies = &problem.bodies;
    let scripted = |i: u32| !bodies[i as usize].is_movable() && bodies[i as usize].velocity != Twist::ZERO;
    let points = problem.contacts.iter().flat_map(|c| c.bodies.map(|i| (i, c.position)));
    let speeds = points.filter(|(i, _)| scripted(*i)).map(|(i, position)| {
        let b = &bodies[i as usize];
        b.velocity.at(position - b.pose.position).length_squared()
    });
    let square = MOST_SPEED * MOST_SPEED * speeds.fold(0.0, Real::max);
    if square == 0.0 {
        return 0;
    }
    let before = |i: usize| bodies[i].square(bodies[i].velocity + bodies[i].external);
    let all: Real = (0..bodies.len()).map(before).sum();
    let restitution = problem.contacts.iter().fold(0.0, |most: Real, c| most.max(c.restitution)).min(1.0);
    let mut slowed = 0;
    for (i, body) in bodies.iter().enumerate().filter(|(_, b)| b.inverse_mass > 0.0) {
        let has = body.square(answer.velocity[i]);
        let given = square / body.inverse_mass;
        let is_held = || problem.rows.iter().any(|r| r.bodies.contains(&(i as u32)));
        let most = all + given + 2.0 * restitution * (all * given).sqrt();
        if has > most * (1.0 + EQUAL) && !is_held() {
            let scale = (given.max(before(i)) / has).sqrt();
            answer.velocity[i] = answer.velocity[i] * scale;
            if let Some(acceleration) = answer.acceleration.get_mut(i).filter(|_| h > 0.0) {
                *acceleration = (answer.velocity[i] - body.velocity) * (1.0 / h);
            }
            let own = problem.contacts.iter().zip(&mut answer.contacts).filter(|(c, _)| c.bodies.contains(&(i as u32)));
            own.for_each(|(_, x)| *x = *x * scale);
            slowed += 1;
        }
    }
    slowed
}
