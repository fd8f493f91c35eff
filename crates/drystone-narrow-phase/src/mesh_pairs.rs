//! Meshes against anything: sample points of either looked up in the other's signed distance.

use crate::field::field;
use crate::gap::Gap;
use crate::gjk;
use crate::gjk_epa::{convex_gap, separation};
use crate::mesh_crossing::crossing;
use crate::mesh_depth::parting;
use crate::mesh_edges::edge_crossings;
use crate::minkowski::Difference;
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

/// Sine of the angle that the way out of a capsule's side may lean along it.
const LEAN: Real = 0.05;

/// Cosine of the angle that the way from the middle of a flat region may lean from its normal.
const UPRIGHT: Real = 0.999;

/// Marks the key of a sample of B.
const FROM_B: u64 = 1 << 41;

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
            && let Some(gap) = between_samples(a, b)
        {
            seeds.push(between(&gap));
            return gap;
        }
        let half = s.normal * (0.5 * s.separation);
        return Gap::smooth(s.separation, s.normal, s.position - half, s.position + half);
    }
    let gap = match (envelope.is_finite(), asked) {
        (false, _) => Some(apart(a, b)),
        // edges that are not sampled may cross all the same
        (true, true) if is_coarse(a.shape) || is_coarse(b.shape) => between_samples(a, b),
        (true, true) => None,
        (true, false) => near_triangles(a, b, envelope),
    };
    let Some(gap) = gap else {
        let n = (b.pose.position - a.pose.position).normalize_or(Vec3::Y);
        return Gap::smooth(envelope.max(0.0) * (1.0 + 1e-9) + 1e-12, n, a.pose.position, b.pose.position);
    };
    let gap = if gap.distance <= 0.0 { between_samples(a, b).unwrap_or(gap) } else { gap };
    if gap.distance <= envelope && envelope.is_finite() {
        seeds.push(between(&gap));
    }
    gap
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

/// The overlap of shapes that cut each other where no sample is.
pub(crate) fn between_samples(a: PosedShape<'_>, b: PosedShape<'_>) -> Option<Gap> {
    if let (Some(x), Some(y)) = (solid(a.shape), solid(b.shape)) {
        let posed = |shape, pose| PosedShape { shape, pose };
        let gap = convex_gap(posed(x, a.pose), posed(y, b.pose), 0.0, &mut NarrowCache::default());
        return gap.filter(|g| g.distance < 0.0);
    }
    if let (Shape::Mesh(x), Shape::Mesh(y)) = (a.shape, b.shape) {
        return crossing((a, x), (b, y));
    }
    near_triangles(a, b, 0.0).filter(|gap| gap.distance < 0.0)
}

/// The contact of a gap that no sample gave.
fn between(gap: &Gap) -> ContactSeed {
    let position = (gap.on_a + gap.on_b) * 0.5;
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
        let key = FeatureKey(if flipped { FROM_B } else { 0 } | 1 << 42 | u64::from(number));
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
            // inside a capsule's core a ball stands for its side alone: elsewhere its surface is not the capsule's
            let leans = |n: Vec3| rel.local_direction(n).y.abs() > LEAN;
            let inner = matches!(probed, Shape::Capsule(_)) && (1..4).contains(&number);
            if let Some(found) = found.filter(|f| !(inner && leans(f.1))) {
                emit(at, radius, number, found);
            }
        }),
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

/// A triangle of a mesh and a convex shape, in the mesh's frame; where they overlap see [`way_out`].
fn triangle_gap(mesh: &MeshShape, triangle: usize, shape: &Shape, pose: &Pose, limit: Real) -> Option<Gap> {
    let t = mesh.mesh().corners(triangle);
    let d = Difference::of_triangle(t, shape, pose)?;
    let mut simplex = gjk::toward(&d, pose.position - t[0]);
    let answer = gjk::distance(&d, &mut simplex, limit + d.radius);
    if answer.distance > 0.0 {
        let found = separation(&d, &answer, &simplex, limit + d.radius);
        let n = found.normal;
        return Some(Gap::smooth(found.distance - d.radius, n, found.on_a, found.on_b - n * d.radius));
    }
    let out = way_out(mesh, triangle, &d);
    // the shortest way out of the triangle itself, where it does not lead into the solid behind it
    let found = separation(&d, &answer, &simplex, Real::INFINITY);
    let (n, distance) = (found.normal, found.distance - d.radius);
    let is_shorter = distance > out.distance && n.dot(mesh.normals().face(triangle)) >= 0.0;
    Some(if is_shorter { Gap::smooth(distance, n, found.on_a, found.on_b - n * d.radius) } else { out })
}

/// Steps of the search on the arc between two normals: each leaves 0.62 of it.
const ARC_STEPS: u32 = 24;

/// The shortest way for a convex shape out of a triangle that it overlaps, among those that lead out of the solid behind
/// it: along its normal, and along the directions between its normal and a neighbour's where the edge is convex.
fn way_out(mesh: &MeshShape, triangle: usize, d: &Difference<'_>) -> Gap {
    let corners = mesh.mesh().corners(triangle);
    let face = mesh.normals().face(triangle);
    let along = |n: Vec3, from: Vec3| {
        let on_b = d.support(-n).on_b() - n * d.radius;
        let below = n.dot(on_b - from);
        Gap::smooth(below.min(0.0), n, on_b - n * below, on_b)
    };
    let mut best = along(face, corners[0]);
    for side in 0..3 {
        let Some(other) = mesh.topology().across(triangle, side) else { continue };
        let (from, edge) = (corners[side], corners[(side + 1) % 3] - corners[side]);
        let beyond = mesh.normals().face(other);
        if face.cross(beyond).dot(edge) <= 1e-9 * edge.length() {
            continue;
        }
        // golden section on the arc
        let at = |w: Real| along((face * (1.0 - w) + beyond * w).normalize_or(face), from);
        let golden = 0.618_033_988_749_894_9;
        let (mut low, mut high) = (0.0, 1.0);
        let mut inner = (at(1.0 - golden), at(golden));
        for _ in 0..ARC_STEPS {
            if inner.0.distance >= inner.1.distance {
                high = low + golden * (high - low);
                inner = (at(high - golden * (high - low)), inner.0);
            } else {
                low = high - golden * (high - low);
                inner = (inner.1, at(low + golden * (high - low)));
            }
        }
        for g in [inner.0, inner.1, at(1.0)] {
            if g.distance > best.distance {
                best = g;
            }
        }
    }
    // where they are about to part they touch at points of both
    let moved = d.moved(best.normal * (d.radius - 1.001 * best.distance + 1e-9 * d.size));
    let answer = gjk::distance(&moved, &mut gjk::toward(&moved, best.normal), Real::INFINITY);
    let on_a = answer.on_a;
    Gap { on_a, on_b: on_a + best.normal * best.distance, ..best }
}
