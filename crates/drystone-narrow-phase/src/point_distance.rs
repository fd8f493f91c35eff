use crate::field::{MeshField, field};
use drystone_geometry::Shape;
use drystone_math::{Pose, Real, Vec3};

/// Distance of a point from a placed shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointDistance {
    /// Signed distance (m), negative inside. A mesh that is not watertight has no inside: its distances are positive.
    pub distance: Real,
    /// Nearest point of the surface (m).
    pub nearest: Vec3,
    /// Unit normal out of the solid there; for a mesh without an inside, from the surface to the point.
    pub normal: Vec3,
}

/// The signed distance of a point (m) from a placed shape; `None` if the result is not finite.
///
/// It is exact outside, and also inside except for compounds: where their parts overlap, the depth is that of the deepest
/// part.
pub fn point_distance(shape: &Shape, pose: &Pose, point: Vec3) -> Option<PointDistance> {
    if let Shape::Compound(compound) = shape {
        let parts = compound.parts().iter().filter_map(|(s, p)| point_distance(s, &(*pose * *p), point));
        return parts.reduce(|a, b| if b.distance < a.distance { b } else { a });
    }
    let local = pose.local_point(point);
    let (mut distance, mut gradient) = field(shape, local, Real::INFINITY, MeshField::Exact)?;
    let mut nearest = local - gradient * distance;
    if let Shape::Mesh(mesh) = shape {
        nearest = mesh.distance(local, Real::INFINITY)?.nearest;
        if !mesh.report().is_watertight() && distance < 0.0 {
            (distance, gradient) = (-distance, -gradient);
        }
    }
    let found = PointDistance { distance, nearest: pose.point(nearest), normal: pose.direction(gradient) };
    (distance.is_finite() && found.nearest.is_finite() && found.normal.is_finite()).then_some(found)
}
