//! Boxes and convex polyhedra as vertices, edges and faces in one frame.

use crate::box_box::feature_of;
use drystone_core::Feature;
use drystone_geometry::{ConvexPolyhedron, Shape};
use drystone_math::{Mat3, Pose, Real, Vec3};
use std::sync::LazyLock;

/// The box of half extents one: bit k of a vertex's number set means the negative side of axis k.
static UNIT_BOX: LazyLock<Option<ConvexPolyhedron>> = LazyLock::new(|| {
    let side = |bit: u32| if bit & 1 == 1 { -1.0 } else { 1.0 };
    let corners: Vec<Vec3> = (0..8).map(|i| Vec3::new(side(i), side(i >> 1), side(i >> 2))).collect();
    ConvexPolyhedron::hull(&corners).ok()
});

/// A polyhedron placed in the common frame of both shapes of a pair.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Solid<'a> {
    poly: &'a ConvexPolyhedron,
    /// Half extents of a box, ones for a polyhedron.
    scale: Vec3,
    is_box: bool,
    r: Mat3,
    t: Vec3,
}

/// Returns true if a shape has vertices, edges and faces to walk over.
pub(crate) fn is_solid(shape: &Shape) -> bool {
    match shape {
        Shape::Box(_) => true,
        Shape::Convex(c) => c.is_closed(),
        _ => false,
    }
}

impl<'a> Solid<'a> {
    /// A box or polyhedron at a pose; `None` for other shapes.
    pub(crate) fn new(shape: &'a Shape, pose: &Pose) -> Option<Self> {
        let (poly, scale, is_box) = match shape {
            Shape::Box(b) => (UNIT_BOX.as_ref()?, b.half_extents(), true),
            Shape::Convex(c) if c.is_closed() => (&**c, Vec3::ONE, false),
            _ => return None,
        };
        Some(Self { poly, scale, is_box, r: Mat3::from_quat(pose.orientation), t: pose.position })
    }

    /// The underlying polyhedron, which knows which features border on which.
    pub(crate) fn poly(&self) -> &'a ConvexPolyhedron {
        self.poly
    }

    /// A point inside (m).
    pub(crate) fn inner(&self) -> Vec3 {
        if self.is_box {
            return self.t;
        }
        let v = self.poly.vertices();
        self.t + self.r * (v.iter().fold(Vec3::ZERO, |s, &p| s + p) / v.len() as Real)
    }

    /// A vertex (m).
    #[inline]
    pub(crate) fn vertex(&self, v: u32) -> Vec3 {
        self.t + self.r * (self.poly.vertices()[v as usize] * self.scale)
    }

    /// The ends of an edge (m).
    #[inline]
    pub(crate) fn edge(&self, e: u32) -> (Vec3, Vec3) {
        let [p, q] = self.poly.edges()[e as usize];
        (self.vertex(p), self.vertex(q))
    }

    /// The outward unit normal of a face; a box's normals do not change with its scale.
    #[inline]
    pub(crate) fn normal(&self, f: u32) -> Vec3 {
        self.r * self.poly.face_plane(f as usize).0
    }

    /// A point in a face's plane (m).
    #[inline]
    pub(crate) fn face_point(&self, f: u32) -> Vec3 {
        self.vertex(self.poly.face_corners(f as usize)[0])
    }

    /// Returns true if a point lies inside, or no farther than `noise` (m) beyond any face.
    pub(crate) fn holds(&self, p: Vec3, noise: Real) -> bool {
        (0..self.poly.face_count() as u32).all(|f| self.normal(f).dot(p - self.face_point(f)) <= noise)
    }

    /// The vertex farthest along a direction, searched from `start`.
    #[inline]
    pub(crate) fn support(&self, d: Vec3, start: u32) -> u32 {
        self.poly.support_vertex(self.r.transpose_mul_vec3(d) * self.scale, start)
    }

    /// The name of the feature that carries a surface point; a box's features have names of their own.
    pub(crate) fn feature(&self, own: Feature, at: Vec3) -> Feature {
        if !self.is_box {
            return own;
        }
        let local = self.r.transpose_mul_vec3(at - self.t);
        feature_of(local * (1.0 + 1e-12), self.scale)
    }
}
