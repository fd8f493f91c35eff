use crate::Shape;
use drystone_math::{Real, Vec3};

impl Shape {
    /// The point of the shape that lies farthest along `direction` (any length above zero, shape's frame, m);
    /// `None` for a shape without one: an unbounded or a non-convex one.
    pub fn support(&self, direction: Vec3) -> Option<Vec3> {
        Some(self.core_support(direction)? + direction.normalize_or_zero() * self.core_radius())
    }

    /// The same of the core: the shape without its rounding, a point for a sphere and a segment for a capsule.
    #[inline]
    pub fn core_support(&self, direction: Vec3) -> Option<Vec3> {
        Some(match self {
            Self::Sphere(_) => Vec3::ZERO,
            Self::Box(s) => {
                let h = s.half_extents();
                Vec3::new(h.x.copysign(direction.x), h.y.copysign(direction.y), h.z.copysign(direction.z))
            }
            Self::Capsule(s) => Vec3::Y * s.half_height().copysign(direction.y),
            Self::Cylinder(s) => s.support(direction),
            Self::Cone(s) => s.support(direction),
            Self::Convex(s) => s.support(direction),
            Self::Plane(_) | Self::Mesh(_) | Self::Compound(_) => return None,
        })
    }

    /// How far the surface lies from the core (m); zero for shapes with corners.
    #[inline]
    pub fn core_radius(&self) -> Real {
        match self {
            Self::Sphere(s) => s.radius(),
            Self::Capsule(s) => s.radius(),
            _ => 0.0,
        }
    }

    /// Whether the shape is convex and bounded, so that it has a support map.
    pub fn is_convex(&self) -> bool {
        !matches!(self, Self::Plane(_) | Self::Mesh(_) | Self::Compound(_))
    }
}
