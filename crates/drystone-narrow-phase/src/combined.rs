use crate::box_box::{self, SideBySide};
use crate::edge_normals::EdgeNormals;
use crate::field::{MeshField, field};
use crate::gap::Gap;
use crate::mesh_samples::Lookup;
use crate::parts::parts;
use crate::primitives::{closed_form, unsupported};
use crate::probes::visit_probes;
use crate::sdf_map::mesh_gap;
use crate::{gjk_epa, round_pairs};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{
    ContactSeed, Edge, EdgeAction, FeatureKey, NarrowCache, NarrowPhase, PairBatch, PosedShape, Proximity,
    UnsupportedPair, query_edge,
};
use drystone_geometry::Shape;
use drystone_math::{Real, Registers, Vec3};
use pulp::{Simd, WithSimd};
use std::cell::Cell;

/// Any two shapes except two planes, each pair by the algorithm that suits it: closed forms, GJK with the expanding polytope
/// for other convex pairs, sample points for meshes (in signed distance maps if they have them; a mesh without a map that is
/// its own hull counts as a polyhedron against convex shapes), compounds part by part.
#[derive(Debug, Clone, Copy, Default)]
pub struct Combined;

impl Combined {
    /// For catalogues.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "combined",
        summary: "every pair by the algorithm that suits it: primitives, gjk-epa, triangles of meshes clipped (samples if there are maps, or two meshes), compounds by parts; takes any two shapes except two planes",
        source: "",
        parameters: &[],
    };

    /// There is nothing to set.
    pub fn from_settings(_: &Settings) -> Self {
        Self
    }
}

/// The gap of two shapes that are not compounds.
#[inline]
fn simple(
    a: PosedShape<'_>,
    b: PosedShape<'_>,
    envelope: Real,
    cache: &mut NarrowCache,
    seeds: &mut Vec<ContactSeed>,
) -> Option<Gap> {
    if let Some([a, b]) = as_polyhedra(a, b) {
        // for meshes the distance is exact beyond the envelope too
        return closed_form(a, b).or_else(|| gjk_epa::convex_gap(a, b, Real::INFINITY, cache));
    }
    match (a.shape, b.shape) {
        (Shape::Box(x), Shape::Box(y)) => Some(box_box::least_depth(x, &a.pose, y, &b.pose, envelope, &mut cache[0])),
        (Shape::Mesh(_), _) | (_, Shape::Mesh(_)) => {
            let lookup = Lookup { field: MeshField::Mapped, tree: true, edges: EdgeNormals::Common };
            Some(mesh_gap(a, b, envelope, lookup, seeds))
        }
        (Shape::Plane(p), s) if !primitive(s) => gjk_epa::plane_gap(p, &a.pose, b),
        (s, Shape::Plane(p)) if !primitive(s) => gjk_epa::plane_gap(p, &b.pose, a).map(Gap::flipped),
        _ => closed_form(a, b).or_else(|| gjk_epa::convex_gap(a, b, envelope, cache)),
    }
}

/// Two shapes, at least one a mesh, with polyhedra in place of convex meshes; `None` if a mesh would be left. Against a plane the mesh itself is used: that is exact.
fn as_polyhedra<'a>(a: PosedShape<'a>, b: PosedShape<'a>) -> Option<[PosedShape<'a>; 2]> {
    if !matches!((a.shape, b.shape), (Shape::Mesh(_), _) | (_, Shape::Mesh(_))) {
        return None;
    }
    let as_polyhedron = |s: PosedShape<'a>| match s.shape {
        Shape::Mesh(m) => m.as_polyhedron().map(|shape| PosedShape { shape, ..s }),
        _ => s.shape.is_convex().then_some(s),
    };
    Some([as_polyhedron(a)?, as_polyhedron(b)?])
}

fn primitive(s: &Shape) -> bool {
    matches!(s, Shape::Sphere(_) | Shape::Capsule(_) | Shape::Box(_))
}

thread_local! {
    /// Scratch for the contacts of one pair of parts: the caller's list already holds those of the other pairs.
    static OF_PARTS: Cell<Vec<ContactSeed>> = const { Cell::new(Vec::new()) };
}

/// A compound: the nearest pair of parts decides, all pairs in the envelope give contacts.
fn by_parts(a: PosedShape<'_>, b: PosedShape<'_>, envelope: Real, seeds: &mut Vec<ContactSeed>) -> Option<Gap> {
    let mut own = OF_PARTS.take();
    let gap = nearest_parts(a, b, envelope, &mut own, seeds);
    OF_PARTS.set(own);
    gap
}

fn nearest_parts(
    a: PosedShape<'_>,
    b: PosedShape<'_>,
    envelope: Real,
    own: &mut Vec<ContactSeed>,
    seeds: &mut Vec<ContactSeed>,
) -> Option<Gap> {
    let reach = if envelope.is_finite() { envelope } else { 0.0 };
    let mut best: Option<Gap> = None;
    for (i, x) in parts(a).enumerate() {
        for (j, y) in parts(b).enumerate() {
            let limit = best.map_or(envelope, |g| envelope.min(g.distance.max(0.0)).max(reach));
            let far = x.shape.aabb(&x.pose).axis_distance(&y.shape.aabb(&y.pose));
            if best.is_some() && far > limit {
                continue;
            }
            own.clear();
            let [x, y] = as_polyhedra(x, y).unwrap_or([x, y]);
            let gap = simple(x, y, limit, &mut NarrowCache::default(), own)?;
            let name = (i as u64) << 52 | (j as u64 & 0x3ff) << 43;
            if gap.distance <= reach {
                if own.is_empty() {
                    facing_points(x, y, &gap, reach, own);
                }
                seeds.extend(own.iter().map(|s| ContactSeed { key: FeatureKey(s.key.0 ^ name), ..*s }));
            }
            if best.is_none_or(|g| gap.distance < g.distance) {
                best = Some(gap);
            }
        }
    }
    best
}

/// Contacts of two convex parts along their normal: probes of each that lie over the other's support plane and on its
/// surface; the witnesses if there are none.
fn facing_points(x: PosedShape<'_>, y: PosedShape<'_>, gap: &Gap, reach: Real, out: &mut Vec<ContactSeed>) {
    let n = gap.normal;
    let size = x.shape.bounding_radius().min(y.shape.bounding_radius());
    for (from, to, way, flipped) in [(x, y, n, false), (y, x, -n, true)] {
        // the plane that bounds `to` toward `from`
        let level = match to.shape {
            // its outside is where `from` is: opposite to `way`
            Shape::Plane(p) => -p.placed(&to.pose).1,
            s => match s.support(to.pose.local_direction(-way)) {
                Some(p) => way.dot(to.pose.point(p)),
                None => continue,
            },
        };
        visit_probes(from.shape, |p, radius, number| {
            let at = from.pose.point(p) + way * radius;
            let separation = level - way.dot(at);
            let landed = at + way * separation;
            let Some((off, _)) = field(to.shape, to.pose.local_point(landed), Real::INFINITY, MeshField::Exact) else {
                return;
            };
            // a tilted face lies behind the plane
            let separation = separation + off.max(0.0);
            if separation <= reach && off.abs() <= 1e-3 * size {
                let position = at + way * (0.5 * separation);
                let key = FeatureKey(u64::from(flipped) << 41 | u64::from(number));
                out.push(ContactSeed { position, normal: n, separation, key });
            }
        });
    }
    crossing_edges([x, y], n, reach, out);
    // all corners may be beside the deepest place
    let deepest = out.iter().fold(Real::INFINITY, |d: Real, s| d.min(s.separation));
    if deepest - gap.distance > SHALLOW * gap.distance.abs() + 1e-6 * size {
        let position = (gap.on_a + gap.on_b) * 0.5;
        out.push(ContactSeed { position, normal: n, separation: gap.distance, key: FeatureKey(1 << 42) });
    }
}

/// Corners may be shallower than their parts by this fraction of the depth.
const SHALLOW: Real = 0.02;

/// Sine of the angle up to which edges run beside each other.
const BESIDE: Real = 1e-3;

/// Fractions of an edge at its ends that count as its corners.
const ENDS: Real = 1e-6;

/// Adds the crossings, seen along the normal, of edges of the facing features of two convex parts: corners of their common area that are a corner of neither, as when one bar lies
/// across another.
fn crossing_edges(parts: [PosedShape<'_>; 2], n: Vec3, reach: Real, out: &mut Vec<ContactSeed>) {
    let facing = |s: &PosedShape<'_>, way: Vec3| {
        let mut feature = s.shape.support_feature(s.pose.local_direction(way));
        for p in &mut feature.points {
            *p = s.pose.point(*p) + way * feature.radius;
        }
        feature
    };
    let edges = |points: &[Vec3]| match points.len() {
        0 | 1 => 0,
        2 => 1,
        count => count,
    };
    let [x, y] = [facing(&parts[0], n), facing(&parts[1], -n)];
    for i in 0..edges(&x.points) {
        for j in 0..edges(&y.points) {
            let [(p, u), (q, v)] = [(&x.points, i), (&y.points, j)].map(|(points, k)| {
                let from: Vec3 = points[k];
                (from, points[(k + 1) % points.len()] - from)
            });
            let across = n.dot(u.cross(v));
            if across.abs() <= BESIDE * u.length() * v.length() {
                continue;
            }
            let (s, t) = (n.dot((q - p).cross(v)) / across, n.dot((q - p).cross(u)) / across);
            let (on_x, on_y) = (p + u * s, q + v * t);
            let separation = n.dot(on_y - on_x);
            if s.min(t) > ENDS && s.max(t) < 1.0 - ENDS && separation <= reach {
                let key = FeatureKey(
                    3 << 41 | u64::from(x.id & 0xff) << 24 | u64::from(y.id & 0xff) << 16 | (i as u64) << 8 | j as u64,
                );
                out.push(ContactSeed { position: (on_x + on_y) * 0.5, normal: n, separation, key });
            }
        }
    }
}

impl NarrowPhase for Combined {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn supports(&self, a: &Shape, b: &Shape) -> bool {
        !(matches!(a, Shape::Plane(_)) && matches!(b, Shape::Plane(_)))
    }

    #[inline(always)]
    fn query(
        &self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        envelope: Real,
        cache: &mut NarrowCache,
        seeds: &mut Vec<ContactSeed>,
    ) -> Result<Proximity, UnsupportedPair> {
        seeds.clear();
        // the most common pairs first, decided without looking further
        match (a.shape, b.shape) {
            (Shape::Box(x), Shape::Box(y)) => {
                return Ok(box_box::least_depth(x, &a.pose, y, &b.pose, envelope, &mut cache[0]).proximity(envelope));
            }
            (Shape::Sphere(x), Shape::Sphere(y)) => {
                return Ok(round_pairs::sphere_sphere(*x, &a.pose, *y, &b.pose).proximity(envelope));
            }
            _ => {}
        }
        let compound = |s: &Shape| matches!(s, Shape::Compound(_));
        let gap = if !self.supports(a.shape, b.shape) {
            None
        } else if compound(a.shape) || compound(b.shape) {
            by_parts(a, b, envelope, seeds)
        } else {
            simple(a, b, envelope, cache, seeds)
        };
        Ok(gap.ok_or_else(|| unsupported(self.name(), a.shape, b.shape))?.proximity(envelope))
    }

    fn query_batch(&self, batch: &mut PairBatch<'_>) -> Result<(), UnsupportedPair> {
        Registers::new().dispatch(Each { narrow_phase: self, batch })
    }
}

/// Pairs of boxes that are measured side by side: as many as two of the widest registers hold.
const AT_ONCE: usize = 8;

/// A batch, compiled for whatever registers the processor has. Nothing is reordered or fused: the bits are the same on all of them.
struct Each<'a, 'b> {
    narrow_phase: &'a Combined,
    batch: &'a mut PairBatch<'b>,
}

impl WithSimd for Each<'_, '_> {
    type Output = Result<(), UnsupportedPair>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        // pairs of boxes go a few at a time, all others one by one; for a single pair, setting up room for more would be
        // wasted
        let Self { narrow_phase, batch } = self;
        let together = batch.edges.len() > 1;
        let mut boxes: Option<SideBySide<AT_ONCE>> = None;
        let (mut waiting, mut count) = ([0; AT_ONCE], 0);
        let (mut outcome, mut next) = (Ok(()), 0);
        loop {
            while next < batch.edges.len() && count < AT_ONCE {
                let (at, edge) = (next, &mut batch.edges[next]);
                next += 1;
                if edge.action != EdgeAction::Test {
                    continue;
                }
                let [a, b] = PosedShape::both(batch.configuration, batch.frames, edge.pair);
                if let (Shape::Box(x), Shape::Box(y), true) = (a.shape, b.shape, together) {
                    waiting[count] = at;
                    count += 1;
                    // their room is set up only if there are any
                    let boxes = boxes.get_or_insert_with(SideBySide::new);
                    boxes.add([x, y], [&a.pose, &b.pose], edge.cache[0]);
                    continue;
                }
                outcome = query_edge(narrow_phase, [a, b], batch.envelope, edge);
                if outcome.is_err() {
                    next = batch.edges.len();
                }
            }
            let Some(boxes) = boxes.as_mut().filter(|_| count > 0) else { return outcome };
            boxes.measure();
            judge(boxes, &waiting[..count], batch);
            count = 0;
        }
    }
}

/// Tests the measured pairs of boxes, given the places of their edges. Which pairs are far apart is unpredictable for a branch, so it is determined for all of them before
/// it is used; the same goes for which answers could not be found side by side.
#[inline(always)]
fn judge(boxes: &mut SideBySide<AT_ONCE>, waiting: &[usize], batch: &mut PairBatch<'_>) {
    let PairBatch { frames, envelope, edges, .. } = batch;
    let (mut far, mut near) = (0_u32, 0_u32);
    for (lane, &at) in waiting.iter().enumerate() {
        let is_far = boxes.is_far(lane, *envelope + edges[at].reach);
        far |= u32::from(is_far) << lane;
        near |= u32::from(!is_far) << lane;
    }
    while let Some(lane) = next(&mut far) {
        boxes.choose_far(lane, edges[waiting[lane]].cache[0]);
    }
    while let Some(lane) = next(&mut near) {
        let edge = &edges[waiting[lane]];
        boxes.choose_near(lane, *envelope + edge.reach, edge.cache[0]);
    }
    boxes.answer(waiting.len());
    let (mut answered, mut alone) = (0_u32, 0_u32);
    for lane in 0..waiting.len() {
        let is_answered = boxes.is_answered(lane);
        answered |= u32::from(is_answered) << lane;
        alone |= u32::from(!is_answered) << lane;
    }
    while let Some(lane) = next(&mut answered) {
        let edge = &mut edges[waiting[lane]];
        let (gap, cache) = boxes.answer_of(lane);
        edge.cache[0] = cache;
        note(boxes, lane, gap, *envelope, edge);
    }
    while let Some(lane) = next(&mut alone) {
        let edge = &mut edges[waiting[lane]];
        let poses = (&frames[edge.pair.a.at()], &frames[edge.pair.b.at()]);
        let gap = boxes.near(lane, poses, *envelope + edge.reach, &mut edge.cache[0]);
        note(boxes, lane, gap, *envelope, edge);
    }
}

/// Takes the lowest bit that is set.
#[inline(always)]
fn next(bits: &mut u32) -> Option<usize> {
    let lowest = bits.trailing_zeros() as usize;
    let any = *bits != 0;
    *bits &= bits.wrapping_sub(1);
    any.then_some(lowest)
}

/// Notes the result for a pair of boxes.
#[inline(always)]
fn note(boxes: &SideBySide<AT_ONCE>, lane: usize, gap: Gap, envelope: Real, edge: &mut Edge) {
    let searched = envelope + edge.reach;
    edge.seeds.clear();
    edge.proximity = gap.proximity(searched);
    edge.note_test(boxes.seen(lane), searched);
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::{Pose, Vec3};

    #[test]
    fn a_table_of_boxes_stands_on_four_legs() {
        let leg = Shape::cuboid(0.1, 0.5, 0.1).unwrap();
        let top = Shape::cuboid(1.0, 0.05, 1.0).unwrap();
        let at = |x: Real, y: Real, z: Real| Pose::from_position(Vec3::new(x, y, z));
        let table = Shape::compound(vec![
            (top, at(0.0, 0.55, 0.0)),
            (leg.clone(), at(0.9, 0.0, 0.9)),
            (leg.clone(), at(-0.9, 0.0, 0.9)),
            (leg.clone(), at(0.9, 0.0, -0.9)),
            (leg, at(-0.9, 0.0, -0.9)),
        ])
        .unwrap();
        for floor in [Shape::plane(Vec3::Y, 0.0).unwrap(), Shape::cuboid(5.0, 1.0, 5.0).unwrap()] {
            let ground = if floor.kind() == "box" { at(0.0, -1.0, 0.0) } else { Pose::IDENTITY };
            let (a, b) =
                (PosedShape { shape: &floor, pose: ground }, PosedShape { shape: &table, pose: at(0.0, 0.499, 0.0) });
            let mut seeds = Vec::new();
            let p = Combined.query(a, b, 0.01, &mut [0; 4], &mut seeds).unwrap();
            assert!((p.distance + 0.001).abs() < 1e-12 && p.normal.y > 0.999);
            for sx in [-1.0, 1.0] {
                for sz in [-1.0, 1.0] {
                    let near = |s: &&ContactSeed| s.position.x * sx > 0.7 && s.position.z * sz > 0.7;
                    assert!(seeds.iter().filter(near).count() >= 4, "{} {seeds:?}", floor.kind());
                }
            }
            assert!(seeds.iter().all(|s| s.normal.y > 0.999 && (s.separation + 0.001).abs() < 1e-12));
        }
    }
    /// A bar across a rail meets it where neither has a corner: where their edges cross.
    #[test]
    fn a_bar_across_a_rail_lies_on_four_points() {
        let bar = Shape::cuboid(1.0, 0.05, 0.1).unwrap();
        let knob = Shape::cuboid(0.1, 0.05, 0.1).unwrap();
        let above = Pose::from_position(Vec3::Y * 0.1);
        let bar = Shape::compound(vec![(bar, Pose::IDENTITY), (knob, above)]).unwrap();
        let rail = Shape::cuboid(0.1, 0.2, 1.0).unwrap();
        let contacts = |lean: Real| {
            let turned = drystone_math::Quat::from_rotation_x(lean);
            // the lower edge of the bar is at the height of the rail
            let height = 0.2 + 0.05 * lean.cos() + 0.1 * lean.sin();
            let pose = Pose::new(Vec3::new(0.4, height, 0.3), turned);
            let (a, b) = (PosedShape { shape: &rail, pose: Pose::IDENTITY }, PosedShape { shape: &bar, pose });
            let mut seeds = Vec::new();
            Combined.query(a, b, 0.05, &mut [0; 4], &mut seeds).unwrap();
            seeds
        };
        for (x, z) in [(-0.1, 0.2), (0.1, 0.2), (-0.1, 0.4), (0.1, 0.4)] {
            let there = |s: &&ContactSeed| (s.position - Vec3::new(x, 0.2, z)).length() < 1e-9;
            assert_eq!(contacts(0.0).iter().filter(there).count(), 1, "{x} {z}");
        }
        // as it leans, each contact has the separation of the surfaces at its place
        for s in contacts(0.002) {
            let height = 0.002 * (0.4 - s.position.z);
            assert!((s.separation - height).abs() < 1e-5 || s.separation > 0.01, "{s:?}");
        }
        let flat = contacts(0.002).iter().filter(|s| s.separation < 1e-5).count();
        assert!(flat <= 3, "those upon its lower edge: {flat}");
    }

    /// If all corners and crossings lie beside the deepest place, that is a contact as well.
    #[test]
    fn contacts_of_compounds_are_as_deep_as_their_pair() {
        let part = Shape::cuboid(0.6, 0.3, 0.1).unwrap();
        let other = Shape::cuboid(0.1, 0.3, 0.6).unwrap();
        let corner =
            Shape::compound(vec![(part, Pose::IDENTITY), (other, Pose::from_position(Vec3::X * 0.5))]).unwrap();
        let shapes = [
            Shape::cylinder(0.26, 0.17).unwrap(),
            Shape::cuboid(0.1, 0.2, 0.3).unwrap(),
            Shape::capsule(0.1, 0.3).unwrap(),
        ];
        let mut overlaps = 0;
        for k in 0..600 {
            let (w, shape) = (f64::from(k), &shapes[k as usize % 3]);
            let turned = drystone_math::Quat::from_scaled_axis(Vec3::new(0.7 * w, 0.3 * w, 0.5 * w));
            let at = Vec3::new(0.7 * (0.9 * w).sin(), 0.3 + 0.2 * (1.7 * w).sin(), 0.2 * (1.1 * w).cos());
            let b = PosedShape { shape, pose: Pose::new(at, turned) };
            let mut seeds = Vec::new();
            let a = PosedShape { shape: &corner, pose: Pose::IDENTITY };
            let p = Combined.query(a, b, 1e-3, &mut [0; 4], &mut seeds).unwrap();
            if p.distance < 0.0 {
                let deepest = seeds.iter().fold(Real::INFINITY, |d: Real, s| d.min(s.separation));
                assert!(deepest <= 0.98 * p.distance + 1e-5, "{k} {}: {deepest} of {}", shape.kind(), p.distance);
                overlaps += 1;
            }
        }
        assert!(overlaps > 100, "{overlaps}");
    }
}
