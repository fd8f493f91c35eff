//! Shapes as data, by serde: the kind as scene files spell it, and its parameters. Data read in goes through the constructors' checks.
use crate::{MeshShape, Shape, ShapeError, TriangleMesh};
use drystone_math::{Pose, Real, Vec3};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Parameters of a shape.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Parameters {
    Sphere { radius: Real },
    Box { half_extents: Vec3 },
    Capsule { radius: Real, half_height: Real },
    Plane { normal: Vec3, offset: Real },
    Cylinder { radius: Real, half_height: Real },
    Cone { radius: Real, half_height: Real },
    Convex { points: Vec<Vec3> },
    Mesh { vertices: Vec<Vec3>, triangles: Vec<[u32; 3]> },
    Compound { parts: Vec<Part> },
}

/// A part of a compound.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    shape: Shape,
    pose: Pose,
}

impl Parameters {
    /// `None` for a mesh with a map: the map's settings are not kept.
    fn of(shape: &Shape) -> Option<Self> {
        Some(match shape {
            Shape::Sphere(s) => Self::Sphere { radius: s.radius() },
            Shape::Box(s) => Self::Box { half_extents: s.half_extents() },
            Shape::Capsule(s) => Self::Capsule { radius: s.radius(), half_height: s.half_height() },
            Shape::Plane(s) => Self::Plane { normal: s.normal(), offset: s.offset() },
            Shape::Cylinder(s) => Self::Cylinder { radius: s.radius(), half_height: s.half_height() },
            Shape::Cone(s) => Self::Cone { radius: s.radius(), half_height: s.half_height() },
            Shape::Convex(s) => Self::Convex { points: s.vertices().to_vec() },
            Shape::Mesh(s) if s.map().is_some() => return None,
            Shape::Mesh(s) => {
                Self::Mesh { vertices: s.mesh().vertices().to_vec(), triangles: s.mesh().triangles().to_vec() }
            }
            Shape::Compound(s) => {
                let part = |(shape, pose): &(Shape, Pose)| Part { shape: shape.clone(), pose: *pose };
                Self::Compound { parts: s.parts().iter().map(part).collect() }
            }
        })
    }

    fn shape<E: serde::de::Error>(self) -> Result<Shape, E> {
        let made: Result<Shape, ShapeError> = match self {
            Self::Sphere { radius } => Shape::sphere(radius),
            Self::Box { half_extents: h } => Shape::cuboid(h.x, h.y, h.z),
            Self::Capsule { radius, half_height } => Shape::capsule(radius, half_height),
            Self::Plane { normal, offset } => Shape::plane(normal, offset),
            Self::Cylinder { radius, half_height } => Shape::cylinder(radius, half_height),
            Self::Cone { radius, half_height } => Shape::cone(radius, half_height),
            Self::Convex { points } => Shape::convex(&points),
            Self::Mesh { vertices, triangles } => {
                let mesh = TriangleMesh::new(vertices, triangles).and_then(|mesh| MeshShape::new(mesh, None));
                return mesh.map(Shape::mesh).map_err(E::custom);
            }
            Self::Compound { parts } => Shape::compound(parts.into_iter().map(|p| (p.shape, p.pose)).collect()),
        };
        made.map_err(E::custom)
    }
}

impl Serialize for Shape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(parameters) = Parameters::of(self) else {
            return Err(S::Error::custom(
                "a mesh with a distance map is not written as data: keep its file and the map's settings",
            ));
        };
        parameters.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Parameters::deserialize(deserializer)?.shape()
    }
}
