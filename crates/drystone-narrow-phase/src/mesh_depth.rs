//! Depth of two overlapping shapes, at least one of them a mesh: the distance that they must move to separate.
//!
//! A sample's depth is the distance by which that sample leaves the other shape, a lower bound on the distance by which the shapes
//! part. Here B is moved out along a direction until nothing overlaps; each step is such a bound, so the first free place along the
//! direction is not skipped. The directions tried are those of the deepest samples, of the hulls' least depth and between the
//! middles. From the best of them a descent goes on: the surfaces touched last tell which way is shorter.

use crate::gap::Gap;
use crate::gjk_epa::convex_gap;
use crate::mesh_ball::BallInMesh;
use crate::mesh_gap::{between_samples, solid};
use crate::mesh_samples::{Lookup, look_up};
use crate::swept::tree::Advance;
use crate::swept::{Impact, Motion};
use drystone_core::{ContactSeed, NarrowCache, PosedShape};
use drystone_geometry::Shape;
use drystone_geometry::mesh::SignedDistanceMap;
use drystone_math::{Pose, Real, Vec3};
use smallvec::SmallVec;

/// Overlaps below this fraction of the size count as none.
const FREE: Real = 1e-9;

/// Surfaces closer than this fraction of the size touch.
const TOUCH: Real = 1e-11;

/// The same for rounding, as a fraction of their distance from the origin.
const ROUNDING: Real = 1e-14;

/// Most steps of the way back to the last touch.
const MOST_ADVANCES: u32 = 200;

/// Most steps along a direction; one that is not free by then leads along a surface, not out of it.
const MOST_STEPS: u32 = 48;

/// Most directions taken from samples.
const MOST_WAYS: usize = 5;

/// Cosine of the angle up to which two directions count as one.
const SAME_WAY: Real = 0.97;

/// Rounds of the descent.
const MOST_ROUNDS: u32 = 12;

/// Normals of the surfaces touched last.
type Normals = SmallVec<[Vec3; 8]>;

/// The place where B becomes free along a direction.
struct Parted {
    way: Vec3,
    length: Real,
    /// Normals of the surfaces that held B last.
    held_by: Normals,
    at: Vec3,
}

/// The shortest way found by which the shapes part, starting from what their samples give (`local`, with `seeds`): exact
/// if both are convex, to 1 % for a ball and a closed mesh, otherwise a local minimum among ways that do part them.
///
/// # Source
/// After Je, Tang, Lee, Lee and Kim 2012 (PolyDepth): out of the obstacle along a direction, then down to it along its
/// surface. Differs in: samples and pairs of triangles that cut each other instead of continuous collision detection.
pub(crate) fn parting(a: PosedShape<'_>, b: PosedShape<'_>, lookup: Lookup, local: &Gap, seeds: &[ContactSeed]) -> Gap {
    // swapped bodies must get the same answer
    if order(a, b) {
        return in_order(a, b, lookup, local, seeds);
    }
    let turned: Vec<ContactSeed> = seeds.iter().map(|s| ContactSeed { normal: -s.normal, ..*s }).collect();
    in_order(b, a, lookup, &local.flipped(), &turned).flipped()
}

fn order(a: PosedShape<'_>, b: PosedShape<'_>) -> bool {
    let numbers = |s: PosedShape<'_>| {
        let (p, q) = (s.pose.position, s.pose.orientation);
        [s.shape.bounding_radius(), p.x, p.y, p.z, q.x, q.y, q.z, q.w]
    };
    let (x, y) = (numbers(a), numbers(b));
    let first = x.iter().zip(&y).map(|(p, q)| p.total_cmp(q)).find(|o| o.is_ne());
    first.is_none_or(core::cmp::Ordering::is_lt)
}

fn in_order(a: PosedShape<'_>, b: PosedShape<'_>, lookup: Lookup, local: &Gap, seeds: &[ContactSeed]) -> Gap {
    let hulls = hull(a.shape).zip(hull(b.shape)).and_then(|(x, y)| {
        let posed = |shape, pose| PosedShape { shape, pose };
        convex_gap(posed(x, a.pose), posed(y, b.pose), Real::INFINITY, &mut NarrowCache::default())
    });
    // also if they only touch, and samples overlap by rounding
    if let Some(gap) = hulls
        && solid(a.shape).is_some()
        && solid(b.shape).is_some()
    {
        return gap;
    }
    let mut search = Search {
        a,
        b,
        lookup,
        first: *local,
        free: FREE * a.shape.bounding_radius().min(b.shape.bounding_radius()),
        seeds: Vec::new(),
        queries: 0,
    };
    let mut best: Option<Parted> = None;
    for way in ways(a, b, local, hulls.as_ref(), seeds) {
        let limit = best.as_ref().map_or(Real::INFINITY, |p| p.length);
        best = search.along(way, limit).or(best);
    }
    if let Some(found) = &mut best {
        search.descend(found);
    }
    // for a ball all directions are searched: the descent may have ended in a groove
    let ball = BallInMesh::of(a, b);
    let known = best.as_ref().map_or(Real::INFINITY, |p| p.length);
    if let Some(way) = ball.and_then(|pair| pair.shorter_way(known))
        && let Some(mut found) = search.along(way, known)
    {
        search.descend(&mut found);
        best = Some(found);
    }
    let Some(best) = best else { return *local };
    let (length, at) = last_touch(a, b, &best, lookup).unwrap_or((best.length, best.at));
    Gap { iterations: search.queries, ..Gap::smooth(-length, best.way, at, at - best.way * length) }
}

/// Distance that B has to go along the way until nothing touches any more, and the common point that touches last:
/// found on the way back from where it is free. Samples and pairs of triangles find a free place only to the accuracy
/// of their look-ups; in maps it may be a fraction of a cell before or behind the triangles' own.
fn last_touch(a: PosedShape<'_>, b: PosedShape<'_>, parted: &Parted, lookup: Lookup) -> Option<(Real, Vec3)> {
    let size = a.shape.bounding_radius().min(b.shape.bounding_radius());
    let cell = |s: PosedShape<'_>| lookup.map(s.shape).map_or(0.0, SignedDistanceMap::cell);
    let cell = cell(a).max(cell(b));
    let touch = TOUCH * size + ROUNDING * b.pose.position.abs().max_element().max(a.pose.position.abs().max_element());
    let still = Motion { start: a.pose, linear: Vec3::ZERO, angular: Vec3::ZERO };
    // as near to the place found as B is free
    for margin in [4.0 * FREE * size, 1e-6 * size, 0.1 * cell, cell, 3.0 * cell] {
        let from = parted.length + margin;
        let start = Pose::new(b.pose.position + parted.way * from, b.pose.orientation);
        let back = Motion { start, linear: -parted.way, angular: Vec3::ZERO };
        let advance = Advance::new((a.shape, &still), (b.shape, &back), touch)?;
        match advance.run(from, MOST_ADVANCES) {
            Impact::At(time) if time > 0.0 => return Some((from - time, advance.touch(time)?.point)),
            Impact::At(_) => {}
            Impact::Never | Impact::NotBefore(_) => return None,
        }
    }
    None
}

/// A convex shape that contains the shape: itself or a mesh's hull.
fn hull(shape: &Shape) -> Option<&Shape> {
    match shape {
        Shape::Mesh(m) => m.hull_shape(),
        s => s.is_convex().then_some(s),
    }
}

/// Directions that may part the shapes, the most promising first.
fn ways(
    a: PosedShape<'_>,
    b: PosedShape<'_>,
    local: &Gap,
    hulls: Option<&Gap>,
    seeds: &[ContactSeed],
) -> SmallVec<[Vec3; 8]> {
    let mut ways = SmallVec::<[Vec3; 8]>::new();
    ways.push(local.normal);
    ways.extend(hulls.map(|h| h.normal));
    let is_new = |ways: &[Vec3], n: Vec3| ways.iter().all(|w| w.dot(n) < SAME_WAY);
    while ways.len() < MOST_WAYS {
        let left = seeds.iter().filter(|s| s.separation < 0.0 && is_new(&ways, s.normal));
        let Some(deepest) = left.reduce(|d, s| if s.separation < d.separation { s } else { d }) else { break };
        ways.push(deepest.normal);
    }
    ways.extend((b.pose.position - a.pose.position).try_normalize().filter(|n| is_new(&ways, *n)));
    ways
}

/// The direction to the nearest place that is free according to the planes of the surfaces touched last: the shortest
/// vector x with m . x >= m . (way length) for their normals m; `None` if that is no shorter.
fn shorter(from: &Parted) -> Option<Vec3> {
    let mut x = Vec3::ZERO;
    let mut multipliers = [0.0; 8];
    for _ in 0..64 {
        for (m, lambda) in from.held_by.iter().zip(&mut multipliers) {
            let before: Real = *lambda;
            *lambda = (before + m.dot(from.way * from.length - x)).max(0.0);
            x += *m * (*lambda - before);
        }
    }
    (x.length() < from.length * (1.0 - 1e-9)).then(|| x.try_normalize()).flatten()
}

struct Search<'a> {
    a: PosedShape<'a>,
    b: PosedShape<'a>,
    lookup: Lookup,
    /// The samples' gap: no way is shorter than this depth.
    first: Gap,
    free: Real,
    seeds: Vec<ContactSeed>,
    queries: u32,
}

impl Search<'_> {
    /// Goes on to shorter ways by the surfaces touched last, as long as there are any.
    fn descend(&mut self, best: &mut Parted) {
        for _ in 0..MOST_ROUNDS {
            let Some(way) = shorter(best) else { break };
            match self.along(way, best.length * (1.0 - 1e-12)) {
                Some(found) => *best = found,
                None => break,
            }
        }
    }

    /// Moves B along a direction until it is free; `None` if that does not happen before `limit` (m).
    fn along(&mut self, way: Vec3, limit: Real) -> Option<Parted> {
        let (mut length, mut held_by, mut at) = (-self.first.distance, Normals::new(), self.first.on_a);
        let mut steps = 0;
        while length < limit && steps < MOST_STEPS {
            let Some((depth, place)) = self.deepest(way * length, &mut held_by) else {
                if steps == 0 {
                    // free at once: the deepest sample held it
                    held_by.push(self.first.normal);
                    at = self.first.on_a;
                }
                return Some(Parted { way, length, held_by, at });
            };
            (at, length, steps) = (place, length + depth, steps + 1);
        }
        None
    }

    /// The depth of the overlap with B moved, with its place; `None` if there is none. The normals of the deepest samples
    /// are left in `held_by`.
    fn deepest(&mut self, moved: Vec3, held_by: &mut Normals) -> Option<(Real, Vec3)> {
        self.queries += 1;
        let b = PosedShape { pose: Pose::new(self.b.pose.position + moved, self.b.pose.orientation), ..self.b };
        look_up(self.a, b, 0.0, self.lookup, &mut self.seeds);
        let deepest = self.seeds.iter().reduce(|d, s| if s.separation < d.separation { s } else { d });
        if let Some(s) = deepest.filter(|s| s.separation < -self.free) {
            let (depth, at) = (-s.separation, s.position);
            held_by.clear();
            held_by.push(s.normal);
            for s in self.seeds.iter().filter(|s| s.separation < -0.1 * depth) {
                if held_by.len() < 8 && held_by.iter().all(|n| n.dot(s.normal) < 0.9999) {
                    held_by.push(s.normal);
                }
            }
            return Some((depth, at));
        }
        let (cut, at) = between_samples(self.a, b).filter(|(g, _)| g.distance < -self.free)?;
        held_by.clear();
        held_by.push(cut.normal);
        Some((-cut.distance, at))
    }
}
