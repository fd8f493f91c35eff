//! A part of a scene that a kind makes: bodies near the origin, over the ground at y = 0.

use super::scene::{Form, Joint, PointSpring, RigidBody};
use drystone::math::{Pose, Quat, Real, Vec3};

/// Bodies, joints and springs of one kind. Indices count within the group.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Group {
    /// Bodies.
    pub(super) bodies: Vec<RigidBody>,
    /// Joints.
    pub(super) joints: Vec<Joint>,
    /// Springs.
    pub(super) springs: Vec<PointSpring>,
}

impl Group {
    /// Adds a moving body and returns its place.
    pub(super) fn add(&mut self, form: Form, density: Real, position: Vec3, orientation: Quat) -> usize {
        let mass = Some(density * form.volume());
        let pose = Pose::new(position, orientation);
        self.bodies.push(RigidBody { form, pose, mass, velocity: Vec3::ZERO, spin: Vec3::ZERO });
        self.bodies.len() - 1
    }

    /// Adds an upright box of density 1000 kg/m^3 by its half extents.
    pub(super) fn add_box(&mut self, half: Vec3, position: Vec3) -> usize {
        self.add(Form::Box(half), 1000.0, position, Quat::IDENTITY)
    }

    /// Adds a body that never moves.
    pub(super) fn fix(&mut self, form: Form, position: Vec3) -> usize {
        let pose = Pose::new(position, Quat::IDENTITY);
        self.bodies.push(RigidBody { form, pose, mass: None, velocity: Vec3::ZERO, spin: Vec3::ZERO });
        self.bodies.len() - 1
    }

    /// Adds a ball joint.
    pub(super) fn link(&mut self, body: usize, to: Option<usize>, anchor: Vec3) {
        self.joints.push(Joint::ball([to, Some(body)], anchor));
    }

    /// Takes in the bodies, joints and springs of another group.
    pub(super) fn append(&mut self, mut other: Self) {
        let first = self.bodies.len();
        let ends = other.joints.iter_mut().map(|joint| &mut joint.bodies);
        let ends = ends.chain(other.springs.iter_mut().map(|spring| &mut spring.bodies));
        ends.flatten().flatten().for_each(|body| *body += first);
        self.bodies.append(&mut other.bodies);
        self.joints.append(&mut other.joints);
        self.springs.append(&mut other.springs);
    }

    /// Least and largest coordinates of the spheres around its bodies (m).
    pub(super) fn bounds(&self) -> (Vec3, Vec3) {
        let none = (Vec3::splat(Real::INFINITY), Vec3::splat(Real::NEG_INFINITY));
        self.bodies.iter().fold(none, |(low, high), body| {
            let (center, reach) = (body.pose.position, Vec3::splat(body.form.reach()));
            (low.min(center - reach), high.max(center + reach))
        })
    }

    /// Moves all of it.
    pub(super) fn shift(&mut self, by: Vec3) {
        self.bodies.iter_mut().for_each(|body| body.pose.position += by);
        self.joints.iter_mut().for_each(|joint| joint.anchor += by);
        self.springs.iter_mut().flat_map(|spring| &mut spring.points).for_each(|point| *point += by);
    }

    /// Gives all moving bodies the velocities of one rigid motion about `center`.
    pub(super) fn throw(&mut self, center: Vec3, velocity: Vec3, spin: Vec3) {
        for body in self.bodies.iter_mut().filter(|body| body.mass.is_some()) {
            body.velocity = velocity + spin.cross(body.pose.position - center);
            body.spin = spin;
        }
    }
}

impl Form {
    /// Volume (m^3); of a hull that of the ellipsoid in its box, of what never moves zero.
    pub(super) fn volume(&self) -> Real {
        use core::f64::consts::PI;
        match self {
            Self::Box(half) => 8.0 * half.x * half.y * half.z,
            Self::Ball(radius) => 4.0 / 3.0 * PI * radius * radius * radius,
            Self::Capsule { radius, half_height } => PI * radius * radius * (2.0 * half_height + 4.0 / 3.0 * radius),
            Self::Cylinder { radius, half_height } => 2.0 * PI * radius * radius * half_height,
            Self::Hull(points) => {
                let low = points.iter().fold(Vec3::splat(Real::INFINITY), |low, p| low.min(*p));
                let high = points.iter().fold(Vec3::splat(Real::NEG_INFINITY), |high, p| high.max(*p));
                let edges = high - low;
                PI / 6.0 * edges.x * edges.y * edges.z
            }
            Self::Compound(parts) => parts.iter().map(|(form, _)| form.volume()).sum(),
            Self::Mesh { .. } | Self::HeightField { .. } => 0.0,
        }
    }

    /// Radius of a sphere about the origin that holds it (m).
    pub(super) fn reach(&self) -> Real {
        let farthest = |points: &[Vec3]| points.iter().map(|p| p.length()).fold(0.0, Real::max);
        match self {
            Self::Box(half) => half.length(),
            Self::Ball(radius) => *radius,
            Self::Capsule { radius, half_height } => radius + half_height,
            Self::Cylinder { radius, half_height } => Vec3::new(*radius, *half_height, 0.0).length(),
            Self::Hull(points) => farthest(points),
            Self::Mesh { vertices, .. } => farthest(vertices),
            Self::Compound(parts) => {
                parts.iter().map(|(form, pose)| pose.position.length() + form.reach()).fold(0.0, Real::max)
            }
            Self::HeightField { columns, heights, step } => {
                let (x, z) = (0.5 * (columns - 1) as Real * step, 0.5 * (heights.len() / columns - 1) as Real * step);
                Vec3::new(x, heights.iter().fold(0.0, |high: Real, h| high.max(h.abs())), z).length()
            }
        }
    }
}
