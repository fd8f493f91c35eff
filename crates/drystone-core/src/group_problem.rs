use crate::{BodyFrame, BodyIndex, ConstraintRow, ConstraintSource, ContactImpulse, GroupRow, NormalOwner, make_room};
use core::ops::Range;
use drystone_math::{Pose, Real, SymmetricMat3, Twist, Vec3};
use std::sync::Arc;

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
    /// Velocity change by external forces over the step, including the gyroscopic torque if the motion solver counts it among them. For a scripted body, the
    /// change by its acceleration, if forces at an instant are asked for or the solver moves bodies in parts of the step.
    pub external: Twist,
}

impl GroupBody {
    /// Returns true if impulses change the body's velocity.
    pub fn is_movable(&self) -> bool {
        self.inverse_mass > 0.0 || self.inverse_inertia != SymmetricMat3::ZERO
    }

    /// `v^T M v` of a velocity change `v` (J), twice its kinetic energy; zero for an immovable body.
    pub fn square(&self, change: Twist) -> Real {
        let linear = if self.inverse_mass > 0.0 { change.linear.length_squared() / self.inverse_mass } else { 0.0 };
        linear + self.inverse_inertia.pseudo_inverse().quadratic(change.angular)
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
    /// Whose normal it is: the body that it turns with at other poses.
    pub owner: NormalOwner,
    /// Signed distance along the normal (m).
    pub separation: Real,
    /// Coulomb coefficient; along the grain if the surfaces have one.
    pub friction: Real,
    /// Coefficient of restitution.
    pub restitution: Real,
    /// Impulse of the last solve: the start value.
    pub impulse: ContactImpulse,
    /// The edge it comes from.
    pub edge: u32,
    /// Its place in the edge's manifold.
    pub point: u32,
    /// Friction of its surfaces beyond isotropic Coulomb friction: an index into [`GroupProblem::surfaces`], or
    /// [`GroupContact::PLAIN`].
    pub surface: u32,
}

impl GroupContact {
    /// No more than isotropic Coulomb friction.
    pub const PLAIN: u32 = u32::MAX;
}

/// Friction with more than one coefficient, for the contacts of one point.
// E-25
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
}

/// A contact in the axes of its bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnchoredContact {
    /// The points of A's and of B's surface, in body axes from the centres of mass (m).
    pub anchors: [Vec3; 2],
    /// The unit normal in A's and in B's axes.
    pub normals: [Vec3; 2],
    /// Whose it is.
    pub owner: NormalOwner,
}

/// A contact at some poses of its bodies, world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactGeometry {
    /// Unit normal from A to B.
    pub normal: Vec3,
    /// The points of A's and of B's surface (m).
    pub points: [Vec3; 2],
    /// Signed distance along the normal (m).
    pub gap: Real,
}

impl AnchoredContact {
    /// The contact with its bodies at other poses.
    pub fn at(&self, a: &Pose, b: &Pose) -> ContactGeometry {
        let normal = self.owner.turned(a.direction(self.normals[0]), b.direction(self.normals[1]));
        let points = [a.point(self.anchors[0]), b.point(self.anchors[1])];
        ContactGeometry { normal, points, gap: normal.dot(points[1] - points[0]) }
    }
}

/// A group's own copy of a joint: gives its rows at poses other than the bodies' own.
#[derive(Clone)]
pub struct GroupJoint {
    /// Local indices of the bodies.
    pub bodies: [u32; 2],
    /// The joint.
    pub joint: u32,
    /// Joint that makes the rows.
    pub source: Arc<dyn ConstraintSource>,
    /// Its own rows, places in [`GroupProblem::rows`].
    pub rows: Range<u32>,
    /// Range of its memory in [`GroupProblem::joint_memory`].
    pub memory: Range<u32>,
}

impl core::fmt::Debug for GroupJoint {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let kind = self.source.kind();
        f.debug_struct("GroupJoint").field("kind", &kind).field("joint", &self.joint).finish_non_exhaustive()
    }
}

impl PartialEq for GroupJoint {
    fn eq(&self, other: &Self) -> bool {
        let key = |j: &Self| (j.bodies, j.joint, j.rows.clone(), j.memory.clone());
        key(self) == key(other) && Arc::ptr_eq(&self.source, &other.source)
    }
}

/// All that a constraint or collision solver sees: one contact group, copied out of the world, read-only. What a solver finds goes
/// into a [`crate::GroupAnswer`].
///
/// Contacts are in the order of (edge, point), rows in the order of (joint, place).
#[derive(Debug, Default, PartialEq)]
pub struct GroupProblem {
    /// The group's bodies, and those fixed or scripted ones that it touches. One of these that turns, or whose surface runs, occurs once for each body that it
    /// touches, with that body's centre as its origin: its velocity is that of the motion which carries the other along over the step.
    pub bodies: Vec<GroupBody>,
    /// The contact points.
    pub contacts: Vec<GroupContact>,
    /// Friction of those contacts that have more than one coefficient.
    pub surfaces: Vec<ContactSurface>,
    /// By contact if accelerations are asked for, else empty: the part of the rate of the relative velocity there that comes from steady motion alone,
    /// including the turn of the normal (m/s^2). Along the normal it is the second derivative of the gap, for corners, edges and faces of polyhedra, balls and
    /// the sides of capsules, cylinders and (on planes) cones. Rims count as corners, meshes and compounds as faces or, if the normal is the other body's, as
    /// corners.
    pub contact_curvature: Vec<Vec3>,
    /// By contact, or empty if none is known: its stiffness in the last solve, along and across the normal (N/m).
    pub contact_stiffness: Vec<[Real; 2]>,
    /// By contact: the radius of curvature of A's and of B's surface at the contact (m). Zero at corners and edges, the radius of a ball or of a side that is round in one direction,
    /// and infinite if the surface is flat or its radius is unknown. Empty unless the solver follows contacts ([`crate::ConstraintSolver::follows_contacts`]).
    pub contact_radii: Vec<[Real; 2]>,
    /// By contact, or empty if none has its own: the number of sides of its friction pyramid; 0 for the solver's own number.
    pub contact_facets: Vec<u32>,
    /// By contact, or empty: its normal velocity at the end of the step if nothing bounces (m/s), negative if the bodies approach. If empty, it is that of
    /// [`GroupBody::external`], which holds if no joint takes up part of the external forces.
    pub contact_rates: Vec<Real>,
    /// By row, or empty: the stiffness in the last solve, for rows (N/m or N m/rad).
    pub row_stiffness: Vec<Real>,
    /// By row if this is a further solve of a step, else empty: its multiplier before the first one (N s or N m s).
    pub row_beginnings: Vec<Real>,
    /// Rows of joints, limits and motors.
    pub rows: Vec<GroupRow>,
    /// The joints that give them; empty if the rows were made otherwise.
    pub joints: Vec<GroupJoint>,
    /// Memory of the joints.
    pub joint_memory: Vec<Real>,
    /// Magnitude of gravity (m/s^2): the scale by which a resting contact is told from a colliding one.
    pub gravity: Real,
    /// Unit vector against gravity; zero if there is none.
    pub up: Vec3,
    /// Multiplications that direct methods have already taken for a group of this frame ([`crate::SolveReport::work`]): the limit for a solve is a limit for
    /// all solves of a frame together.
    pub spent: Real,
    /// The fraction of the remaining work, from 0 to 1, that belongs to the groups solved beside this one: the limit for a solve is a limit for the sum over
    /// groups.
    pub others: Real,
}

impl GroupProblem {
    /// Empties the lists and keeps their memory.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.contacts.clear();
        self.surfaces.clear();
        self.contact_curvature.clear();
        self.contact_stiffness.clear();
        self.contact_facets.clear();
        self.contact_radii.clear();
        self.contact_rates.clear();
        self.row_stiffness.clear();
        self.row_beginnings.clear();
        self.rows.clear();
        self.joints.clear();
        self.joint_memory.clear();
    }

    /// Empties the lists, with memory for the contents of `source`: copying it then allocates nothing.
    pub fn make_room_for(&mut self, source: &Self) {
        // every field is named, so that none is forgotten
        let Self { bodies, contacts, surfaces, rows, joints, .. } = self;
        let Self {
            contact_curvature,
            contact_stiffness,
            contact_facets,
            contact_radii,
            contact_rates,
            row_stiffness,
            row_beginnings,
            joint_memory,
            gravity: _,
            spent: _,
            others: _,
            up: _,
            ..
        } = self;
        make_room(bodies, source.bodies.len());
        make_room(contacts, source.contacts.len());
        make_room(surfaces, source.surfaces.len());
        make_room(contact_curvature, source.contact_curvature.len());
        make_room(contact_stiffness, source.contact_stiffness.len());
        make_room(contact_facets, source.contact_facets.len());
        make_room(contact_radii, source.contact_radii.len());
        make_room(contact_rates, source.contact_rates.len());
        make_room(row_stiffness, source.row_stiffness.len());
        make_room(row_beginnings, source.row_beginnings.len());
        make_room(rows, source.rows.len());
        make_room(joints, source.joints.len());
        make_room(joint_memory, source.joint_memory.len());
    }

    /// Copies all lists except the joints that gave the rows, and what they remember: code that solves the rows as they are has no use for those.
    pub fn copy_without_joints(&mut self, source: &Self) {
        // every field is named, so that none is forgotten
        let Self { bodies, contacts, surfaces, rows, joints: _, joint_memory: _, .. } = source;
        let Self {
            contact_curvature,
            contact_stiffness,
            contact_facets,
            contact_radii,
            contact_rates,
            row_stiffness,
            row_beginnings,
            gravity,
            up,
            spent,
            others,
            ..
        } = source;
        self.bodies.clone_from(bodies);
        self.contacts.clone_from(contacts);
        self.surfaces.clone_from(surfaces);
        self.contact_curvature.clone_from(contact_curvature);
        self.contact_stiffness.clone_from(contact_stiffness);
        self.contact_facets.clone_from(contact_facets);
        self.contact_radii.clone_from(contact_radii);
        self.contact_rates.clone_from(contact_rates);
        self.row_stiffness.clone_from(row_stiffness);
        self.row_beginnings.clone_from(row_beginnings);
        copy_each(&mut self.rows, rows);
        self.joints.clear();
        self.joint_memory.clear();
        self.gravity = *gravity;
        self.up = *up;
        self.spent = *spent;
        self.others = *others;
    }

    /// A contact in the axes of its bodies, for evaluating it at many poses.
    pub fn anchored(&self, contact: &GroupContact) -> AnchoredContact {
        let half = contact.normal * (0.5 * contact.separation);
        let poses = contact.bodies.map(|i| &self.bodies[i as usize].pose);
        AnchoredContact {
            anchors: [poses[0].local_point(contact.position - half), poses[1].local_point(contact.position + half)],
            normals: poses.map(|p| p.local_direction(contact.normal)),
            owner: contact.owner,
        }
    }

    /// Appends the gaps (m) that all contacts would have with the bodies at these poses, from their anchors alone: no shape is looked at. Right to first order
    /// in the relative motion.
    pub fn gaps_at(&self, poses: &[Pose], gaps: &mut Vec<Real>) {
        gaps.extend(self.contacts.iter().map(|c| {
            let [a, b] = c.bodies.map(|i| &poses[i as usize]);
            self.anchored(c).at(a, b).gap
        }));
    }

    /// Appends the rows that a joint would have with its bodies in these frames (A, B).
    pub fn rows_at(&self, joint: &GroupJoint, frames: [&BodyFrame; 2], rows: &mut Vec<ConstraintRow>) {
        let memory = &self.joint_memory[joint.memory.start as usize..joint.memory.end as usize];
        joint.source.rows(frames, memory, rows);
    }
}

/// Copies rows one by one. A single copy of all their bytes, for which libraries use instructions of their own if it is long, was slower (the book, chapter
/// *What was tried*).
fn copy_each(to: &mut Vec<GroupRow>, from: &[GroupRow]) {
    to.truncate(from.len());
    let (first, others) = from.split_at(to.len());
    to.iter_mut().zip(first).for_each(|(to, from)| *to = *from);
    to.extend_from_slice(others);
}

impl Clone for GroupProblem {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Copies the lists into the existing ones: no allocation if they are long enough.
    fn clone_from(&mut self, source: &Self) {
        self.copy_without_joints(source);
        self.joints.clone_from(&source.joints);
        self.joint_memory.clone_from(&source.joint_memory);
    }
}
