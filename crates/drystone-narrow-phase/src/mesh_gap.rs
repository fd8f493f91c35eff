//! Gaps between the triangles of meshes, or between their hulls if the meshes are convex.

use crate::gap::Gap;
use crate::gjk_epa::convex_gap;
use crate::mesh_crossing::crossing;
use crate::mesh_triangle::triangle_gap;
use drystone_core::{NarrowCache, PosedShape};
use drystone_geometry::bvh::{AxisBox, BoundingVolume, Branch, DistanceOrder, tree_distance};
use drystone_geometry::triangle::closest_between_triangles;
use drystone_geometry::{MeshShape, Shape};
use drystone_math::{Pose, Real, Vec3};
use smallvec::SmallVec;

/// The shape if it is convex, or the hull of a mesh that is its own hull; otherwise `None`.
pub(crate) fn solid(shape: &Shape) -> Option<&Shape> {
    match shape {
        Shape::Mesh(m) => m.hull_shape().filter(|_| m.is_convex()),
        s => s.is_convex().then_some(s),
    }
}

/// The overlap of shapes that cut each other away from any sample, and its place (m).
pub(crate) fn between_samples(a: PosedShape<'_>, b: PosedShape<'_>) -> Option<(Gap, Vec3)> {
    let gap = if let (Some(x), Some(y)) = (solid(a.shape), solid(b.shape)) {
        let posed = |shape, pose| PosedShape { shape, pose };
        convex_gap(posed(x, a.pose), posed(y, b.pose), 0.0, &mut NarrowCache::default())
    } else if let (Shape::Mesh(x), Shape::Mesh(y)) = (a.shape, b.shape) {
        return crossing((a, x), (b, y));
    } else {
        near_triangles(a, b, 0.0)
    };
    gap.filter(|g| g.distance < 0.0).map(|g| (g, (g.on_a + g.on_b) * 0.5))
}

/// The exact gap of shapes that do not overlap.
pub(crate) fn apart(a: PosedShape<'_>, b: PosedShape<'_>) -> Gap {
    match (a.shape, b.shape) {
        (Shape::Mesh(x), Shape::Mesh(y)) => {
            let rel = b.pose.relative_to(&a.pose);
            let (ta, tb) = ((x.mesh(), x.balls()), (y.mesh(), y.balls()));
            let d = tree_distance(ta, tb, &rel, DistanceOrder::BestFirst, usize::MAX);
            let n = (d.on_b - d.on_a).normalize_or(rel.position.normalize_or(Vec3::Y));
            let gap = Gap::smooth(d.upper, a.pose.direction(n), a.pose.point(d.on_a), a.pose.point(d.on_b));
            Gap { iterations: d.visited as u32, ..gap }
        }
        (Shape::Mesh(_), _) => near_triangles(a, b, Real::INFINITY).unwrap_or_else(|| nowhere(a, b)),
        _ => near_triangles(b, a, Real::INFINITY).unwrap_or_else(|| nowhere(b, a)).flipped(),
    }
}

/// The nearest triangles of two meshes if they are within `limit` (m). Anything farther is skipped, so this costs
/// little if nothing is near.
fn nearest_within(a: PosedShape<'_>, x: &MeshShape, b: PosedShape<'_>, y: &MeshShape, limit: Real) -> Option<Gap> {
    let rel = b.pose.relative_to(&a.pose);
    let (ta, tb) = (x.balls(), y.balls());
    let bound = |m: usize, n: usize| ta.volume(m).distance(tb.volume(n), &rel);
    let mut stack = SmallVec::<[(Real, usize, usize); 128]>::from_slice(&[(bound(0, 0), 0, 0)]);
    let (mut least, mut best, mut visited) = (limit, None, 0);
    while let Some((at_least, m, n)) = stack.pop() {
        if at_least > least {
            continue;
        }
        visited += 1;
        let [far, near] = match (ta.branch(m), tb.branch(n)) {
            (Branch::Leaf(s), Branch::Leaf(t)) => {
                let q = y.mesh().corners(t).map(|p| rel.point(p));
                let (p, q) = closest_between_triangles(x.mesh().corners(s), q);
                let d = (q - p).length();
                if d <= least {
                    (least, best) = (d, Some((p, q)));
                }
                continue;
            }
            (Branch::Split(l, r), other)
                if matches!(other, Branch::Leaf(_)) || ta.volume(m).volume() >= tb.volume(n).volume() =>
            {
                [(bound(l, n), l, n), (bound(r, n), r, n)]
            }
            (_, Branch::Split(l, r)) => [(bound(m, l), m, l), (bound(m, r), m, r)],
            (Branch::Split(l, r), Branch::Leaf(_)) => [(bound(l, n), l, n), (bound(r, n), r, n)],
        };
        // the nearer pair goes on top and is looked at first
        stack.extend(if far.0 >= near.0 { [far, near] } else { [near, far] });
    }
    let (p, q) = best?;
    let n = (q - p).normalize_or(rel.position.normalize_or(Vec3::Y));
    let gap = Gap::smooth(least, a.pose.direction(n), a.pose.point(p), a.pose.point(q));
    Some(Gap { iterations: visited, ..gap })
}

/// A mesh and a shape that are farther apart than `least` (m): a lower bound on their distance, from the boxes around the triangles and the shape, and the places of these boxes.
///
/// # Cost
/// One descent of the tree; no triangle is looked at.
pub(crate) fn at_least((placed, mesh): (PosedShape<'_>, &MeshShape), other: PosedShape<'_>, least: Real) -> Gap {
    let bounds = other.shape.aabb(&other.pose.relative_to(&placed.pose));
    let around = AxisBox { min: bounds.min, max: bounds.max };
    let apart = |v: &AxisBox| v.apart(&around).max(Vec3::ZERO).length();
    let mut nearest = (Real::INFINITY, None);
    mesh.tree().nearest_first(Real::INFINITY, apart, |t| {
        let corners = mesh.mesh().corners(t);
        let own = AxisBox::around(&corners);
        let bound = apart(&own);
        if bound < nearest.0 {
            nearest = (bound, Some(own));
        }
        nearest.0
    });
    let middle = |b: &AxisBox| (b.min + b.max) * 0.5;
    let to = middle(&around);
    let on_a = nearest.1.map_or(Vec3::ZERO, |b| to.clamp(b.min, b.max));
    let on_b = on_a.clamp(around.min, around.max);
    let n = (on_b - on_a).try_normalize().unwrap_or_else(|| (to - on_a).normalize_or(Vec3::Y));
    // the contacts have been sought up to the envelope: rounding must not put the pair within it
    let distance = nearest.0.max(least.max(0.0) * (1.0 + 1e-9) + 1e-12).min(Real::MAX);
    Gap::smooth(distance, placed.pose.direction(n), placed.pose.point(on_a), placed.pose.point(on_b))
}

fn nowhere(a: PosedShape<'_>, b: PosedShape<'_>) -> Gap {
    Gap::smooth(Real::MAX, Vec3::Y, a.pose.position, b.pose.position)
}

/// The nearest or deepest triangle of a mesh against a convex shape, within the envelope; for two meshes, their nearest
/// triangles.
pub(crate) fn near_triangles(a: PosedShape<'_>, b: PosedShape<'_>, envelope: Real) -> Option<Gap> {
    match (a.shape, b.shape) {
        (Shape::Mesh(x), Shape::Mesh(y)) => nearest_within(a, x, b, y, envelope),
        (Shape::Mesh(m), _) => nearest_triangle((a, m), b, envelope),
        (_, Shape::Mesh(m)) => nearest_triangle((b, m), a, envelope).map(Gap::flipped),
        _ => None,
    }
}

/// The nearest or deepest triangle of a mesh against a convex shape, within `limit` (m), as a gap from the mesh to the shape.
pub(crate) fn nearest_triangle(
    (placed, mesh): (PosedShape<'_>, &MeshShape),
    other: PosedShape<'_>,
    limit: Real,
) -> Option<Gap> {
    let rel = other.pose.relative_to(&placed.pose);
    let bounds = other.shape.aabb(&rel);
    let around = AxisBox { min: bounds.min, max: bounds.max };
    let mut best: Option<Gap> = None;
    let mut count = 0;
    let bound = |v: &AxisBox| v.apart(&around).max(Vec3::ZERO).length();
    mesh.tree().nearest_first(limit, bound, |t| {
        let known = best.map_or(limit, |g| g.distance.max(0.0));
        let n = mesh.normals().face(t);
        let (low, high) = along(&other, &rel, n);
        let level = n.dot(mesh.mesh().corners(t)[0]);
        // the triangle's plane may part them by more already
        if low - level > known || level - high > known {
            return known;
        }
        count += 1;
        if let Some(g) = triangle_gap(mesh, t, other.shape, &rel, known)
            && best.is_none_or(|b| g.distance < b.distance)
        {
            best = Some(g);
        }
        best.map_or(limit, |g| g.distance.max(0.0))
    });
    let g = best.filter(|g| g.distance <= limit)?;
    let pose = placed.pose;
    let (on_a, on_b) = (pose.point(g.on_a), pose.point(g.on_b));
    Some(Gap { normal: pose.direction(g.normal), on_a, on_b, iterations: count, ..g })
}

/// Extent of a convex shape with the frame `rel` along a direction from the origin, from the least to the most (m).
fn along(shape: &PosedShape<'_>, rel: &Pose, n: Vec3) -> (Real, Real) {
    let local = rel.local_direction(n);
    let reach = |d: Vec3| shape.shape.support(d).map(|p| n.dot(rel.point(p)));
    (reach(-local).unwrap_or(Real::NEG_INFINITY), reach(local).unwrap_or(Real::INFINITY))
}
