use drystone_core::PosedShape;
use drystone_geometry::Shape;
use drystone_math::{Mat3, Pose, Real, Vec3};

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

/// What stands first in a difference.
#[derive(Debug, Clone, Copy)]
enum First<'a> {
    Shape(&'a Shape),
    Triangle([Vec3; 3]),
}

/// The difference B - A of the cores of two convex shapes, in A's frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Difference<'a> {
    a: First<'a>,
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
            a: First::Shape(a.shape),
            b: b.shape,
            r: Mat3::from_quat(rel.orientation),
            t: rel.position,
            radius: a.shape.core_radius() + b.shape.core_radius(),
            size: a.shape.bounding_radius().max(b.shape.bounding_radius()),
        })
    }

    /// A triangle (A's frame, m) and a convex shape whose frame stands at `pose`.
    pub(crate) fn of_triangle(t: [Vec3; 3], b: &'a Shape, pose: &Pose) -> Option<Self> {
        b.is_convex().then(|| Self {
            a: First::Triangle(t),
            b,
            r: Mat3::from_quat(pose.orientation),
            t: pose.position,
            radius: b.core_radius(),
            size: b.bounding_radius().max((t[1] - t[0]).length()).max((t[2] - t[0]).length()),
        })
    }

    /// The offset of the frames (m): a first guess of the way from A to B.
    pub(crate) fn offset(&self) -> Vec3 {
        self.t
    }

    /// The corner farthest along `d` (A's frame).
    #[inline]
    pub(crate) fn support(&self, d: Vec3) -> Corner {
        let on_a = match self.a {
            First::Shape(s) => s.core_support(-d).unwrap_or(Vec3::ZERO),
            First::Triangle(t) => {
                let h = t.map(|p| -d.dot(p));
                t[if h[0] >= h[1] && h[0] >= h[2] { 0 } else { 1 + usize::from(h[2] > h[1]) }]
            }
        };
        let on_b = self.t + self.r * self.b.core_support(self.r.transpose_mul_vec3(d)).unwrap_or(Vec3::ZERO);
        Corner { at: on_b - on_a, on_a, on_b }
    }
}
