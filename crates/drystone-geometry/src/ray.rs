//! Rays against boxes and shapes.

mod convex;
mod round;
mod triangles;

use crate::{Aabb, Shape};
use drystone_math::{Pose, Real, Vec3};

/// A half line or segment: the points `origin + t * direction` for `0 <= t <= length`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ray {
    /// Origin (m).
    pub origin: Vec3,
    /// Direction; need not be a unit vector.
    pub direction: Vec3,
    /// Largest t; infinity for a half line.
    pub length: Real,
}

/// Intersection of a ray with a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RayHit {
    /// The t there; zero if the ray begins inside the solid.
    pub t: Real,
    /// Unit normal out of the solid; it points against the ray if the ray begins inside, or if the surface has no
    /// inside.
    pub normal: Vec3,
}

/// The part of a line inside a convex solid: the parameters where it enters and leaves, and the unit normal where it enters.
#[derive(Debug, Clone, Copy)]
struct Span {
    enter: Real,
    leave: Real,
    normal: Vec3,
}

impl Span {
    /// The whole line.
    const ALL: Self = Self { enter: Real::NEG_INFINITY, leave: Real::INFINITY, normal: Vec3::ZERO };

    /// The intersection with another span; `None` if it is empty.
    fn and(self, other: Self) -> Option<Self> {
        let later = if other.enter > self.enter { other } else { self };
        let both = Self { leave: self.leave.min(other.leave), ..later };
        (both.enter <= both.leave).then_some(both)
    }

    /// The part of the line `offset + speed * t <= 0`, with the unit normal of that half space.
    fn of_half_space(offset: Real, speed: Real, normal: Vec3) -> Option<Self> {
        if speed == 0.0 {
            return (offset <= 0.0).then_some(Self::ALL);
        }
        let at = -offset / speed;
        Some(if speed < 0.0 { Self { enter: at, normal, ..Self::ALL } } else { Self { leave: at, ..Self::ALL } })
    }
}

impl Ray {
    /// The t at which the ray enters a closed box, zero if it begins inside; `None` if it misses the box.
    pub fn entry(&self, b: &Aabb) -> Option<Real> {
        let (mut enter, mut leave) = (0.0, self.length);
        for k in 0..3 {
            if self.direction[k] == 0.0 {
                if self.origin[k] < b.min[k] || self.origin[k] > b.max[k] {
                    return None;
                }
                continue;
            }
            let (s, t) =
                ((b.min[k] - self.origin[k]) / self.direction[k], (b.max[k] - self.origin[k]) / self.direction[k]);
            enter = s.min(t).max(enter);
            leave = s.max(t).min(leave);
        }
        (enter <= leave).then_some(enter)
    }

    /// The point at a parameter (m).
    pub fn at(&self, t: Real) -> Vec3 {
        self.origin + self.direction * t
    }

    /// The same ray seen from a frame that stands at `pose`.
    #[must_use]
    pub fn seen_from(&self, pose: &Pose) -> Self {
        Self { origin: pose.local_point(self.origin), direction: pose.local_direction(self.direction), ..*self }
    }

    fn hit(&self, t: Real, normal: Vec3) -> Option<RayHit> {
        (t <= self.length).then_some(RayHit { t, normal })
    }

    /// First intersection of the ray with a convex solid, given the part of the line inside it.
    fn into_solid(self, span: Span) -> Option<RayHit> {
        if span.leave < 0.0 {
            return None;
        }
        if span.enter <= 0.0 {
            return self.hit(0.0, -self.direction);
        }
        self.hit(span.enter, span.normal)
    }
}

impl Shape {
    /// First intersection of a ray (shape's frame) with the solid; `None` if it misses the solid, has no direction, or
    /// is not finite.
    ///
    /// A ray that begins inside the solid or on its surface meets it at t = 0. A mesh without an inside is met on either side of its
    /// surface.
    ///
    /// # Cost
    /// Constant for the closed forms, linear in the faces of a convex polyhedron and the parts of a compound, logarithmic in the
    /// triangles of a mesh. If the ray begins inside the mesh's box, the signed distance is queried first.
    pub fn cast_ray(&self, ray: &Ray) -> Option<RayHit> {
        let speed = ray.direction.length();
        if !(ray.origin.is_finite() && speed.is_finite() && speed > 0.0) {
            return None;
        }
        // along a unit direction, from the point nearest to the frame's origin, so that a distant start costs no digits
        let direction = ray.direction / speed;
        let start = -ray.origin.dot(direction);
        let near = Ray { origin: ray.origin + direction * start, direction, length: Real::INFINITY };
        let span = match self {
            Self::Mesh(mesh) => return triangles::cast(mesh, ray),
            Self::Compound(compound) => {
                let hits = compound.parts().iter().filter_map(|(shape, pose)| {
                    let hit = shape.cast_ray(&ray.seen_from(pose))?;
                    Some(RayHit { normal: pose.direction(hit.normal), ..hit })
                });
                return hits.reduce(|a, b| if b.t < a.t { b } else { a });
            }
            Self::Sphere(s) => round::ball(&near, s.radius()),
            Self::Capsule(s) => round::capsule(&near, s.radius(), s.half_height()),
            Self::Cylinder(s) => round::cylinder(&near, s.radius(), s.half_height()),
            Self::Cone(s) => round::cone(&near, s.radius(), s.half_height()),
            Self::Box(s) => convex::cuboid(&near, s.half_extents()),
            Self::Plane(s) => convex::half_space(&near, s.normal(), s.offset()),
            Self::Convex(s) => convex::polyhedron(&near, s),
        }?;
        let span = Span { enter: span.enter + start, leave: span.leave + start, ..span };
        let unit = Ray { origin: ray.origin, direction, length: ray.length * speed };
        unit.into_solid(span).map(|hit| RayHit { t: hit.t / speed, ..hit })
    }
}
