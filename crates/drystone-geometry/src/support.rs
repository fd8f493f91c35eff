use crate::{Cuboid, Shape, SupportFeature};
use drystone_math::{Real, Vec3};
use smallvec::SmallVec;

/// Stands for the number of a point on a curved surface, which is no corner.
pub const NO_CORNER: u32 = u32::MAX;

impl Shape {
    /// The point of the shape that lies farthest along `direction` (any length above zero, shape's frame, m);
    /// `None` for a shape without one: an unbounded or a non-convex one.
    pub fn support(&self, direction: Vec3) -> Option<Vec3> {
        Some(self.core_support(direction)? + direction.normalize_or_zero() * self.core_radius())
    }

    /// The support point of the core: the shape without its rounding, a point for a sphere and a segment for a capsule.
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

    /// The point of the core farthest along `direction`, and the number of that corner, or [`NO_CORNER`] on a curved
    /// surface; the origin for a shape without a support map. A search among many corners begins at number `start`.
    #[inline]
    pub fn core_corner(&self, direction: Vec3, start: u32) -> (Vec3, u32) {
        match self {
            Self::Box(s) => {
                let (h, d) = (s.half_extents(), direction);
                let number = |k: usize| u32::from(d[k].is_sign_negative()) << k;
                (Vec3::new(h.x.copysign(d.x), h.y.copysign(d.y), h.z.copysign(d.z)), number(0) | number(1) | number(2))
            }
            Self::Convex(s) => {
                let number = s.support_vertex(direction, start);
                (s.vertices()[number as usize], number)
            }
            Self::Sphere(_) => (Vec3::ZERO, 0),
            Self::Capsule(s) => {
                let down = direction.y.is_sign_negative();
                (Vec3::Y * s.half_height().copysign(direction.y), u32::from(down))
            }
            Self::Cylinder(s) => (s.support(direction), NO_CORNER),
            Self::Cone(s) => (s.support(direction), NO_CORNER),
            Self::Plane(_) | Self::Mesh(_) | Self::Compound(_) => (Vec3::ZERO, NO_CORNER),
        }
    }

    /// The corner of the core with a number that [`Self::core_corner`] gave; `None` if there is no such corner.
    pub fn numbered_corner(&self, number: u32) -> Option<Vec3> {
        let side = |k: u32| if number >> k & 1 == 1 { -1.0 } else { 1.0 };
        match self {
            Self::Box(s) if number < 8 => Some(s.half_extents() * Vec3::new(side(0), side(1), side(2))),
            Self::Convex(s) => s.vertices().get(number as usize).copied(),
            Self::Sphere(_) if number == 0 => Some(Vec3::ZERO),
            Self::Capsule(s) if number < 2 => Some(Vec3::Y * (s.half_height() * side(0))),
            _ => None,
        }
    }

    /// Distance of the surface from the core (m); zero for shapes with corners.
    #[inline]
    pub fn core_radius(&self) -> Real {
        match self {
            Self::Sphere(s) => s.radius(),
            Self::Capsule(s) => s.radius(),
            _ => 0.0,
        }
    }

    /// The part of the surface that faces `direction` (a unit vector in the shape's frame); without points if the shape
    /// has no such part: a plane, a compound, or a mesh that is not convex or has a map.
    pub fn support_feature(&self, direction: Vec3) -> SupportFeature {
        match self {
            Self::Sphere(s) => {
                SupportFeature { points: SmallVec::from_slice(&[Vec3::ZERO]), radius: s.radius(), id: 0 }
            }
            Self::Box(s) => box_face(s, direction),
            Self::Capsule(s) => {
                let end = Vec3::Y * s.half_height();
                SupportFeature { points: SmallVec::from_slice(&[end, -end]), radius: s.radius(), id: 0 }
            }
            Self::Cylinder(s) => s.support_feature(direction),
            Self::Cone(s) => s.support_feature(direction),
            Self::Convex(s) => s.support_feature(direction),
            Self::Mesh(s) => s.as_polyhedron().map(|hull| hull.support_feature(direction)).unwrap_or_default(),
            Self::Plane(_) | Self::Compound(_) => SupportFeature::default(),
        }
    }

    /// Returns true if the shape is convex and bounded, so that it has a support map.
    pub fn is_convex(&self) -> bool {
        !matches!(self, Self::Plane(_) | Self::Mesh(_) | Self::Compound(_))
    }
}

fn box_face(s: &Cuboid, direction: Vec3) -> SupportFeature {
    let (h, d) = (s.half_extents(), direction.abs());
    let k = if d.x >= d.y && d.x >= d.z { 0 } else { 1 + usize::from(d.z > d.y) };
    let (u, v) = ((k + 1) % 3, (k + 2) % 3);
    let negative = direction[k].is_sign_negative();
    // seen from outside, the corners turn from u to v on the positive side
    let turn = if negative {
        [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)]
    } else {
        [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]
    };
    let points = turn
        .iter()
        .map(|&(x, y)| {
            let mut p = Vec3::ZERO;
            p[k] = if negative { -h[k] } else { h[k] };
            p[u] = x * h[u];
            p[v] = y * h[v];
            p
        })
        .collect();
    SupportFeature { points, radius: 0.0, id: 2 * k as u32 + u32::from(negative) }
}
