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

/// What a single impact does.
///
/// A law is *algebraic* where what is after the impact follows from what was before it (Newton, Poisson in closed form, Chatterjee and Ruina), *incremental* where it integrates a model
/// of the impact's course over the impulse (Routh and Mirtich), and one of *deformation* where it follows what the bodies' surfaces do in time (Stronge, with springs at the contact). Waves
/// within the bodies are nobody's: they ask for initial conditions that a rigid body does not have, and take far longer than a step.
///
/// # Source
/// D-08; Erleben 2005, section 2.2.4.
pub trait CollisionLaw: Send + Sync {
    /// The name in scene files.
    fn name(&self) -> &'static str;

    /// The impulse on B (N s, world frame); A gets the opposite. Zero where the bodies do not approach.
    fn impulse(&self, contact: &ImpactContact) -> Vec3;
}

/// What a solver leaves for nobody else to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resolves {
    /// Whether it makes bodies bounce. Where a collision solver does, contacts and limits have no restitution in the constraint solver.
    pub restitution: bool,
    /// Whether it takes out penetration and joint error. Where a constraint solver does, nothing is corrected afterwards.
    pub positions: bool,
}

/// Applies impulses to a group's impacts.
///
/// # Contract
/// Looks at the contacts it is given and never asks for detection. What an impact is [`crate::Closing::impact`] says: it touches, or it bounces and
/// arrives within the horizon. The answer's velocities are those before the impact and then those after it, external forces left
/// out; where bodies meet within the step, its `turn` brings them to the surface first. Contacts without an impact are left alone; `contacts`
/// says what the others passed on.
pub trait CollisionSolver: Send {
    /// The name in scene files.
    fn name(&self) -> &'static str;

    /// What it resolves: everything that bounces, unless it says otherwise.
    fn resolves(&self) -> Resolves {
        Resolves { restitution: true, positions: false }
    }

    /// Resolves the impacts of a group. `horizon` (s, above zero) is the time until the next solve; [`crate::GroupBody::external`] is
    /// the velocity change by external forces over it. `answer` was started ([`GroupAnswer::start_impacts`]): it holds the velocities before.
    fn resolve(&mut self, problem: &GroupProblem, horizon: Real, answer: &mut GroupAnswer) -> ResolveReport;

    /// Another instance with the same settings, for another thread.
    fn fork(&self) -> Box<dyn CollisionSolver>;
}
