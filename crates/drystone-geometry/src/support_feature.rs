use crate::{Cuboid, Shape};
use drystone_math::{Real, Vec3};
use smallvec::SmallVec;

/// The part of a convex shape's surface that faces a direction: a polygon, a segment or a point, thickened by a
/// radius where the shape is round.
///
/// The outermost point of the shape in that direction is among `points`, up to the radius.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SupportFeature {
    /// Corners in the shape's frame (m); of a polygon counter-clockwise seen from outside.
    pub points: SmallVec<[Vec3; 8]>,
    /// How far the surface lies beyond the points (m).
    pub radius: Real,
    /// Which part of the surface it is.
    pub id: u32,
}

impl Shape {
    /// The part of the surface that faces `direction` (a unit vector in the shape's frame); without points where
    /// the shape has no such part: a plane.
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
            Self::Plane(_) | Self::Mesh(_) | Self::Compound(_) => SupportFeature::default(),
        }
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
