use crate::bvh::{AxisBox, BoundingTree};
use crate::mesh::MeshShape;
use crate::{Aabb, Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, MassProperties, Plane, ShapeError, Sphere};
use drystone_math::elementary::hypot;
use drystone_math::{Mat3, Pose, Real, SymmetricMat3, Vec3};
use std::ops::Deref;
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
    Mesh(HulledMesh),
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
        let hull = mesh.shared_hull().map(|hull| Arc::new(Self::Convex(hull)));
        Self::Mesh(HulledMesh { mesh: Arc::new(mesh), hull })
    }

    /// Several bounded shapes as one, each with the pose of its frame.
    ///
    /// # Errors
    /// [`ShapeError::NoParts`], [`ShapeError::Part`].
    pub fn compound(parts: Vec<(Self, Pose)>) -> Result<Self, ShapeError> {
        Ok(Self::Compound(Arc::new(Compound::new(parts)?)))
    }

    /// The name of the kind of shape, as scene files spell it.
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

/// A shared mesh, with its convex hull as a shape of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct HulledMesh {
    mesh: Arc<MeshShape>,
    hull: Option<Arc<Shape>>,
}

impl HulledMesh {
    /// Its convex hull as a shape; `None` for a flat mesh.
    pub fn hull_shape(&self) -> Option<&Shape> {
        self.hull.as_deref()
    }

    /// Its hull, if the mesh bounds a solid that is its own hull, and has no map; otherwise `None`.
    pub fn as_polyhedron(&self) -> Option<&Shape> {
        self.hull_shape().filter(|_| self.is_convex() && self.map().is_none())
    }
}

impl Deref for HulledMesh {
    type Target = MeshShape;

    fn deref(&self) -> &MeshShape {
        &self.mesh
    }
}

/// Several bounded shapes, fixed to each other, as one. Where parts overlap, their mass counts twice.
#[derive(Debug, Clone, PartialEq)]
pub struct Compound {
    parts: Vec<(Shape, Pose)>,
    tree: BoundingTree<AxisBox>,
}

impl Compound {
    /// A compound of parts, each with the pose of its frame in the compound's.
    ///
    /// # Errors
    /// [`ShapeError::NoParts`]; [`ShapeError::Part`] for a part that is unbounded, a compound itself, or placed at a pose
    /// that is not finite.
    pub fn new(parts: Vec<(Shape, Pose)>) -> Result<Self, ShapeError> {
        if parts.is_empty() {
            return Err(ShapeError::NoParts);
        }
        for (part, (shape, pose)) in parts.iter().enumerate() {
            let turned = (pose.orientation.length_squared() - 1.0).abs() < 1e-6;
            if matches!(shape, Shape::Plane(_) | Shape::Compound(_)) || !pose.is_finite() || !turned {
                return Err(ShapeError::Part { part, kind: shape.kind() });
            }
        }
        let boxes: Vec<AxisBox> = parts.iter().map(|(shape, pose)| shape.aabb(pose).into()).collect();
        Ok(Self { parts, tree: BoundingTree::of_boxes(&boxes) })
    }

    /// The tree of the boxes around the parts, in the compound's frame.
    pub fn tree(&self) -> &BoundingTree<AxisBox> {
        &self.tree
    }

    /// The parts with their frames.
    pub fn parts(&self) -> &[(Shape, Pose)] {
        &self.parts
    }

    pub(crate) fn aabb(&self, pose: &Pose) -> Aabb {
        self.parts.iter().fold(Aabb::EMPTY, |b, (s, p)| b.union(&s.aabb(&(*pose * *p))))
    }

    pub(crate) fn bounding_radius(&self) -> Real {
        self.parts.iter().fold(0.0, |r: Real, (s, p)| r.max(p.position.length() + s.bounding_radius()))
    }

    pub(crate) fn mass_properties(&self, density: Real) -> Option<MassProperties> {
        let (mut mass, mut first) = (0.0, Vec3::ZERO);
        let mut placed = Vec::with_capacity(self.parts.len());
        for (s, p) in &self.parts {
            let m = s.mass_properties(density)?;
            let center = p.point(m.center);
            mass += m.mass;
            first += center * m.mass;
            placed.push((m.mass, center, m.inertia.rotated(p.orientation)));
        }
        let center = first / mass;
        let mut inertia = Mat3::ZERO;
        for (m, c, i) in placed {
            // the parallel-axis theorem
            let d = c - center;
            let outer = Mat3::from_cols(d * d.x, d * d.y, d * d.z);
            inertia += i.to_mat3() + (Mat3::IDENTITY * d.length_squared() - outer) * m;
        }
        Some(MassProperties { mass, center, inertia: SymmetricMat3::from_mat3(&inertia) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_halves_make_a_box() {
        let half = Shape::cuboid(0.5, 1.0, 1.5).unwrap();
        let at = |x: Real| Pose::from_position(Vec3::new(x, 0.0, 0.0));
        let c = Shape::compound(vec![(half.clone(), at(0.5)), (half, at(1.5))]).unwrap();
        let m = c.mass_properties(3.0).unwrap();
        let whole = Shape::cuboid(1.0, 1.0, 1.5).unwrap().mass_properties(3.0).unwrap();
        assert!((m.mass - whole.mass).abs() < 1e-12 && (m.center - Vec3::X).length() < 1e-15);
        assert!((m.inertia.diagonal - whole.inertia.diagonal).length() < 1e-12);
        let plane = Shape::plane(Vec3::Y, 0.0).unwrap();
        assert!(matches!(Shape::compound(vec![(plane, at(0.0))]), Err(ShapeError::Part { part: 0, kind: "plane" })));
        assert!(matches!(Shape::compound(vec![]), Err(ShapeError::NoParts)));
    }
}
