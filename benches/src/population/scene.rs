//! Plain data of a random scene: y up, SI units, no type of any engine.

use drystone::math::{Pose, Quat, Real, Vec3};

/// Gravity of every scene (m/s^2).
pub const GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);

/// A shape about the origin of its body's frame.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// A box by its half extents (m).
    Box(Vec3),
    /// A ball by its radius (m).
    Ball(Real),
    /// A capsule along y (m).
    Capsule {
        /// Radius of the cylinder and of both caps.
        radius: Real,
        /// Half the length without the caps.
        half_height: Real,
    },
    /// A cylinder along y (m).
    Cylinder {
        /// Radius.
        radius: Real,
        /// Half the length.
        half_height: Real,
    },
    /// The convex hull of points (m).
    Hull(Vec<Vec3>),
    /// Several convex forms as one, each with the pose of its frame.
    Compound(Vec<(Form, Pose)>),
    /// A closed triangle mesh, for bodies that never move.
    Mesh {
        /// Vertices (m).
        vertices: Vec<Vec3>,
        /// Triangles, counter-clockwise seen from outside.
        triangles: Vec<[u32; 3]>,
    },
    /// Ground by a square grid of heights, its middle at x = z = 0, for bodies that never move.
    HeightField {
        /// Heights per row (along x).
        columns: usize,
        /// Heights (m), row after row along z.
        heights: Vec<Real>,
        /// Distance of neighbouring heights (m).
        step: Real,
    },
}

/// A rigid body.
#[derive(Debug, Clone, PartialEq)]
pub struct RigidBody {
    /// Shape.
    pub form: Form,
    /// Initial pose of the body's frame.
    pub pose: Pose,
    /// Mass (kg) of a homogeneous solid; `None` if it never moves.
    pub mass: Option<Real>,
    /// Initial velocity of the centre of mass (m/s).
    pub velocity: Vec3,
    /// Initial angular velocity (rad/s), world frame.
    pub spin: Vec3,
}

/// The relative motion that a joint leaves free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointKind {
    /// Rotation about the anchor.
    Ball,
    /// Rotation about the axis through the anchor.
    Hinge,
    /// Translation along the axis.
    Slider,
}

/// Drives the free coordinate of a hinge or slider at a speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motor {
    /// Target speed of the second body relative to the first (rad/s or m/s).
    pub speed: Real,
    /// Largest torque or force (N m or N).
    pub max_force: Real,
}

/// A linear spring and damper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spring {
    /// Stiffness (N/m or N m/rad).
    pub stiffness: Real,
    /// Damping (N s/m or N m s/rad).
    pub damping: Real,
}

/// A joint. The bodies that it joins do not collide with each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Kind.
    pub kind: JointKind,
    /// The two bodies by their places in the list; `None` is the world.
    pub bodies: [Option<usize>; 2],
    /// Common point at the start (m), world frame.
    pub anchor: Vec3,
    /// Axis of a hinge or slider at the start, of unit length, world frame.
    pub axis: Vec3,
    /// Limits of the free coordinate of the second body relative to the first (rad or m), zero at the start.
    pub limits: Option<[Real; 2]>,
    /// Motor of the free coordinate.
    pub motor: Option<Motor>,
    /// Spring of the free coordinate, at rest at the start.
    pub spring: Option<Spring>,
}

impl Joint {
    /// A joint of a kind without limits, motor and spring.
    pub fn new(kind: JointKind, bodies: [Option<usize>; 2], anchor: Vec3, axis: Vec3) -> Self {
        Self { kind, bodies, anchor, axis, limits: None, motor: None, spring: None }
    }

    /// A ball joint.
    pub fn ball(bodies: [Option<usize>; 2], anchor: Vec3) -> Self {
        Self::new(JointKind::Ball, bodies, anchor, Vec3::X)
    }
}

/// A spring between two points, at rest at the start.
#[derive(Debug, Clone, PartialEq)]
pub struct PointSpring {
    /// The two bodies by their places in the list; `None` is the world.
    pub bodies: [Option<usize>; 2],
    /// Attachment points at the start (m), world frame.
    pub points: [Vec3; 2],
    /// Stiffness and damping along the line between the points.
    pub spring: Spring,
}

impl PointSpring {
    /// Length at which the spring exerts no force (m): the initial one.
    pub fn rest_length(&self) -> Real {
        (self.points[1] - self.points[0]).length()
    }
}

/// A scene of the population.
#[derive(Debug, Clone, PartialEq)]
pub struct PopulationScene {
    /// The seed that it was drawn from.
    pub seed: u64,
    /// Kinds of its groups, each named once.
    pub kinds: Vec<&'static str>,
    /// Coulomb coefficient of all surfaces.
    pub friction: Real,
    /// Coefficient of restitution of all surfaces.
    pub restitution: Real,
    /// Bodies.
    pub bodies: Vec<RigidBody>,
    /// Joints.
    pub joints: Vec<Joint>,
    /// Springs between points.
    pub springs: Vec<PointSpring>,
}

impl PopulationScene {
    /// The moving bodies with their places in the list.
    pub fn moving(&self) -> impl Iterator<Item = (usize, &RigidBody)> {
        self.bodies.iter().enumerate().filter(|(_, body)| body.mass.is_some())
    }

    /// True if nothing but gravity does work: no joint has a motor.
    pub fn is_passive(&self) -> bool {
        self.joints.iter().all(|joint| joint.motor.is_none())
    }

    /// Its name in tables and files.
    pub fn name(&self) -> String {
        format!("population-{}", self.seed)
    }

    /// A world point in the frame that a body has at the start; the world frame for `None`.
    pub fn local_point(&self, body: Option<usize>, point: Vec3) -> Vec3 {
        let local = |i: usize| {
            let pose = self.bodies[i].pose;
            pose.orientation.inverse() * (point - pose.position)
        };
        body.map_or(point, local)
    }

    /// A world direction in the frame that a body has at the start; the world frame for `None`.
    pub fn local_direction(&self, body: Option<usize>, direction: Vec3) -> Vec3 {
        let turn: Quat = body.map_or(Quat::IDENTITY, |i| self.bodies[i].pose.orientation);
        turn.inverse() * direction
    }
}
