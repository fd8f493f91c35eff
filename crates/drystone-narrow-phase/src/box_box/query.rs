use super::distance::{ATTAINED, Pairing, beside_face, closest, with};
use super::frame::BoxPair;
use super::separations::Separations;
use super::{feature_at, feature_of};
use crate::gap::Gap;
use drystone_core::Feature;
use drystone_math::{Pose, Real, Vec3};

/// For boxes closer than this fraction of their size, the difference of the closest points gives no usable direction.
pub(super) const CLOSE: Real = 1e-5;

/// Boxes are held apart by this fraction of their size to see where they part.
const APART: Real = 0.01;

/// Cosine below which an edge of the support counts as level if the boxes overlap.
pub(super) const LEVEL: Real = 1e-8;

/// The axes along which two boxes are farthest apart, or overlap the least: of the six faces, and of the nine edge
/// pairs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Best {
    /// The face's axis, and the separation along it (m).
    pub face: (usize, Real),
    /// The edge pair's, if one separates them by more than the face.
    pub edges: Option<(usize, Real)>,
}

impl Best {
    /// The best axes of a pair; edges are not tried if a face separates the boxes by more than the envelope (m).
    #[inline(always)]
    pub(super) fn of<const N: usize>((separations, lane): (&Separations<N>, usize), envelope: Real) -> Self {
        let face = separations.best_face(lane);
        Self { face, edges: if face.1 > envelope { None } else { separations.best_edges(lane) } }
    }

    /// The larger separation with its axis.
    pub(super) fn of_both(&self) -> (usize, Real) {
        self.edges.unwrap_or(self.face)
    }
}

/// Two boxes that do not overlap: separating axes, and the exact closest points if no axis separates them by more than the envelope. If they
/// overlap, the `Err` holds their best axes.
///
/// The four lowest bits of `cache` hold the axis that separated them last, plus one; it is tried beforehand (see [`far_by_last`]). Its bits from [`PAIRING`] on name the features
/// that were closest last. If the boxes are apart by more than the envelope, the distance is the separation along an axis, a lower bound.
#[inline(always)]
pub(super) fn apart<const N: usize>(
    p: &BoxPair,
    (separations, lane): (&Separations<N>, usize),
    poses: (&Pose, &Pose),
    envelope: Real,
    cache: &mut u32,
) -> Result<Gap, Best> {
    let best = Best::of((separations, lane), envelope);
    let (axis, s) = best.of_both();
    if s > envelope {
        *cache = remembering(*cache, axis as u32 + 1);
        return Ok(far(p, poses, axis, s));
    }

    // apart by an axis: the closest points
    if s > 0.0 {
        let mut pairing = remembered_pairing(*cache);
        let (on_a, on_b) = closest(p, axis, s, &mut pairing);
        *cache = *cache & !(0xff << PAIRING) | Pairing::to_bits(pairing) << PAIRING;
        let d = on_b - on_a;
        let distance = d.length();
        let n = d / distance;
        if distance > CLOSE * p.size() || (distance > 0.0 && p.separation_along(n) >= s) {
            return Ok(placed(p, poses.0, (distance, n, on_a, on_b)));
        }
        // so close that the direction of the difference is noise: the axis is more accurate
    }
    Err(best)
}

/// Two boxes that the axis of last time separates by more than the envelope; nothing else needs to be computed.
#[inline(always)]
pub(super) fn far_by_last<const N: usize>(
    p: &BoxPair,
    (separations, lane): (&Separations<N>, usize),
    poses: (&Pose, &Pose),
    cache: u32,
) -> Gap {
    far(p, poses, remembered_axis(cache).unwrap_or(0), separations.last(lane))
}

/// Further apart than the envelope, by `s` along an axis.
#[inline(always)]
fn far(p: &BoxPair, poses: (&Pose, &Pose), axis: usize, s: Real) -> Gap {
    let n = poses.0.direction(p.direction(axis));
    Gap::smooth(s, n, poses.0.position, poses.1.position)
}

/// The first of the eight bits of a cache that name the features which were closest last.
const PAIRING: u32 = 8;

/// A cache with an axis and any other bits below [`PAIRING`].
#[inline(always)]
pub(super) fn remembering(cache: u32, axis: u32) -> u32 {
    cache & (0xff << PAIRING) | axis
}

/// The features that were closest, in a cache.
#[inline(always)]
pub(super) fn remembered_pairing(cache: u32) -> Option<Pairing> {
    Pairing::from_bits(cache >> PAIRING & 0xff)
}

/// The axis in a cache.
#[inline(always)]
pub(super) fn remembered_axis(cache: u32) -> Option<usize> {
    (cache as usize & 15).checked_sub(1)
}

/// From A's frame to the world, with the features that carry the points.
#[inline(always)]
pub(super) fn placed(p: &BoxPair, pose_a: &Pose, (distance, n, on_a, on_b): (Real, Vec3, Vec3, Vec3)) -> Gap {
    let snap = |q: Vec3, h: Vec3| feature_of(q * (1.0 + 1e-12), h);
    let local_b = p.direction_in_b(on_b - p.t);
    Gap {
        feature_a: snap(on_a, p.ha),
        feature_b: snap(local_b, p.hb),
        ..Gap::smooth(distance, pose_a.direction(n), pose_a.point(on_a), pose_a.point(on_b))
    }
}

/// The deepest points along a face's axis, outwards from A along `n`, on A and on B in A's frame, and how far beside each
/// other they are (m).
#[inline(always)]
pub(super) fn on_face(p: &BoxPair, face: usize, n: Vec3, s: Real, level: Real) -> (Vec3, Vec3, Real) {
    let in_b = p.direction_in_b(n);
    let (found, other) = if face < 3 {
        (beside_face(p, face, n, s, level), in_b)
    } else {
        let (on_b, on_a, off) = beside_face(&p.flipped(), face - 3, -in_b, s, level);
        ((p.point_in_a(on_a), p.point_in_a(on_b), off), n)
    };
    let is_level = other.abs().min_element() <= level;
    if is_level && found.2 > ATTAINED * p.size() { parting(p, face, n, s, found) } else { found }
}

/// The same for an edge or a face of the other box that runs along the face, from the points that are closest when B has gone just out of A: alternating nearest points go slowly where
/// an edge crosses the rim of the face at a small angle. Keeps those already found if they are less far beside each other.
#[cold]
fn parting(p: &BoxPair, face: usize, n: Vec3, s: Real, known: (Vec3, Vec3, Real)) -> (Vec3, Vec3, Real) {
    let by = n * (APART * p.size() - s);
    let moved = BoxPair { t: p.t + by, tb: p.tb + p.direction_in_b(by), ..*p };
    let (on_a, on_b) = closest(&moved, face, APART * p.size(), &mut None);
    let opposite = on_a + n * s;
    let off = (on_b - by - opposite).abs().max_element();
    if off < known.2 { (on_a, opposite, off) } else { known }
}

/// The answer of a face's axis, with the face as the feature of the box that it belongs to.
#[inline(always)]
pub(super) fn placed_on_face(p: &BoxPair, pose_a: &Pose, face: usize, found: (Real, Vec3, Vec3, Vec3)) -> Gap {
    let (gap, n) = (placed(p, pose_a, found), found.1);
    if face < 3 {
        Gap { feature_a: face_feature(face, n), ..gap }
    } else {
        Gap { feature_b: face_feature(face - 3, -p.direction_in_b(n)), ..gap }
    }
}

#[inline(always)]
fn face_feature(axis: usize, n: Vec3) -> Feature {
    feature_at(with(Vec3::ZERO, axis, n))
}

/// The two edges of an edge pair that face each other along `n`, each as its ends in A's frame.
#[inline(always)]
pub(super) fn facing_edges(p: &BoxPair, axis: usize, n: Vec3) -> [Vec3; 4] {
    let (i, j) = ((axis - 6) / 3, (axis - 6) % 3);
    let c = p.direction_in_b(n);
    let (mut a0, mut b0) = (Vec3::ZERO, Vec3::ZERO);
    for k in 0..3 {
        a0[k] = p.ha[k].copysign(n[k]);
        b0[k] = -p.hb[k].copysign(c[k]);
    }
    let (a1, b1) = (with(a0, i, -a0), with(b0, j, -b0));
    [a0, a1, p.point_in_a(b0), p.point_in_a(b1)]
}
