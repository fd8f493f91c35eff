use drystone_core::PosedShape;
use drystone_geometry::{ConvexPolyhedron, NO_CORNER, Shape};
use drystone_math::{Mat3, Pose, Real, Vec3};
use std::cell::Cell;

/// A corner of the Minkowski difference B - A of two cores, with the point of A that it comes from, in A's frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Corner {
    /// `b - a` (m).
    pub at: Vec3,
    /// On A's core (m).
    pub on_a: Vec3,
    /// The numbers of the two cores' corners, [`NO_CORNER`] if a core is round.
    pub numbers: [u32; 2],
}

impl Corner {
    /// On B's core (m).
    pub(crate) fn on_b(&self) -> Vec3 {
        self.at + self.on_a
    }
}

/// A convex core.
#[derive(Debug, Clone, Copy)]
enum Core<'a> {
    /// The most common kind: needs no look at the kind of shape in each step.
    Polyhedron(&'a ConvexPolyhedron),
    Shape(&'a Shape),
    Triangle([Vec3; 3]),
}

impl<'a> Core<'a> {
    #[inline]
    fn of(shape: &'a Shape) -> Self {
        if let Shape::Convex(c) = shape { Self::Polyhedron(c) } else { Self::Shape(shape) }
    }

    /// The corner farthest along `d` (own frame) and its number, searched from `start`.
    #[inline]
    fn corner(&self, d: Vec3, start: u32) -> (Vec3, u32) {
        match self {
            Self::Polyhedron(c) => {
                let number = c.support_vertex(d, start);
                (c.vertices()[number as usize], number)
            }
            Self::Shape(s) => s.core_corner(d, start),
            Self::Triangle(t) => {
                let h = t.map(|p| d.dot(p));
                let k = if h[0] >= h[1] && h[0] >= h[2] { 0 } else { 1 + usize::from(h[2] > h[1]) };
                (t[k], k as u32)
            }
        }
    }

    fn numbered(&self, number: u32) -> Option<Vec3> {
        match self {
            Self::Polyhedron(c) => c.vertices().get(number as usize).copied(),
            Self::Shape(s) => s.numbered_corner(number),
            Self::Triangle(t) => t.get(number as usize).copied(),
        }
    }
}

/// The difference B - A of the cores of two convex shapes, in A's frame.
#[derive(Debug, Clone)]
pub(crate) struct Difference<'a> {
    a: Core<'a>,
    b: Core<'a>,
    r: Mat3,
    t: Vec3,
    /// The corners that were farthest last time: the next direction is close to the last.
    last: [Cell<u32>; 2],
    /// The radii around the cores (m).
    pub radii: [Real; 2],
    /// Their sum (m).
    pub radius: Real,
    /// A length to measure noise by (m).
    pub size: Real,
    /// True if a core is curved: then the corners never end, and the bounds only approach the answer.
    pub curved: bool,
}

fn curved(s: &Shape) -> bool {
    matches!(s, Shape::Cylinder(_) | Shape::Cone(_))
}

impl<'a> Difference<'a> {
    /// Two shapes; `None` if one has no support map.
    pub(crate) fn new(a: PosedShape<'a>, b: PosedShape<'a>) -> Option<Self> {
        (a.shape.is_convex() && b.shape.is_convex()).then(|| Self::of_convex(a, b))
    }

    /// Two shapes that have support maps.
    #[inline]
    pub(crate) fn of_convex(a: PosedShape<'a>, b: PosedShape<'a>) -> Self {
        let rel = b.pose.relative_to(&a.pose);
        let radii = [a.shape.core_radius(), b.shape.core_radius()];
        Self {
            a: Core::of(a.shape),
            b: Core::of(b.shape),
            r: Mat3::from_quat(rel.orientation),
            t: rel.position,
            last: [Cell::new(0), Cell::new(0)],
            radii,
            radius: radii[0] + radii[1],
            size: a.shape.bounding_radius().max(b.shape.bounding_radius()),
            curved: curved(a.shape) || curved(b.shape),
        }
    }

    /// A triangle (A's frame, m) and a convex shape whose frame has the pose `pose`.
    pub(crate) fn of_triangle(t: [Vec3; 3], b: &'a Shape, pose: &Pose) -> Option<Self> {
        b.is_convex().then(|| Self {
            a: Core::Triangle(t),
            b: Core::of(b),
            r: Mat3::from_quat(pose.orientation),
            t: pose.position,
            last: [Cell::new(0), Cell::new(0)],
            radii: [0.0, b.core_radius()],
            radius: b.core_radius(),
            size: b.bounding_radius().max((t[1] - t[0]).length()).max((t[2] - t[0]).length()),
            curved: curved(b),
        })
    }

    /// The same with B moved (A's frame, m).
    pub(crate) fn moved(&self, by: Vec3) -> Self {
        Self { t: self.t + by, ..self.clone() }
    }

    /// The offset of the frames (m): a first guess of the way from A to B.
    pub(crate) fn offset(&self) -> Vec3 {
        self.t
    }

    /// The corner farthest along `d` (A's frame).
    #[inline]
    pub(crate) fn support(&self, d: Vec3) -> Corner {
        let [first, second] = &self.last;
        let (on_a, number_a) = self.a.corner(-d, first.get());
        let (on_b, number_b) = self.b.corner(self.r.transpose_mul_vec3(d), second.get());
        first.set(number_a);
        second.set(number_b);
        self.corner(on_a, on_b, [number_a, number_b])
    }

    /// Makes the next search for the farthest corners begin at these.
    pub(crate) fn begin_at(&self, a: u32, b: u32) {
        self.last[0].set(a);
        self.last[1].set(b);
    }

    /// The corner with the given numbers; `None` if a core has no such corner.
    pub(crate) fn numbered(&self, numbers: [u32; 2]) -> Option<Corner> {
        let on_a = self.a.numbered(numbers[0])?;
        Some(self.corner(on_a, self.b.numbered(numbers[1])?, numbers))
    }

    #[inline]
    fn corner(&self, on_a: Vec3, on_b: Vec3, numbers: [u32; 2]) -> Corner {
        Corner { at: self.t + self.r * on_b - on_a, on_a, numbers }
    }

    /// Gap between the planes that bound the cores along the unit vector `n` (A's frame); its negative is a
    /// length that parts them.
    #[inline]
    pub(crate) fn separation(&self, n: Vec3) -> Real {
        n.dot(self.support(-n).at)
    }
}

/// Returns true if a corner can be named from frame to frame.
pub(crate) fn is_named(corner: &Corner) -> bool {
    corner.numbers.iter().all(|&n| n != NO_CORNER && n < 0x7fff)
}
