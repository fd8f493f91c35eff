use drystone_math::{Real, Vec3};
use smallvec::SmallVec;

/// The part of a convex shape's surface that faces a direction: a polygon, a segment or a point, thickened by a radius
/// if the shape is round.
///
/// The outermost point of the shape in that direction is among `points`, up to the radius.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SupportFeature {
    /// Corners in the shape's frame (m), for a polygon counter-clockwise seen from outside.
    pub points: SmallVec<[Vec3; 8]>,
    /// Distance of the surface beyond the points (m).
    pub radius: Real,
    /// Which part of the surface it is.
    pub id: u32,
}
