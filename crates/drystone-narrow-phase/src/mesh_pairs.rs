//! Meshes against anything: sample points of either looked up in the other's signed distance.

use crate::field::field;
use crate::gap::Gap;
use crate::gjk_epa::convex_gap;
use crate::mesh_crossing::crossing;
use crate::mesh_depth::parting;
use crate::mesh_edges::edge_crossings;
use crate::mesh_triangle::triangle_gap;
use crate::probes::visit_probes;
use drystone_core::{ContactSeed, FeatureKey, NarrowCache, PosedShape};
use drystone_geometry::bvh::{BoundingVolume, Branch, DistanceOrder, tree_distance};
use drystone_geometry::mesh::{PlacedMap, SignedDistanceMap};
use drystone_geometry::triangle::closest_between_triangles;
use drystone_geometry::{MeshShape, Plane, Shape};
use drystone_math::{Pose, Real, Vec3};
use smallvec::SmallVec;

/// Cells between samples of an edge from which on they may miss a crossing.
const COARSE: Real = 4.0;

/// Sine of the angle that the way out of a capsule's side may lean along it: its ball's surface is off the capsule's by 1/800 of
/// the radius there.
const LEAN: Real = 0.05;

/// Cosine of the angle that the way from the middle of a flat region may lean from its normal.
const UPRIGHT: Real = 0.999;

/// Marks the key of a sample of B.
const FROM_B: u64 = 1 << 41;

/// Marks the key of any sample.
const SAMPLED: u64 = 1 << 42;

/// How meshes are looked up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lookup {
    /// In their maps, where they have one; else exactly.
    pub mapped: bool,
    /// By descending the sphere trees of the samples, or by trying each sample.
    pub tree: bool,
}

impl Lookup {
    /// The map to look a shape up in.
    pub(crate) fn map(self, shape: &Shape) -> Option<&SignedDistanceMap> {
        match shape {
            Shape::Mesh(m) if self.mapped => m.map(),
            _ => None,
        }
    }
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
    look_up(a, b, reach, lookup, seeds);
    if envelope.is_finite() {
        drop_leaning(a, b, seeds);
    }
    let maps = lookup.map(a.shape).is_some() && lookup.map(b.shape).is_some();
    if envelope.is_finite() && !maps {
        edge_crossings(a, b, reach, seeds);
    }
    let gap = nearest_or_deepest(a, b, envelope, lookup, seeds);
    // who asks without an end wants the depth as well; with one, samples stand for themselves
    if gap.distance < 0.0 && !envelope.is_finite() { parting(a, b, lookup, &gap, seeds) } else { gap }
}

/// Takes away the contacts of samples in the middle of a flat region whose way to the other shape leans away from the
/// region's normal: the other shape comes nearer beside them, and they would push it along the surface. An overlap stays
/// where no other sample tells of one as deep.
fn drop_leaning(a: PosedShape<'_>, b: PosedShape<'_>, seeds: &mut Vec<ContactSeed>) {
    let leans = |s: &ContactSeed| {
        let (from, out) = if s.key.0 & FROM_B == 0 { (a, s.normal) } else { (b, -s.normal) };
        let Shape::Mesh(mesh) = from.shape else { return false };
        let flat = mesh.flat_sample(s.key.0 as u32 as usize);
        flat.is_some_and(|n| from.pose.direction(n).dot(out) < UPRIGHT)
    };
    let kept = seeds.iter().filter(|s| !leans(s));
    let deepest = kept.fold(0.0, |d: Real, s| d.min(s.separation));
    seeds.retain(|s| s.separation < deepest || !leans(s));
}

/// The samples of each shape in the other's field, up to `reach` (m).
pub(crate) fn look_up(a: PosedShape<'_>, b: PosedShape<'_>, reach: Real, lookup: Lookup, seeds: &mut Vec<ContactSeed>) {
    seeds.clear();
    samples_in_field(a, b, reach, lookup, false, seeds);
    samples_in_field(b, a, reach, lookup, true, seeds);
}

/// What the samples that were found say, and where they say nothing, the triangles.
fn nearest_or_deepest(
    a: PosedShape<'_>,
    b: PosedShape<'_>,
    envelope: Real,
    lookup: Lookup,
    seeds: &mut Vec<ContactSeed>,
) -> Gap {
    let deepest = seeds.iter().reduce(|d, s| if s.separation < d.separation { s } else { d }).copied();
    // two maps have been asked everything: what their samples do not meet is apart
    let asked = lookup.map(a.shape).is_some() && lookup.map(b.shape).is_some();
    if let Some(s) = deepest
        && (s.separation <= 0.0 || envelope.is_finite())
    {
        // samples that only touch do not tell of an edge that cuts elsewhere
        if s.separation > 0.0
            && !asked
            && let Some((gap, at)) = between_samples(a, b)
        {
            seeds.push(between(&gap, at));
            return gap;
        }
        // the search for the depth is to begin with what bounds it from below
        let lookup = if envelope.is_finite() { lookup } else { Lookup { mapped: false, ..lookup } };
        return of_sample(a, b, lookup, &s);
    }
    let gap = match (envelope.is_finite(), asked) {
        (false, _) => Some(apart(a, b)),
        // edges that are not sampled may cross all the same
        (true, true) if is_coarse(a.shape) || is_coarse(b.shape) => between_samples(a, b).map(|found| found.0),
        (true, true) => None,
        (true, false) => near_triangles(a, b, envelope),
    };
    let Some(gap) = gap else {
        let n = (b.pose.position - a.pose.position).normalize_or(Vec3::Y);
        return Gap::smooth(envelope.max(0.0) * (1.0 + 1e-9) + 1e-12, n, a.pose.position, b.pose.position);
    };
    let middle = |g: Gap| (g, (g.on_a + g.on_b) * 0.5);
    let overlap = if gap.distance <= 0.0 { between_samples(a, b) } else { None };
    let (gap, at) = overlap.unwrap_or_else(|| middle(gap));
    if gap.distance <= envelope && envelope.is_finite() {
        seeds.push(between(&gap, at));
    }
    gap
}

/// The gap that a sample tells of: the sample, and its foot on the other shape's surface. In a map the foot of a point is looked for
/// on the zero level: deep inside it is not where the value and its gradient point to. That of a ball is there already.
fn of_sample(a: PosedShape<'_>, b: PosedShape<'_>, lookup: Lookup, s: &ContactSeed) -> Gap {
    let half = s.normal * (0.5 * s.separation);
    let (on_a, on_b) = (s.position - half, s.position + half);
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
            // out of the solid, from the sample to its foot: from A to B where A is the solid
            let out = (foot - sample) / -distance;
            let gap = Gap::smooth(distance, out, foot, sample);
            return if flipped { gap.flipped() } else { gap };
        }
    }
    Gap::smooth(s.separation, s.normal, on_a, on_b)
}

/// Whether a mapped mesh has sharp edges without a sample over many cells, so that its samples alone may miss a crossing.
fn is_coarse(shape: &Shape) -> bool {
    matches!(shape, Shape::Mesh(m) if m.map().is_some_and(|map| m.edge_gap() > COARSE * map.cell()))
}

/// What is convex of a shape: itself, or the hull of a mesh that is its own hull.
pub(crate) fn solid(shape: &Shape) -> Option<&Shape> {
    match shape {
        Shape::Mesh(m) => m.hull_shape().filter(|_| m.is_convex()),
        s => s.is_convex().then_some(s),
    }
}

/// The overlap of shapes that cut each other where no sample is, and where (m).
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

/// The contact of a gap that no sample gave.
fn between(gap: &Gap, position: Vec3) -> ContactSeed {
    ContactSeed { position, normal: gap.normal, separation: gap.distance, key: FeatureKey(1 << 40) }
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
    let mut emit = |at: Vec3, radius: Real, number: u32, (d, n): (Real, Vec3)| {
        let separation = d - radius;
        // the field's gradient leads from `of` to `from`
        let out = of.pose.direction(n);
        let position = of.pose.point(at) - out * (radius + 0.5 * separation);
        let normal = if flipped { out } else { -out };
        let key = FeatureKey(if flipped { FROM_B } else { 0 } | SAMPLED | u64::from(number));
        seeds.push(ContactSeed { position, normal, separation, key });
    };
    match (from.shape, lookup.map(of.shape)) {
        (Shape::Mesh(mesh), Some(map)) => {
            let samples = mesh.samples();
            let placed = PlacedMap::new(map, &rel, samples.extent(), reach);
            let mut try_point = |number: usize, p: Vec3| {
                if let Some(found) = map.sample_below(placed.place(p), reach) {
                    emit(rel.point(p), 0.0, number as u32, found);
                }
            };
            if lookup.tree {
                samples.visit_near(&placed, try_point);
            } else {
                samples.points().iter().copied().enumerate().for_each(|(i, p)| try_point(i, p));
            }
        }
        (Shape::Mesh(mesh), None) => {
            let try_point = |number: usize, p: Vec3| {
                let at = rel.point(p);
                if let Some(found) = field(of.shape, at, reach, lookup.mapped) {
                    emit(at, 0.0, number as u32, found);
                }
            };
            let open = |c: Vec3, r: Real| field(of.shape, rel.point(c), r + reach, false).is_some();
            visit_samples(mesh, lookup, open, try_point);
        }
        (probed, map) => visit_probes(probed, |p, radius, number| {
            let at = rel.point(p);
            let found = match map {
                Some(map) if radius > 0.0 => ball_in_map(map, at, radius, reach),
                _ => field(of.shape, at, reach + radius, lookup.mapped),
            };
            if let Some(found) = found.filter(|f| is_on_surface(probed, number, rel.local_direction(-f.1))) {
                emit(at, radius, number, found);
            }
        }),
    }
}

/// Whether the surface of a probe's ball is the shape's in a direction of the shape's frame: of a capsule, balls inside its core
/// stand for its side alone, those at its ends for a half.
fn is_on_surface(probed: &Shape, number: u32, direction: Vec3) -> bool {
    !matches!(probed, Shape::Capsule(_))
        || match number {
            0 => direction.y <= LEAN,
            4 => direction.y >= -LEAN,
            _ => direction.y.abs() <= LEAN,
        }
}

/// The signed distance of a ball's centre from the zero level of a map and the way out there, where the ball comes within
/// `reach` (m) of it (J-19): the point of the zero level nearest to the centre is looked for, so that the centre may lie
/// outside the map.
fn ball_in_map(map: &SignedDistanceMap, center: Vec3, radius: Real, reach: Real) -> Option<(Real, Vec3)> {
    if !PlacedMap::new(map, &Pose::IDENTITY, center.length(), reach).ball_may_reach(center, radius) {
        return None;
    }
    let (nearest, gradient) = map.nearest_on_surface(center)?;
    let away = center - nearest;
    let distance = away.length().copysign(map.sample(center).map_or(1.0, |s| s.0));
    // from a distance the way to the nearest point is the better direction: the gradient bends at the cells of an edge
    let out = if distance.abs() > 0.25 * map.cell() { away / distance } else { gradient };
    (distance <= reach + radius).then_some((distance, out))
}

/// The samples of a mesh: those in balls that `open` lets through, or all of them.
fn visit_samples(
    mesh: &MeshShape,
    lookup: Lookup,
    open: impl FnMut(Vec3, Real) -> bool,
    mut point: impl FnMut(usize, Vec3),
) {
    if lookup.tree {
        mesh.samples().visit(open, point);
    } else {
        for (i, p) in mesh.samples().points().iter().enumerate() {
            point(i, *p);
        }
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

/// The nearest triangles of two meshes where they are within `limit` (m): whatever is farther is not looked into, so
/// that this costs little where nothing is near.
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
        // the nearer pair is looked at first: it is on top
        stack.extend(if far.0 >= near.0 { [far, near] } else { [near, far] });
    }
    let (p, q) = best?;
    let n = (q - p).normalize_or(rel.position.normalize_or(Vec3::Y));
    let gap = Gap::smooth(least, a.pose.direction(n), a.pose.point(p), a.pose.point(q));
    Some(Gap { iterations: visited, ..gap })
}

fn nowhere(a: PosedShape<'_>, b: PosedShape<'_>) -> Gap {
    Gap::smooth(Real::MAX, Vec3::Y, a.pose.position, b.pose.position)
}

/// The nearest or deepest triangle of a mesh before a convex shape, within the envelope; of two meshes, their nearest triangles.
fn near_triangles(a: PosedShape<'_>, b: PosedShape<'_>, envelope: Real) -> Option<Gap> {
    let (mesh, other, flipped) = match (a.shape, b.shape) {
        (Shape::Mesh(x), Shape::Mesh(y)) => return nearest_within(a, x, b, y, envelope),
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
        let limit = best.map_or(envelope, |g| g.distance);
        if let Some(g) = triangle_gap(mesh, t, other.shape, &rel, limit)
            && best.is_none_or(|b| g.distance < b.distance)
        {
            best = Some(g);
        }
    });
    let g = best.filter(|g| g.distance <= envelope)?;
    let world = Gap { normal: pose.direction(g.normal), on_a: pose.point(g.on_a), on_b: pose.point(g.on_b), ..g };
    Some(if flipped { world.flipped() } else { world })
}
