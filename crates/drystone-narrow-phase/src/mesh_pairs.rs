//! Meshes against anything: sample points of either looked up in the other's signed distance.

use crate::field::field;
use crate::gap::Gap;
use crate::probes::visit_probes;
use crate::{epa, gjk, minkowski::Difference};
use drystone_core::{ContactSeed, FeatureKey, PosedShape};
use drystone_geometry::bvh::{DistanceOrder, tree_distance};
use drystone_geometry::{MeshShape, Plane, Shape};
use drystone_math::{Pose, Real, Vec3};

/// How meshes are looked up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lookup {
    /// In their maps, where they have one; else exactly.
    pub mapped: bool,
    /// By descending the sphere trees of the samples, or by trying each sample.
    pub tree: bool,
}

/// A plane and a mesh: the corners of the mesh's hull. Emits those within the envelope.
pub(crate) fn plane_mesh(
    plane: &Plane,
    pose: &Pose,
    mesh: &MeshShape,
    mesh_pose: &Pose,
    envelope: Real,
    seeds: &mut Vec<ContactSeed>,
) -> Gap {
    let (n, d) = plane.placed(pose);
    let local = mesh_pose.local_direction(n);
    let base = n.dot(mesh_pose.position) - d;
    let vertices = mesh.hull().map_or(mesh.mesh().vertices(), |h| h.vertices());
    let mut lowest = (Real::INFINITY, Vec3::ZERO);
    for (i, v) in vertices.iter().enumerate() {
        let h = base + local.dot(*v);
        if h < lowest.0 {
            lowest = (h, *v);
        }
        // without an end to the envelope the caller wants the distance, and the points that are as near as it
        if h <= envelope && envelope.is_finite() {
            let position = mesh_pose.point(*v) - n * (0.5 * h);
            seeds.push(ContactSeed { position, normal: n, separation: h, key: FeatureKey(i as u64) });
        }
    }
    let on_b = mesh_pose.point(lowest.1);
    Gap::smooth(lowest.0, n, on_b - n * lowest.0, on_b)
}

/// Two bounded shapes, at least one a mesh.
pub(crate) fn sampled(
    a: PosedShape<'_>,
    b: PosedShape<'_>,
    envelope: Real,
    lookup: Lookup,
    seeds: &mut Vec<ContactSeed>,
) -> Gap {
    // contacts are looked for in the envelope, or upon touch where it has no end
    let reach = if envelope.is_finite() { envelope } else { 0.0 };
    samples_in_field(a, b, reach, lookup, false, seeds);
    samples_in_field(b, a, reach, lookup, true, seeds);
    let deepest = seeds.iter().reduce(|d, s| if s.separation < d.separation { s } else { d }).copied();
    if let Some(s) = deepest
        && (s.separation <= 0.0 || envelope.is_finite())
    {
        let half = s.normal * (0.5 * s.separation);
        return Gap::smooth(s.separation, s.normal, s.position - half, s.position + half);
    }
    let gap = if envelope.is_finite() { near_triangles(a, b, envelope) } else { Some(apart(a, b)) };
    let Some(gap) = gap else {
        let n = (b.pose.position - a.pose.position).normalize_or(Vec3::Y);
        return Gap::smooth(envelope.max(0.0) * (1.0 + 1e-9) + 1e-12, n, a.pose.position, b.pose.position);
    };
    if gap.distance <= envelope && envelope.is_finite() {
        let position = (gap.on_a + gap.on_b) * 0.5;
        let key = FeatureKey(1 << 40);
        seeds.push(ContactSeed { position, normal: gap.normal, separation: gap.distance, key });
    }
    gap
}

/// Looks the samples of `from` up in the field of `of`. `flipped` tells that `from` is B.
fn samples_in_field(
    from: PosedShape<'_>,
    of: PosedShape<'_>,
    reach: Real,
    lookup: Lookup,
    flipped: bool,
    seeds: &mut Vec<ContactSeed>,
) {
    let rel = from.pose.relative_to(&of.pose);
    let mut try_point = |p: Vec3, radius: Real, number: u32| {
        let at = rel.point(p);
        let Some((d, n)) = field(of.shape, at, reach + radius, lookup.mapped) else { return };
        let separation = d - radius;
        // the field's gradient leads from `of` to `from`
        let out = of.pose.direction(n);
        let position = of.pose.point(at) - out * (radius + 0.5 * separation);
        let normal = if flipped { out } else { -out };
        let key = FeatureKey(u64::from(flipped) << 41 | 1 << 42 | u64::from(number));
        seeds.push(ContactSeed { position, normal, separation, key });
    };
    let Shape::Mesh(mesh) = from.shape else {
        visit_probes(from.shape, try_point);
        return;
    };
    let samples = mesh.samples();
    if !lookup.tree {
        for (i, p) in samples.points().iter().enumerate() {
            try_point(*p, 0.0, i as u32);
        }
        return;
    }
    samples.visit(
        |center, radius| may_meet(of.shape, rel.point(center), radius + reach, lookup),
        |i| try_point(samples.points()[i], 0.0, i as u32),
    );
}

/// Whether a ball about a point may reach the surface or the inside.
fn may_meet(shape: &Shape, at: Vec3, radius: Real, lookup: Lookup) -> bool {
    let Shape::Mesh(mesh) = shape else { return field(shape, at, radius, false).is_some() };
    match mesh.map() {
        // J-18: outside the map its box decides, inside the least value about the centre
        Some(map) if lookup.mapped => map.least_around(at).map_or_else(
            || {
                let b = map.bounds();
                (at - at.clamp(b.min, b.max)).length() <= radius
            },
            |least| least <= radius,
        ),
        _ => field(shape, at, radius, false).is_some(),
    }
}

/// The exact gap of shapes that do not overlap.
fn apart(a: PosedShape<'_>, b: PosedShape<'_>) -> Gap {
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

fn nowhere(a: PosedShape<'_>, b: PosedShape<'_>) -> Gap {
    Gap::smooth(Real::MAX, Vec3::Y, a.pose.position, b.pose.position)
}

/// The nearest or deepest triangle of a mesh before a convex shape, within the envelope; of two meshes, their nearest triangles.
fn near_triangles(a: PosedShape<'_>, b: PosedShape<'_>, envelope: Real) -> Option<Gap> {
    let (mesh, other, flipped) = match (a.shape, b.shape) {
        (Shape::Mesh(_), Shape::Mesh(_)) => {
            let gap = apart(a, b);
            return (gap.distance <= envelope).then_some(gap);
        }
        (Shape::Mesh(m), _) => (m, b, false),
        (_, Shape::Mesh(m)) => (m, a, true),
        _ => return None,
    };
    let pose = if flipped { b.pose } else { a.pose };
    let rel = other.pose.relative_to(&pose);
    let mut best: Option<Gap> = None;
    let ball = other.shape.bounding_radius();
    // a bound on the distance to begin with: that of the shape's origin
    let first = if envelope.is_finite() {
        envelope
    } else {
        mesh.distance(rel.position, Real::INFINITY).map_or(Real::INFINITY, |d| d.distance.abs())
    };
    mesh.tree().near(rel.position, ball + first, |t| {
        let corners = mesh.mesh().corners(t);
        let limit = best.map_or(envelope, |g| g.distance);
        if let Some(g) = triangle_gap(corners, mesh.normals().face(t), other.shape, &rel, limit)
            && best.is_none_or(|b| g.distance < b.distance)
        {
            best = Some(g);
        }
    });
    let g = best.filter(|g| g.distance <= envelope)?;
    let world = Gap { normal: pose.direction(g.normal), on_a: pose.point(g.on_a), on_b: pose.point(g.on_b), ..g };
    Some(if flipped { world.flipped() } else { world })
}

/// A triangle and a convex shape, in the triangle's frame; where they overlap the way out is the side the triangle faces.
fn triangle_gap(t: [Vec3; 3], face: Vec3, shape: &Shape, pose: &Pose, limit: Real) -> Option<Gap> {
    let d = Difference::of_triangle(t, shape, pose)?;
    let answer = gjk::distance(&d, pose.position - t[0], limit + d.radius);
    if answer.distance > 0.0 {
        let n = answer.normal;
        return Some(Gap::smooth(answer.distance - d.radius, n, answer.on_a, answer.on_b - n * d.radius));
    }
    let depth = epa::penetration(&d, &answer.simplex);
    // out of the solid behind the triangle, not into it
    let n = if depth.normal.dot(face) > 0.5 { depth.normal } else { face };
    let lowest = d.support(-n);
    let below = n.dot(lowest.on_b - t[0]) - d.radius;
    let on_b = lowest.on_b - n * d.radius;
    Some(Gap::smooth(below.min(0.0), n, on_b - n * below, on_b))
}
