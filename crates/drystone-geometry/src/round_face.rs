use crate::Shape;
use drystone_math::{Real, Vec3};
use smallvec::SmallVec;

/// A flat circular face of a cylinder or a cone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoundFace {
    /// Its middle (m).
    pub center: Vec3,
    /// Outward unit normal.
    pub axis: Vec3,
    /// Its radius (m).
    pub radius: Real,
}

/// Number of corners that represent a circle: the polygon through them covers it to within 1 % of its width.
const CORNERS: usize = 16;

/// Cosines of the angles of the corners; the sines are those of a quarter turn before.
const COSINES: [Real; CORNERS] = {
    let (a, b, c) = (0.923_879_532_511_286_7, core::f64::consts::FRAC_1_SQRT_2, 0.382_683_432_365_089_8);
    [1.0, a, b, c, 0.0, -c, -b, -a, -1.0, -a, -b, -c, 0.0, c, b, a]
};

/// Sine of the angle up to which a face lies flat, so that no point of its rim is foremost.
const FLAT: Real = 1e-3;

impl Shape {
    /// The circular face that the shape turns to a direction (a unit vector in its frame); `None` if it turns something else to it.
    pub fn round_face(&self, direction: Vec3) -> Option<RoundFace> {
        let (radius, half_height) = match self {
            Self::Cylinder(s) => (s.radius(), s.half_height()),
            Self::Cone(s) => (s.radius(), s.half_height()),
            _ => return None,
        };
        // a feature of two points is a flank
        if self.support_feature(direction).points.len() < 3 {
            return None;
        }
        let axis = Vec3::Y * 1.0_f64.copysign(direction.y);
        Some(RoundFace { center: axis * half_height, axis, radius })
    }
}

impl RoundFace {
    /// Corners of a polygon that stands for the circle, counter-clockwise seen from the tip of the axis. If the face leans, they begin at its point farthest along `toward` (a unit
    /// vector), and go round with it as the shape rolls on its rim. If it lies flat, they begin in the direction of `guide`. Neither turns with the shape about its axis.
    pub fn corners(&self, guide: Vec3, toward: Vec3) -> SmallVec<[Vec3; 16]> {
        let flat = |v: Vec3| v - self.axis * self.axis.dot(v);
        let lean = flat(toward);
        let first = if lean.length() > FLAT { lean } else { flat(guide) };
        let e = first.try_normalize().unwrap_or_else(|| self.axis.any_orthonormal_vector());
        let f = self.axis.cross(e);
        let at = |k: usize| self.center + (e * COSINES[k] + f * COSINES[(k + 12) % CORNERS]) * self.radius;
        (0..CORNERS).map(at).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_lie_on_the_rim_in_order_and_the_foremost_is_among_them() {
        let shape = Shape::cylinder(0.7, 0.3).unwrap();
        for k in 0..50 {
            let w = 0.37 * Real::from(k);
            let toward = Vec3::new(0.3 * w.sin(), [1.0, -1.0][k as usize % 2], 0.3 * w.cos()).normalize();
            let face = shape.round_face(toward).unwrap();
            let corners = face.corners(Vec3::new(w.cos(), 0.1, w.sin()), toward);
            let foremost = shape.support(toward).unwrap();
            assert!(corners.iter().any(|p| (*p - foremost).length() < 1e-12));
            assert_eq!(corners.len(), CORNERS);
            for (i, p) in corners.iter().enumerate() {
                let (r, next) = (*p - face.center, corners[(i + 1) % CORNERS] - face.center);
                assert!((r.length() - 0.7).abs() < 1e-12 && r.dot(face.axis).abs() < 1e-12);
                assert!(face.axis.dot(r.cross(next)) >= -1e-12, "{corners:?}");
            }
        }
        assert_eq!(shape.round_face(Vec3::X), None);
    }
}
