use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_math::{Quat, Vec3};
use bevy_transform::components::Transform;
use drystone::core::{BodyId, CollisionGroups, JointId, Material};
use drystone::geometry::Shape;
use drystone::{Joint, WorldError};

/// A body; with a [`Collider`] it is taken into the world. It has no parent: its [`Transform`] is its place in the world.
#[derive(Component, Debug, Clone, Copy, PartialEq, Eq, Default)]
#[require(Transform, Velocity)]
pub enum RigidBody {
    /// Moves by forces and impulses.
    #[default]
    Dynamic,
    /// Never moves.
    Fixed,
    /// Moves as [`Velocity`] says; others react to it, it reacts to nobody.
    Scripted,
}

/// The shape of a body, in the frame of its entity (m); scale has no part in it.
#[derive(Component, Debug, Clone)]
pub struct Collider(pub Shape);

/// How heavy a dynamic body is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BodyMass {
    /// Its shape, filled with this (kg/m^3).
    Density(f64),
    /// In all (kg).
    Total(f64),
}

/// All else about a body; where it is left out, what [`Default`] says.
#[derive(Component, Debug, Clone)]
pub struct BodyOptions {
    /// How heavy it is: by default of the density of water.
    pub mass: BodyMass,
    /// Friction, restitution and the like.
    pub surface: Material,
    /// Which bodies it meets, and how.
    pub collision: Collision,
    /// Part of gravity that acts on it.
    pub gravity_scale: f64,
    /// Damping of linear and angular velocity (1/s).
    pub damping: [f64; 2],
    /// Whether it may sleep.
    pub can_sleep: bool,
}

/// Which bodies a body meets, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Collision {
    /// The groups it is in and meets.
    pub groups: CollisionGroups,
    /// Tells what is within it, and holds nothing back.
    pub sensor: bool,
    /// Looks ahead along its way within each step, so that it goes through nothing thin.
    pub continuous: bool,
}

impl Default for BodyOptions {
    fn default() -> Self {
        Self {
            mass: BodyMass::Density(1000.0),
            surface: Material::default(),
            collision: Collision::default(),
            gravity_scale: 1.0,
            damping: [0.0; 2],
            can_sleep: true,
        }
    }
}

/// How a body moves, world axes.
#[derive(Component, Debug, Clone, Copy, PartialEq, Default)]
pub struct Velocity {
    /// Of the centre of mass (m/s).
    pub linear: Vec3,
    /// About it (rad/s).
    pub angular: Vec3,
}

/// A joint between two bodies, on an entity of its own.
///
/// Anchors and axes of `joint` are in world terms, at the poses that the bodies have when it is taken into the world; the bodies it was made
/// with do not count.
#[derive(Component, Debug, Clone, Copy)]
pub struct JointBetween {
    /// The bodies; `None` is the fixed world.
    pub bodies: [Option<Entity>; 2],
    /// Kind, anchors, axes, limits, motors …
    pub joint: Joint,
}

/// Marks an entity as a body of the world; removed, the body leaves it.
#[derive(Component, Debug, Clone, Copy)]
pub struct Simulated {
    pub(crate) body: BodyId,
    /// What physics wrote into [`Transform`] and [`Velocity`] last: all else was written by others.
    pub(crate) place: (Vec3, Quat),
    pub(crate) velocity: Velocity,
}

impl Simulated {
    /// Which body it is.
    pub fn body(&self) -> BodyId {
        self.body
    }
}

/// Marks an entity as a joint of the world; removed, the joint leaves it.
#[derive(Component, Debug, Clone, Copy)]
pub struct SimulatedJoint(pub(crate) JointId);

impl SimulatedJoint {
    /// Which joint it is.
    pub fn joint(&self) -> JointId {
        self.0
    }
}

/// Says why a body or joint was not taken into the world, or not changed; without it, it is tried again.
#[derive(Component, Debug, Clone, PartialEq)]
pub struct Refused(pub Refusal);

/// Why.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// The world says why.
    World(WorldError),
    /// A body whose entity has a parent.
    HasParent,
    /// One of a joint's entities is no body of the world.
    NoBody(Entity),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::World(error) => error.fmt(f),
            Self::HasParent => {
                f.write_str("a body is not the child of another entity: its transform is its place in the world")
            }
            Self::NoBody(entity) => {
                write!(f, "{entity} is no body of the world: it has no RigidBody and Collider, or was refused")
            }
        }
    }
}

impl std::error::Error for Refusal {}

impl From<WorldError> for Refusal {
    fn from(error: WorldError) -> Self {
        Self::World(error)
    }
}
