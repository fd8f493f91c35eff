use crate::{GroupAnswer, GroupProblem, ResolveReport};
use drystone_math::{Mat3, Real, Vec3};

/// One impact seen by a collision law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpactContact {
    /// Collision matrix K (D-10): velocity change of B against A at the contact per unit impulse (1/kg).
    pub collision_matrix: Mat3,
    /// Velocity of B against A at the contact, world frame (m/s).
    pub relative_velocity: Vec3,
    /// Unit normal from A to B.
    pub normal: Vec3,
    /// Coulomb coefficient.
    pub friction: Real,
    /// Coefficient of restitution.
    pub restitution: Real,
}

/// Law of a single impact.
///
/// A law is *algebraic* if the state after the impact follows from the state before it (Newton, Poisson in closed form, Chatterjee and Ruina), *incremental* if
/// it integrates a model of the impact's course over the impulse (Routh and Mirtich), and one of *deformation* if it follows the bodies' surfaces in time
/// (Stronge, with springs at the contact). No law treats waves within the bodies: they need initial conditions that a rigid body does not have, and take far
/// longer than a step.
///
/// # Source
/// D-08; Erleben 2005, section 2.2.4.
pub trait CollisionLaw: Send + Sync {
    /// The name in scene files.
    fn name(&self) -> &'static str;

    /// The impulse on B (N s, world frame); A gets the opposite. Zero if the bodies do not approach.
    fn impulse(&self, contact: &ImpactContact) -> Vec3;
}

/// Tasks that a solver does itself, so that no other module has to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resolves {
    /// True if it applies restitution. If a collision solver does, contacts and limits have no restitution in the
    /// constraint solver.
    pub restitution: bool,
    /// True if it removes penetration and joint error. If a constraint solver does, no corrector runs after it.
    pub positions: bool,
    /// True if a constraint solver that displaces bodies takes them from their velocities at one instant to those at
    /// the next: spins are then those at the end of the displacement, and the motion solver leaves them alone. Bodies
    /// of groups with joints only; others are not displaced.
    pub instants: bool,
}

/// Applies impulses to a group's impacts.
///
/// # Contract
/// Looks at the contacts it is given and never asks for detection. What an impact is, is defined by [`crate::Closing::impact`]: a contact that touches, or one
/// that bounces and arrives within the horizon. The answer's velocities are at first those before the impact and in the end those after it, external forces
/// left out; for bodies that meet within the step, its `turn` brings them to the surface first. Contacts without an impact are left alone; `contacts` holds the
/// impulses of the others.
pub trait CollisionSolver: Send {
    /// The name in scene files.
    fn name(&self) -> &'static str;

    /// Tasks that it does itself; restitution by default.
    fn resolves(&self) -> Resolves {
        Resolves { restitution: true, positions: false, instants: false }
    }

    /// Resolves the impacts of a group. `horizon` (s, above zero) is the time until the next solve; [`crate::GroupBody::external`] is the velocity change by
    /// external forces over it. `answer` has been started ([`GroupAnswer::start_impacts`]): it holds the velocities before.
    fn resolve(&mut self, problem: &GroupProblem, horizon: Real, answer: &mut GroupAnswer) -> ResolveReport;

    /// Another instance with the same settings, for another thread.
    fn fork(&self) -> Box<dyn CollisionSolver>;
}
