use drystone_core::PosedShape;
use drystone_geometry::Shape;
use drystone_math::{Mat3, Real, Vec3};

/// A corner of the Minkowski difference B - A of two cores, with the points it comes from, all in A's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Corner {
    /// `b - a` (m).
    pub at: Vec3,
    /// On A's core (m).
    pub on_a: Vec3,
    /// On B's core (m).
    pub on_b: Vec3,
}

/// The difference B - A of the cores of two convex shapes, in A's frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Difference<'a> {
    a: &'a Shape,
    b: &'a Shape,
    r: Mat3,
    t: Vec3,
    /// The sum of the radii around the cores (m).
    pub radius: Real,
    /// A length to measure noise by (m).
    pub size: Real,
}

impl<'a> Difference<'a> {
    /// Two convex shapes; `None` where one has no support map.
    pub(crate) fn new(a: PosedShape<'a>, b: PosedShape<'a>) -> Option<Self> {
        if !a.shape.is_convex() || !b.shape.is_convex() {
            return None;
        }
        let rel = b.pose.relative_to(&a.pose);
        Some(Self {
            a: a.shape,
            b: b.shape,
            r: Mat3::from_quat(rel.orientation),
            t: rel.position,
            radius: a.shape.core_radius() + b.shape.core_radius(),
            size: a.shape.bounding_radius().max(b.shape.bounding_radius()),
        })
    }

    /// The offset of the frames (m): a first guess of the way from A to B.
    pub(crate) fn offset(&self) -> Vec3 {
        self.t
    }

    /// The corner farthest along `d` (A's frame).
    #[inline]
    pub(crate) fn support(&self, d: Vec3) -> Corner {
        let on_a = self.a.core_support(-d).unwrap_or(Vec3::ZERO);
        let on_b = self.t + self.r * self.b.core_support(self.r.transpose_mul_vec3(d)).unwrap_or(Vec3::ZERO);
        Corner { at: on_b - on_a, on_a, on_b }
    }
}
