use crate::Shape;
use drystone_math::Vec3;

impl Shape {
    /// The point of the shape that lies farthest along `direction` (any length above zero, shape's frame, m);
    /// `None` for a shape without one: an unbounded or a non-convex one.
    pub fn support(&self, direction: Vec3) -> Option<Vec3> {
        Some(match self {
            Self::Sphere(s) => direction.normalize_or_zero() * s.radius(),
            Self::Box(s) => {
                let h = s.half_extents();
                Vec3::new(h.x.copysign(direction.x), h.y.copysign(direction.y), h.z.copysign(direction.z))
            }
            Self::Capsule(s) => {
                Vec3::Y * s.half_height().copysign(direction.y) + direction.normalize_or_zero() * s.radius()
            }
            Self::Plane(_) => return None,
        })
    }
}
