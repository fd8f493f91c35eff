use super::{Ray, Span};
use crate::ConvexPolyhedron;
use drystone_math::{Real, Vec3};

/// A half space `normal . x <= offset`.
pub(super) fn half_space(ray: &Ray, normal: Vec3, offset: Real) -> Option<Span> {
    Span::of_half_space(normal.dot(ray.origin) - offset, normal.dot(ray.direction), normal)
}

/// A box of half extents `h` about the origin: three slabs.
pub(super) fn cuboid(ray: &Ray, h: Vec3) -> Option<Span> {
    (0..3).try_fold(Span::ALL, |span, k| slab(ray, k, h[k]).and_then(|s| span.and(s)))
}

/// `|x_k| <= h`.
pub(super) fn slab(ray: &Ray, k: usize, h: Real) -> Option<Span> {
    let (x, d, axis) = (ray.origin[k], ray.direction[k], Vec3::AXES[k]);
    Span::of_half_space(x - h, d, axis)?.and(Span::of_half_space(-x - h, -d, -axis)?)
}

/// The planes of all faces.
pub(super) fn polyhedron(ray: &Ray, s: &ConvexPolyhedron) -> Option<Span> {
    (0..s.face_count()).try_fold(Span::ALL, |span, f| {
        let (normal, offset) = s.face_plane(f);
        half_space(ray, normal, offset).and_then(|s| span.and(s))
    })
}
