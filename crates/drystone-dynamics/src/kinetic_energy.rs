//! The kinetic energy of a group.

use drystone_core::{GroupBody, GroupProblem};
use drystone_math::{Real, SymmetricMat3, Twist};

/// The inertia of a body, in world axes, about the axes that it can turn about; zero about others.
pub(crate) fn inertia_of(body: &GroupBody) -> SymmetricMat3 {
    body.inverse_inertia.pseudo_inverse()
}

/// The kinetic energy (J) of a group at the given velocities.
pub(crate) fn kinetic_energy(problem: &GroupProblem, velocity: impl Fn(usize, &GroupBody) -> Twist) -> Real {
    let of = |(i, b): (usize, &GroupBody)| twice_energy(b, &inertia_of(b), velocity(i, b));
    0.5 * problem.bodies.iter().enumerate().map(of).sum::<Real>()
}

/// The same for bodies whose inertia in world axes is known.
pub(crate) fn energy_by_inertia(
    problem: &GroupProblem,
    inertia: &[SymmetricMat3],
    velocity: impl Fn(usize, &GroupBody) -> Twist,
) -> Real {
    let of = |(i, (b, inertia)): (usize, (&GroupBody, &SymmetricMat3))| twice_energy(b, inertia, velocity(i, b));
    0.5 * problem.bodies.iter().zip(inertia).enumerate().map(of).sum::<Real>()
}

/// The kinetic energy (J) at the beginning of a step: without external forces, or with their effect in the step if that gives more.
pub(crate) fn energy_at_start(problem: &GroupProblem) -> Real {
    kinetic_energy(problem, |_, b| b.velocity).max(kinetic_energy(problem, |_, b| b.velocity + b.external))
}

fn twice_energy(body: &GroupBody, inertia: &SymmetricMat3, u: Twist) -> Real {
    let linear = if body.inverse_mass > 0.0 { u.linear.length_squared() / body.inverse_mass } else { 0.0 };
    linear + inertia.quadratic(u.angular)
}
