use crate::{GroupProblem, ResolveReport};
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

/// What a single impact does (D-08).
pub trait CollisionLaw: Send + Sync {
    /// The name in scene files.
    fn name(&self) -> &'static str;

    /// The impulse on B (N s, world frame); A gets the opposite. Zero where the bodies do not approach.
    fn impulse(&self, contact: &ImpactContact) -> Vec3;
}

/// Applies impulses to a group's approaching contacts.
///
/// # Contract
/// Looks at the contacts it is given and never asks for detection. Reads `solved` as the velocities before the impact
/// and writes it with those after. Contacts that do not approach are left alone.
pub trait CollisionSolver: Send {
    /// The name in scene files.
    fn name(&self) -> &'static str;

    /// Resolves the impacts of a group.
    fn resolve(&mut self, problem: &mut GroupProblem) -> ResolveReport;

    /// Another instance with the same settings, for another thread.
    fn fork(&self) -> Box<dyn CollisionSolver>;
}
