use crate::{BodyIndex, ConstraintRow, ContactImpulse, Turn};
use drystone_math::{Pose, Real, SymmetricMat3, Twist, Vec3};

/// A group's own copy of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupBody {
    /// Which body it is.
    pub index: BodyIndex,
    /// 1 / mass (1/kg); zero for a body that must not move in this solve.
    pub inverse_mass: Real,
    /// Inverse inertia about the centre of mass, world axes (1/(kg m^2)); zero likewise.
    pub inverse_inertia: SymmetricMat3,
    /// Pose of the centre of mass and axes.
    pub pose: Pose,
    /// Velocity before the solve.
    pub velocity: Twist,
    /// Velocity change by external forces and gyroscopic torque over the step.
    pub external: Twist,
    /// Out: velocity after the solve. The gather sets it to `velocity + external`.
    pub solved: Twist,
    /// Out: displacement by position correction (m, rad). The gather sets it to zero.
    pub shift: Twist,
    /// Out: where it turns within the step. The gather sets it to none.
    pub turn: Turn,
}

impl GroupBody {
    /// Whether impulses change its velocity.
    pub fn is_movable(&self) -> bool {
        self.inverse_mass > 0.0 || self.inverse_inertia != SymmetricMat3::ZERO
    }
}

/// A group's own copy of a contact point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupContact {
    /// Local indices of the bodies, A first.
    pub bodies: [u32; 2],
    /// Midpoint between the surfaces, world frame (m).
    pub position: Vec3,
    /// Unit normal from A to B, world frame.
    pub normal: Vec3,
    /// Signed distance along the normal (m).
    pub separation: Real,
    /// Coulomb coefficient; along the grain where the surfaces have one.
    pub friction: Real,
    /// Coefficient of restitution.
    pub restitution: Real,
    /// In: what the last solve found. Out: what this one does.
    pub impulse: ContactImpulse,
    /// The edge it comes from.
    pub edge: u32,
    /// Its place in the edge's manifold.
    pub point: u32,
    /// What its surfaces do beyond isotropic Coulomb friction: a place in [`GroupProblem::surfaces`], or
    /// [`GroupContact::PLAIN`].
    pub surface: u32,
}

impl GroupContact {
    /// No more than isotropic Coulomb friction.
    pub const PLAIN: u32 = u32::MAX;
}

/// Friction beyond one coefficient, of the contacts of one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactSurface {
    /// Unit tangent along the grain, world frame; the second tangent is `normal x tangent`.
    pub tangent: Vec3,
    /// Coulomb coefficient across the grain.
    pub across: Real,
    /// Lever arm of rolling friction (m): the torque about either tangent is at most this times the normal force.
    pub rolling: Real,
    /// Lever arm of spinning friction (m): the same about the normal.
    pub spinning: Real,
    /// Out: angular multipliers (N m s) about the normal, the tangent and the second tangent.
    pub torque: [Real; 3],
}

/// A group's own copy of one row of a joint, limit or motor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupRow {
    /// Local indices of the bodies.
    pub bodies: [u32; 2],
    /// The row.
    pub row: ConstraintRow,
    /// In: multiplier of the last solve. Out: of this one (N s or N m s).
    pub impulse: Real,
    /// The joint it comes from.
    pub joint: u32,
    /// Its place among the joint's rows.
    pub place: u32,
}

/// All that a constraint or collision solver sees: one contact group, copied out of the world.
///
/// Contacts are in the order of (edge, point), rows in the order of (joint, place). A solver writes
/// [`GroupBody::solved`], [`GroupBody::turn`], [`GroupBody::shift`] and the impulses, nothing else.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GroupProblem {
    /// The group's bodies, and those fixed or scripted ones that it touches.
    pub bodies: Vec<GroupBody>,
    /// The contact points.
    pub contacts: Vec<GroupContact>,
    /// Friction of those contacts that have more than one coefficient.
    pub surfaces: Vec<ContactSurface>,
    /// Rows of joints, limits and motors.
    pub rows: Vec<GroupRow>,
    /// Magnitude of gravity (m/s^2): the scale by which a resting contact is told from a colliding one.
    pub gravity: Real,
    /// Unit vector against gravity; zero where there is none.
    pub up: Vec3,
}

impl GroupProblem {
    /// Empties the lists and keeps their memory.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.contacts.clear();
        self.surfaces.clear();
        self.rows.clear();
    }
}
