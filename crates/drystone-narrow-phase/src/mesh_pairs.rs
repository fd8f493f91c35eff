//! Meshes against anything: sample points of each shape are looked up in the other's signed distance; if they find nothing, the triangles decide.

use crate::creases::{UNSUPPORTED, settle};
use crate::edge_normals::EdgeNormals;
use crate::field::MeshField;
use crate::gap::Gap;
use crate::mesh_contacts;
use crate::mesh_depth::parting;
use crate::mesh_edges::{edge_crossings, passed_edges};
use crate::mesh_gap::{apart, at_least, between_samples, near_triangles};
use crate::mesh_samples::{FROM_B, Lookup, SAMPLED, is_inner, look_up};
use crate::probes::looks_along;
use drystone_core::{ContactSeed, FeatureKey, PosedShape};
use drystone_geometry::{MeshShape, Plane, Shape};
use drystone_math::{Pose, Real, Vec3};

/// From this many cells between samples of an edge on, they may miss a crossing.
const COARSE: Real = 4.0;

/// Largest rest of the way from a ball to the surface, relative to the size of the mesh.
const NEARLY_THERE: Real = 1e-3;

/// Most steps from a ball inside a mesh to its surface, none of which is longer than the distance.
const MOST_ADVANCES: u32 = 64;

/// A plane and a mesh: the corners of the mesh's hull. It emits those within the envelope.
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
        // with an infinite envelope the caller wants the distance, and the points that are equally near
        if h <= envelope && envelope.is_finite() {
            let position = mesh_pose.point(*v) - n * (0.5 * h);
            seeds.push(ContactSeed { position, normal: n, separation: h, key: FeatureKey(i as u64), parts: None });
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
    if envelope.is_finite()
        && let Some(gap) = against_convex(a, b, envelope, lookup, seeds)
    {
        return gap;
    }
    // contacts are sought within the envelope, or at touch if it is infinite
    let reach = if envelope.is_finite() { envelope } else { 0.0 };
    let looks = look_up(a, b, reach, lookup, seeds);
    if envelope.is_finite() {
        let mapped = [a, b].map(|s| lookup.map(s.shape).is_some());
        let both_tell = mapped.contains(&true) && lookup.edges == EdgeNormals::Common;
        if both_tell {
            settle(a, b, lookup, seeds);
        }
        drop_leaning(a, b, seeds);
        reach_surfaces(a, b, seeds);
        drop_opposed(seeds);
        if mapped.contains(&false) || both_tell && (is_coarse(a.shape) || is_coarse(b.shape)) {
            edge_crossings(a, b, reach, seeds);
        }
    }
    let gap = nearest_or_deepest(a, b, envelope, lookup, seeds);
    let gap = Gap { iterations: gap.iterations + looks, ..gap };
    // a caller with an infinite envelope wants the depth as well; with a finite one, the samples are enough
    if gap.distance < 0.0 && !envelope.is_finite() { parting(a, b, lookup, &gap, seeds) } else { gap }
}

/// A mesh looked up by its triangles and a convex shape; `None` for other pairs.
fn against_convex(
    a: PosedShape<'_>,
    b: PosedShape<'_>,
    envelope: Real,
    lookup: Lookup,
    seeds: &mut Vec<ContactSeed>,
) -> Option<Gap> {
    match (a.shape, b.shape) {
        (Shape::Mesh(m), other) if other.is_convex() && lookup.map(a.shape).is_none() => {
            let gap = mesh_contacts::within((&a.pose, m), b, envelope, seeds);
            Some(gap.unwrap_or_else(|| at_least((a, m), b, envelope)))
        }
        (other, Shape::Mesh(m)) if other.is_convex() && lookup.map(b.shape).is_none() => {
            let gap = mesh_contacts::within((&b.pose, m), a, envelope, seeds);
            for s in seeds.iter_mut() {
                s.normal = -s.normal;
            }
            Some(gap.unwrap_or_else(|| at_least((b, m), a, envelope)).flipped())
        }
        _ => None,
    }
}

/// Drops the contacts of samples in the middle of a flat region or an edge whose way to the other shape leans along it, and of those that have no normal in
/// common with that shape: it comes nearer beside them, and they would push it along the surface. An overlap stays if no other sample has one as deep.
fn drop_leaning(a: PosedShape<'_>, b: PosedShape<'_>, seeds: &mut Vec<ContactSeed>) {
    let leans = |s: &ContactSeed| {
        let (from, out) = if s.key.0 & FROM_B == 0 { (a, s.normal) } else { (b, -s.normal) };
        s.key.0 & UNSUPPORTED != 0 || looks_along(from.shape, s.key.0 as u32, from.pose.local_direction(out))
    };
    let kept = seeds.iter().filter(|s| !leans(s));
    let deepest = kept.fold(0.0, |d: Real, s| d.min(s.separation));
    seeds.retain(|s| s.separation < deepest || !leans(s));
    for s in seeds {
        s.key.0 &= !UNSUPPORTED;
    }
}

/// If a ball inside one shape is far in the other, drops the contacts of samples that would pull it in further, or that are deeper: their way out leads through the middle of the
/// other shape.
fn drop_opposed(seeds: &mut Vec<ContactSeed>) {
    let inner = seeds.iter().filter(|s| is_inner(s.key));
    let Some(deepest) = inner.reduce(|d, s| if s.separation < d.separation { s } else { d }) else { return };
    let (out, depth) = (deepest.normal, deepest.separation);
    seeds.retain(|s| s.normal.dot(out) > 0.0 && s.separation >= depth);
}

/// Moves the contacts of balls inside a shape on to its surface: its points in front of a ball are deeper in the other shape by their distance from the ball, and what is reported
/// lies on both surfaces.
fn reach_surfaces(a: PosedShape<'_>, b: PosedShape<'_>, seeds: &mut [ContactSeed]) {
    for s in seeds.iter_mut().filter(|s| is_inner(s.key)) {
        let (own, ahead) = if s.key.0 & FROM_B == 0 { (a, s.normal) } else { (b, -s.normal) };
        let Shape::Mesh(mesh) = own.shape else { continue };
        let told = gap_of(s);
        let from = if s.key.0 & FROM_B == 0 { told.on_a } else { told.on_b };
        let (mut at, way) = (own.pose.local_point(from), own.pose.local_direction(ahead));
        let start = at;
        for _ in 0..MOST_ADVANCES {
            let Some(found) = mesh.distance(at, Real::INFINITY).filter(|f| f.distance < 0.0) else { break };
            at -= way * found.distance;
        }
        // the rest of the way, to the plane of the triangle that is nearest at last
        if let Some(last) = mesh.distance(at, Real::INFINITY) {
            let n = mesh.normals().face(last.triangle);
            let rest = n.dot(last.nearest - at) / n.dot(way);
            at += way * if rest.abs() < NEARLY_THERE * mesh.bounding_radius() { rest } else { 0.0 };
        }
        let on = (at - start).dot(way);
        s.separation -= on;
        s.position += ahead * (0.5 * on);
    }
}

/// The gap from the samples found, or from the triangles if the samples decide nothing.
fn nearest_or_deepest(
    a: PosedShape<'_>,
    b: PosedShape<'_>,
    envelope: Real,
    lookup: Lookup,
    seeds: &mut Vec<ContactSeed>,
) -> Gap {
    let deepest = seeds.iter().reduce(|d, s| if s.separation < d.separation { s } else { d }).copied();
    // two maps have been searched completely: if their samples meet nothing, the shapes are apart
    let asked = lookup.map(a.shape).is_some() && lookup.map(b.shape).is_some();
    if let Some(s) = deepest
        && (s.separation <= 0.0 || envelope.is_finite())
    {
        // samples that only touch do not rule out an edge that cuts elsewhere
        if s.separation > 0.0
            && !asked
            && let Some(found) = between_samples(a, b)
        {
            return cut(a, b, found, seeds);
        }
        // the search for the depth must begin with a lower bound
        let lookup = if envelope.is_finite() { lookup } else { Lookup { field: MeshField::Exact, ..lookup } };
        return of_sample(a, b, lookup, &s);
    }
    let gap = match (envelope.is_finite(), asked) {
        (false, _) => Some(apart(a, b)),
        // edges without samples may still cross
        (true, true) if is_coarse(a.shape) || is_coarse(b.shape) => between_samples(a, b).map(|found| found.0),
        (true, true) => None,
        (true, false) => near_triangles(a, b, envelope),
    };
    let Some(gap) = gap else { return beyond(a, b, envelope) };
    let middle = |g: Gap| (g, (g.on_a + g.on_b) * 0.5);
    let overlap = if gap.distance <= 0.0 { between_samples(a, b) } else { None };
    if let Some(found) = overlap.filter(|_| envelope.is_finite()) {
        return cut(a, b, found, seeds);
    }
    let (gap, at) = overlap.unwrap_or_else(|| middle(gap));
    if gap.distance <= envelope && envelope.is_finite() {
        seeds.push(between(&gap, at));
    }
    gap
}

/// The contacts of shapes that cut each other while no sample of either lies in the other: where their edges have passed each other, otherwise `found` from their triangles. A
/// triangle reports its whole depth for an overlap at its edge.
fn cut(a: PosedShape<'_>, b: PosedShape<'_>, found: (Gap, Vec3), seeds: &mut Vec<ContactSeed>) -> Gap {
    let samples = seeds.len();
    passed_edges(a, b, seeds);
    let deepest = seeds[samples..].iter().reduce(|d, s| if s.separation < d.separation { s } else { d });
    if let Some(s) = deepest.filter(|s| s.separation > found.0.distance) {
        return gap_of(s);
    }
    seeds.truncate(samples);
    let (gap, at) = found;
    seeds.push(between(&gap, at));
    gap
}

/// Shapes farther apart than the envelope (m): their nearest points.
fn beyond(a: PosedShape<'_>, b: PosedShape<'_>, envelope: Real) -> Gap {
    let least = envelope.max(0.0) * (1.0 + 1e-9) + 1e-12;
    if let Some(gap) = near_triangles(a, b, Real::INFINITY) {
        // after a complete search of two maps, the shapes are apart whatever their triangles say
        return Gap { distance: gap.distance.max(least), ..gap };
    }
    let n = (b.pose.position - a.pose.position).normalize_or(Vec3::Y);
    Gap::smooth(least, n, a.pose.position, b.pose.position)
}

/// The gap of a sample: the sample, and its foot on the other shape's surface. In a map the foot of a point is searched for on the
/// zero level: deep inside, it is not where the value and its gradient point. The foot of a ball is there already.
fn of_sample(a: PosedShape<'_>, b: PosedShape<'_>, lookup: Lookup, s: &ContactSeed) -> Gap {
    let told = gap_of(s);
    let (on_a, on_b) = (told.on_a, told.on_b);
    let (of, sample, flipped) = if s.key.0 & FROM_B == 0 { (b, on_a, true) } else { (a, on_b, false) };
    let round = |s: &Shape| matches!(s, Shape::Sphere(_) | Shape::Capsule(_));
    if let Some(map) = lookup.map(of.shape)
        && s.key.0 & SAMPLED != 0
        && s.separation < -map.cell()
        && !round(a.shape)
        && !round(b.shape)
        && let Some((foot, _)) = map.nearest_on_surface(of.pose.local_point(sample))
    {
        let foot = of.pose.point(foot);
        let distance = -(sample - foot).length();
        if distance < 0.0 {
            // out of the solid, from the sample to its foot: from A to B if A is the solid
            let out = (foot - sample) / -distance;
            let gap = Gap::smooth(distance, out, foot, sample);
            return if flipped { gap.flipped() } else { gap };
        }
    }
    told
}

/// The gap between the two points that a contact represents.
fn gap_of(s: &ContactSeed) -> Gap {
    let half = s.normal * (0.5 * s.separation);
    Gap::smooth(s.separation, s.normal, s.position - half, s.position + half)
}

/// Returns true if a mapped mesh has sharp edges without a sample over many cells, so that samples alone miss edge
/// crossings.
fn is_coarse(shape: &Shape) -> bool {
    matches!(shape, Shape::Mesh(m) if m.map().is_some_and(|map| m.edge_gap() > COARSE * map.cell()))
}

/// The contact of a gap that no sample gave.
fn between(gap: &Gap, position: Vec3) -> ContactSeed {
    ContactSeed { position, normal: gap.normal, separation: gap.distance, key: FeatureKey(1 << 40), parts: None }
}
