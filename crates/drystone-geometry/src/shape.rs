use crate::mesh::MeshShape;
use crate::{
    Aabb, Capsule, Compound, Cone, ConvexPolyhedron, Cuboid, Cylinder, MassProperties, Plane, ShapeError, Sphere,
};
use drystone_math::elementary::hypot;
use drystone_math::{Pose, Real, Vec3};
use std::sync::Arc;

/// A solid in its own frame.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// A ball.
    Sphere(Sphere),
    /// A box.
    Box(Cuboid),
    /// A capsule along y.
    Capsule(Capsule),
    /// A half space.
    Plane(Plane),
    /// A cylinder along y.
    Cylinder(Cylinder),
    /// A cone along y.
    Cone(Cone),
    /// A convex polyhedron.
    Convex(Arc<ConvexPolyhedron>),
    /// A triangle mesh.
    Mesh(Arc<MeshShape>),
    /// Several shapes as one.
    Compound(Arc<Compound>),
}

impl Shape {
    /// A ball of the given radius (m).
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`].
    pub fn sphere(radius: Real) -> Result<Self, ShapeError> {
        Sphere::new(radius).map(Self::Sphere)
    }

    /// A box of the given half edge lengths (m).
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`].
    pub fn cuboid(hx: Real, hy: Real, hz: Real) -> Result<Self, ShapeError> {
        Cuboid::new(Vec3::new(hx, hy, hz)).map(Self::Box)
    }

    /// A capsule along y, of the given radius and half length of its core (m).
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`].
    pub fn capsule(radius: Real, half_height: Real) -> Result<Self, ShapeError> {
        Capsule::new(radius, half_height).map(Self::Capsule)
    }

    /// The half space `normal . x <= offset` (m).
    ///
    /// # Errors
    /// [`ShapeError::ZeroDirection`], [`ShapeError::NotFinite`].
    pub fn plane(normal: Vec3, offset: Real) -> Result<Self, ShapeError> {
        Plane::new(normal, offset).map(Self::Plane)
    }

    /// A cylinder along y (m).
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`].
    pub fn cylinder(radius: Real, half_height: Real) -> Result<Self, ShapeError> {
        Cylinder::new(radius, half_height).map(Self::Cylinder)
    }

    /// A cone along y, its tip at `+half_height` (m).
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`].
    pub fn cone(radius: Real, half_height: Real) -> Result<Self, ShapeError> {
        Cone::new(radius, half_height).map(Self::Cone)
    }

    /// The convex hull of points (m).
    ///
    /// # Errors
    /// [`ShapeError::Flat`], [`ShapeError::NotFinite`].
    pub fn convex(points: &[Vec3]) -> Result<Self, ShapeError> {
        Ok(Self::Convex(Arc::new(ConvexPolyhedron::hull(points)?)))
    }

    /// A triangle mesh.
    pub fn mesh(mesh: MeshShape) -> Self {
        Self::Mesh(Arc::new(mesh))
    }

    /// Several bounded shapes as one, each with its frame.
    ///
    /// # Errors
    /// [`ShapeError::NoParts`], [`ShapeError::Part`].
    pub fn compound(parts: Vec<(Self, Pose)>) -> Result<Self, ShapeError> {
        Ok(Self::Compound(Arc::new(Compound::new(parts)?)))
    }

    /// The field's name of the kind of shape, as scene files spell it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Sphere(_) => "sphere",
            Self::Box(_) => "box",
            Self::Capsule(_) => "capsule",
            Self::Plane(_) => "plane",
            Self::Cylinder(_) => "cylinder",
            Self::Cone(_) => "cone",
            Self::Convex(_) => "convex",
            Self::Mesh(_) => "mesh",
            Self::Compound(_) => "compound",
        }
    }

    /// The smallest axis-aligned box around the placed shape (for a plane: the half space's).
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        match self {
            Self::Sphere(s) => s.aabb(pose.position),
            Self::Box(s) => s.aabb(pose),
            Self::Capsule(s) => s.aabb(pose),
            Self::Plane(s) => s.aabb(pose),
            Self::Cylinder(s) => s.aabb(pose),
            Self::Cone(s) => s.aabb(pose),
            Self::Convex(s) => s.aabb(pose),
            Self::Mesh(s) => s.aabb(pose),
            Self::Compound(s) => s.aabb(pose),
        }
    }

    /// Mass properties at the given density (kg/m^3); `None` for an unbounded shape and for a mesh
    /// that encloses no volume.
    pub fn mass_properties(&self, density: Real) -> Option<MassProperties> {
        match self {
            Self::Sphere(s) => Some(s.mass_properties(density)),
            Self::Box(s) => Some(s.mass_properties(density)),
            Self::Capsule(s) => Some(s.mass_properties(density)),
            Self::Plane(_) => None,
            Self::Cylinder(s) => Some(s.mass_properties(density)),
            Self::Cone(s) => Some(s.mass_properties(density)),
            Self::Convex(s) => Some(s.mass_properties(density)),
            Self::Mesh(s) => s.mass_properties(density),
            Self::Compound(s) => s.mass_properties(density),
        }
    }

    /// Radius of a ball about the frame's origin that holds the shape (m); infinite for a plane.
    #[inline]
    pub fn bounding_radius(&self) -> Real {
        match self {
            Self::Sphere(s) => s.radius(),
            Self::Box(s) => s.radius(),
            Self::Capsule(s) => s.radius() + s.half_height(),
            Self::Plane(_) => Real::INFINITY,
            Self::Cylinder(s) => hypot(s.radius(), s.half_height()),
            Self::Cone(s) => hypot(s.radius(), s.half_height()),
            Self::Convex(s) => s.bounding_radius(),
            Self::Mesh(s) => s.bounding_radius(),
            Self::Compound(s) => s.bounding_radius(),
        }
    }
}
