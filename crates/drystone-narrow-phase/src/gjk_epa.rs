use crate::descend::{self, Points};
use crate::found::Found;
use crate::gap::Gap;
use crate::minkowski::{Corner, Difference, is_named};
use crate::simplex::Simplex;
use crate::{epa, gjk, primitives::unsupported};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{ContactSeed, Feature, NarrowCache, NarrowPhase, PosedShape, Proximity, UnsupportedPair};
use drystone_geometry::{Plane, Shape};
use drystone_math::{Pose, Real, Vec3};
use smallvec::SmallVec;

/// Any two convex shapes, and a convex one against a plane: distance by Gilbert, Johnson and Keerthi, depth by the
/// expanding polytope.
///
/// Round shapes are cores with a radius: as long as the cores are apart, the answer is as exact as GJK's.
///
/// # Source
/// Gilbert, Johnson and Keerthi 1988; van den Bergen 1999, 2001; named by thesis 5.4 (J-22).
#[derive(Debug, Clone, Copy, Default)]
pub struct GjkEpa;

impl GjkEpa {
    /// For catalogues.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "gjk-epa",
        summary: "support maps: GJK distance, expanding-polytope depth; takes any two of sphere, box, capsule, cylinder, cone, convex, and each with a plane",
        source: "Gilbert, Johnson and Keerthi 1988; van den Bergen 2001",
        parameters: &[],
    };

    /// There is nothing to set.
    pub fn from_settings(_: &Settings) -> Self {
        Self
    }
}

/// Marks a cache that holds a direction; otherwise it holds up to four corners, see [`remember`].
const DIRECTION: u32 = u32::MAX;

/// The gap of two convex shapes; `None` if one has no support map. `cache` remembers the last corners or direction.
pub(crate) fn convex_gap(a: PosedShape<'_>, b: PosedShape<'_>, envelope: Real, cache: &mut NarrowCache) -> Option<Gap> {
    if !a.shape.is_convex() || !b.shape.is_convex() {
        return None;
    }
    let shape = Difference::of_convex(a, b);
    let mut simplex = Simplex::default();
    start(&shape, cache, &mut simplex);
    let beyond = envelope + shape.radius;
    let answer = gjk::distance(&shape, &mut simplex, beyond);
    remember(&answer, &simplex, cache);
    let found = separation(&shape, &answer, &simplex, beyond);
    let ([ra, rb], n) = (shape.radii, a.pose.direction(found.normal));
    let (on_a, on_b) = (a.pose.point(found.on_a), a.pose.point(found.on_b));
    let gap = Gap::smooth(found.distance - ra - rb, n, on_a + n * ra, on_b - n * rb);
    Some(Gap { iterations: found.iterations, ..gap })
}

/// Exact separation from GJK's result: overlapping cores get their depth, and a direction that did not settle is
/// descended.
#[inline]
pub(crate) fn separation(shape: &Difference<'_>, answer: &gjk::Answer, simplex: &Simplex, beyond: Real) -> Found {
    if answer.distance <= 0.0 {
        return depth(shape, answer, simplex);
    }
    let gjk::Answer { distance, normal, on_a, on_b, iterations, .. } = *answer;
    let found = Found { distance, normal, on_a, on_b, iterations };
    let lost = answer.lower <= beyond && distance - answer.lower > gjk::SETTLED * shape.size;
    if lost { descend::nearest(shape, found, answer.lower) } else { found }
}

/// Cores that overlap by less than this fraction of the size only touch.
const ONLY_TOUCH: Real = 1e-10;

/// The depth of overlapping cores.
fn depth(shape: &Difference<'_>, answer: &gjk::Answer, simplex: &Simplex) -> Found {
    let mut d = epa::penetration(shape, simplex);
    let iterations = answer.iterations + d.iterations;
    if d.length.abs() <= ONLY_TOUCH * shape.size {
        // rounding counts for as much as the polytope: take the place from GJK and apply the depth
        let half = d.normal * (0.5 * d.length);
        let middle = (answer.on_a + answer.on_b) * 0.5;
        (d.on_a, d.on_b) = (middle + half, middle - half);
    }
    let found = Found { distance: -d.length, normal: d.normal, on_a: d.on_a, on_b: d.on_b, iterations };
    let settled = d.length - d.lower <= gjk::SETTLED * shape.size;
    match (settled, d.beside) {
        (true, false) => found,
        (false, false) => descend::deepest(shape, found, Points::OnCores),
        (_, true) => descend::deepest(shape, found, Points::Anywhere),
    }
}

/// Cores are held apart by this fraction of the size to see where they would part.
const APART: Real = 0.05;

/// The point of A's core (A's frame, m) where overlapping cores part last along a direction by which they part.
pub(crate) fn parting_point(shape: &Difference<'_>, normal: Vec3, separation: Real) -> Option<Vec3> {
    let moved = shape.moved(normal * (APART * shape.size - separation));
    let answer = gjk::distance(&moved, &mut gjk::toward(&moved, normal), Real::INFINITY);
    (answer.distance > 0.0).then_some(answer.on_a)
}

/// The gap of two cores from scratch, along a first direction (A's frame, from A to B).
pub(crate) fn separation_toward(shape: &Difference<'_>, direction: Vec3, beyond: Real) -> Found {
    let mut simplex = gjk::toward(shape, direction);
    let answer = gjk::distance(shape, &mut simplex, beyond);
    separation(shape, &answer, &simplex, beyond)
}

/// Start of the search: at the corners of last time, along the last direction, or along the offset.
#[inline]
fn start(shape: &Difference<'_>, cache: &NarrowCache, simplex: &mut Simplex) {
    if cache[0] == DIRECTION {
        let d = Vec3::new(bits(cache[1]), bits(cache[2]), bits(cache[3]));
        if d.is_finite() && d != Vec3::ZERO {
            return gjk::begin(shape, d, simplex);
        }
    } else if cache[0] != 0 {
        let named = |&c: &u32| (c != 0).then(|| shape.numbered([(c & 0xffff) - 1, c >> 16])).flatten();
        let corners: SmallVec<[Corner; 4]> = cache.iter().map_while(named).collect();
        if !corners.is_empty() {
            *simplex = Simplex::from_corners(&corners);
            return;
        }
    }
    gjk::begin(shape, shape.offset(), simplex);
}

/// Keeps the corners of the last simplex if they are numbered (each core's in half a word, A's counted from one),
/// otherwise the direction.
#[inline]
fn remember(answer: &gjk::Answer, simplex: &Simplex, cache: &mut NarrowCache) {
    *cache = [0; 4];
    let corners = simplex.corners();
    if corners.iter().all(is_named) {
        for (c, corner) in cache.iter_mut().zip(corners) {
            *c = (corner.numbers[0] + 1) | corner.numbers[1] << 16;
        }
    } else if answer.distance > 0.0 {
        // overlapping, the offset is the better start
        let n = answer.normal;
        *cache = [DIRECTION, (n.x as f32).to_bits(), (n.y as f32).to_bits(), (n.z as f32).to_bits()];
    }
}

fn bits(b: u32) -> Real {
    Real::from(f32::from_bits(b))
}

/// A plane and a convex shape: its lowest point.
pub(crate) fn plane_gap(plane: &Plane, pose: &Pose, b: PosedShape<'_>) -> Option<Gap> {
    let (n, d) = plane.placed(pose);
    let lowest = b.pose.point(b.shape.support(b.pose.local_direction(-n))?);
    let distance = n.dot(lowest) - d;
    let gap = Gap::smooth(distance, n, lowest - n * distance, lowest);
    Some(Gap { feature_a: Feature::Face(0), ..gap })
}

impl NarrowPhase for GjkEpa {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn supports(&self, a: &Shape, b: &Shape) -> bool {
        let plane = |s: &Shape| matches!(s, Shape::Plane(_));
        (a.is_convex() || plane(a)) && (b.is_convex() || plane(b)) && !(plane(a) && plane(b))
    }

    fn query(
        &self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        envelope: Real,
        cache: &mut NarrowCache,
        seeds: &mut Vec<ContactSeed>,
    ) -> Result<Proximity, UnsupportedPair> {
        seeds.clear();
        let gap = match (a.shape, b.shape) {
            (Shape::Plane(p), _) => plane_gap(p, &a.pose, b),
            (_, Shape::Plane(p)) => plane_gap(p, &b.pose, a).map(Gap::flipped),
            _ => convex_gap(a, b, envelope, cache),
        };
        Ok(gap.ok_or_else(|| unsupported(self.name(), a.shape, b.shape))?.proximity(envelope))
    }
}
