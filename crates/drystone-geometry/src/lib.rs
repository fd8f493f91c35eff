//! Shapes, support maps, rays, bounding volumes and mass properties.
//!
//! Everything here is purely geometric: no velocities, no forces. A [`Shape`] lives in its own body
//! frame; a [`drystone_math::Pose`] places it in the world.

mod aabb;
pub mod bvh;
mod capsule;
mod cone;
mod convex;
mod cuboid;
mod cylinder;
#[cfg(feature = "serde")]
mod data;
mod error;
mod mass;
pub mod mesh;
mod plane;
mod ray;
mod round_face;
mod shape;
mod solid_integrals;
mod sphere;
mod support;
mod support_feature;
pub mod triangle;

pub use aabb::Aabb;
pub use capsule::Capsule;
pub use cone::Cone;
pub use convex::{ConvexPolyhedron, polygon};
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use error::ShapeError;
pub use mass::MassProperties;
pub use mesh::{MapSettings, MeshError, MeshReport, MeshShape, TriangleMesh};
pub use plane::Plane;
pub use ray::{Ray, RayHit};
pub use round_face::RoundFace;
pub use shape::{Compound, HulledMesh, Shape};
pub use sphere::Sphere;
pub use support::NO_CORNER;
pub use support_feature::SupportFeature;

// whoever calls this crate needs no other of the workspace: the types of its calls are here
pub use drystone_math as math;

/// The README's Rust blocks, compiled as they stand.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct ReadmeDoctests;
