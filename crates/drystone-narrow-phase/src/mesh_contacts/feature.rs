//! The part of a convex shape that faces a triangle.

use super::ALIGNED;
use drystone_geometry::Shape;
use drystone_math::{Pose, Real, Vec3};
use smallvec::SmallVec;

/// Fractions of an edge at its ends that count as its corners.
const ENDS: Real = 1e-6;

/// Sine of the angle up to which edges, seen along a direction, run beside each other.
const PARALLEL: Real = 1e-3;

/// Cosine of the angle to a normal up to which an axis of the mesh tells a direction along the face.
const ACROSS: Real = 0.75;

/// Sine of the angle up to which a segment lies flat before a face.
const FLAT: Real = 0.1;

/// A support feature in the mesh's frame.
pub(super) struct Facing {
    /// Corners of a polygon, ends of a segment, or a point (m).
    pub points: SmallVec<[Vec3; 16]>,
    /// Distance of the surface beyond them (m).
    pub radius: Real,
    /// The outward unit normal of a polygon.
    pub normal: Option<Vec3>,
    id: u32,
}

impl Facing {
    /// The part of the shape that faces against the unit vector `r`.
    pub(super) fn of(shape: &Shape, rel: &Pose, r: Vec3) -> Self {
        let toward = rel.local_direction(-r);
        if let Some(face) = shape.round_face(toward) {
            let guide = if r.x.abs() < ACROSS { Vec3::X } else { Vec3::Z };
            let corners = face.corners(rel.local_direction(guide), toward);
            let points = corners.iter().map(|p| rel.point(*p)).collect();
            return Self {
                points,
                radius: 0.0,
                normal: Some(rel.direction(face.axis)),
                id: u32::from(face.axis.y > 0.0),
            };
        }
        let feature = shape.support_feature(toward);
        let points: SmallVec<[Vec3; 16]> = feature.points.iter().map(|p| rel.point(*p)).collect();
        let normal = polygon_normal(&points);
        Self { points, radius: feature.radius, normal, id: feature.id }
    }

    /// Returns true if it lies flat before a face with the normal `n`.
    pub(super) fn is_aligned(&self, n: Vec3) -> bool {
        match (self.normal, self.points.as_slice()) {
            (Some(own), _) => -own.dot(n) >= ALIGNED,
            (None, [p, q]) => n.dot(*q - *p).abs() <= FLAT * (*q - *p).length(),
            _ => false,
        }
    }

    /// A number for a corner, or for the edge that leaves it.
    pub(super) fn name(&self, corner: usize) -> u64 {
        u64::from(self.id & 0xfff) << 8 | corner as u64 & 0xff
    }

    /// Number of edges.
    pub(super) fn edge_count(&self) -> usize {
        match self.points.len() {
            0 | 1 => 0,
            2 => 1,
            count => count,
        }
    }

    /// The start of an edge, and the vector along it (m).
    pub(super) fn edge(&self, i: usize) -> (Vec3, Vec3) {
        let p = self.points[i];
        (p, self.points[(i + 1) % self.points.len()] - p)
    }
}

/// The unit normal of a polygon, by Newell's sums.
fn polygon_normal(points: &[Vec3]) -> Option<Vec3> {
    if points.len() < 3 {
        return None;
    }
    let first = points[0];
    let sum = points.windows(2).fold(Vec3::ZERO, |n, w| n + (w[0] - first).cross(w[1] - first));
    sum.try_normalize()
}

/// Returns true if a polygon, counter-clockwise seen from the tip of `axis`, covers a point seen along that axis, to
/// within `slack` (m).
pub(super) fn covers(polygon: &[Vec3], axis: Vec3, p: Vec3, slack: Real) -> bool {
    polygon.len() > 2
        && (0..polygon.len()).all(|i| {
            let (from, to) = (polygon[i], polygon[(i + 1) % polygon.len()]);
            let wall = axis.cross(to - from);
            wall.dot(p - from) >= -slack * wall.length()
        })
}

/// The points of two edges (start and vector, m) that lie opposite each other along `r`; `None` if there are none, or if they are ends.
pub(super) fn cross((p, u): (Vec3, Vec3), (q, v): (Vec3, Vec3), r: Vec3) -> Option<(Vec3, Vec3)> {
    let across = r.dot(u.cross(v));
    if across * across <= PARALLEL * PARALLEL * u.length_squared() * v.length_squared() {
        return None;
    }
    let (s, t) = (r.dot((q - p).cross(v)) / across, r.dot((q - p).cross(u)) / across);
    (s.min(t) > ENDS && s.max(t) < 1.0 - ENDS).then(|| (p + u * s, q + v * t))
}
