use super::frame::BoxPair;
use super::query::{
    Best, LEVEL, apart, facing_edges, far_by_last, on_face, placed, placed_on_face, remember_axis, remembered_axis,
};
use super::separations::Separations;
use super::side_by_side::{SideBySide, alone};
use crate::gap::Gap;
use crate::segment::closest_points;
use drystone_geometry::Cuboid;
use drystone_math::{Pose, Real, Vec3};
use pulp::Simd;

/// Rounding of a separation along an axis, as a part of the size; along the cross product of two edges, over its length.
const ROUNDING: Real = 1e-14;

/// The axis of the last time is kept while it is deeper than the least by no more than this part of the least depth plus this part
/// of the size.
const KEEP: (Real, Real) = (0.02, 1e-5);

/// Features count as opposite each other up to this part of the size.
const OPPOSITE: Real = 1e-5;

/// Points whose distance along the axis is its separation up to this part of the size are opposite each other but for rounding.
const ATTAINED: Real = 1e-10;

/// In the cache, that the axis points against its own direction.
const REVERSED: u32 = 16;

/// Two boxes: separating axes, and where they overlap the axis of least depth among all fifteen, which is the exact answer for
/// boxes.
///
/// Faces and edge pairs of about the same depth do not take turns: the axis of the last time (`cache`) is kept while it is at most
/// 2 % of the least depth and 1e-5 of the size deeper than the least, and its features are still opposite each other. Without a
/// last time a face is preferred where it ties up to rounding.
///
/// # Source
/// Gottschalk, Lin and Manocha 1996 for the axes. Thesis 6.3 prefers faces by a rule about the ends of edges instead, see
/// [`super::improved`]; what that is there for, four contacts of boxes that are tilted by a hair, is here the business of contact
/// determination, which clips faces wherever the normal is within some degrees of one.
#[inline(never)]
pub(crate) fn query(a: &Cuboid, pose_a: &Pose, b: &Cuboid, pose_b: &Pose, envelope: Real, cache: &mut u32) -> Gap {
    let (pair, poses) = (alone([a, b], [pose_a, pose_b], *cache, ROUNDING), (pose_a, pose_b));
    if pair.is_far(0, envelope) { pair.far(0, poses, *cache) } else { pair.near(0, poses, envelope, cache) }
}

impl<const N: usize> SideBySide<N> {
    /// Works out what the methods below ask of all pairs.
    #[inline(always)]
    pub(crate) fn measure<S: Simd>(&mut self, simd: S) {
        self.work_out(simd, ROUNDING);
    }

    /// Whether the axis of the last time parts the boxes of a measured pair by more than the envelope (m).
    #[inline(always)]
    pub(crate) fn is_far(&self, lane: usize, envelope: Real) -> bool {
        self.separations().last(lane) > envelope
    }

    /// The gap of a measured pair, if it is.
    #[inline(always)]
    pub(crate) fn far(&self, lane: usize, poses: (&Pose, &Pose), cache: u32) -> Gap {
        far_by_last(&self.pair(lane), (self.separations(), lane), poses, cache)
    }

    /// The gap of a measured pair, if it is not.
    #[inline(always)]
    pub(crate) fn near(&self, lane: usize, poses: (&Pose, &Pose), envelope: Real, cache: &mut u32) -> Gap {
        let (p, separations) = (self.pair(lane), (self.separations(), lane));
        match apart(&p, separations, poses, envelope, cache) {
            Ok(gap) => gap,
            Err(best) => overlap(&p, separations, poses.0, &best, cache),
        }
    }
}

/// Two boxes that overlap, their best axes being known.
#[inline(always)]
fn overlap<const N: usize>(
    p: &BoxPair,
    separations: (&Separations<N>, usize),
    pose_a: &Pose,
    best: &Best,
    cache: &mut u32,
) -> Gap {
    let (number, least) = least(p, separations, best);
    let kept = Axis::remembered(p, separations, *cache)
        .filter(|last| last.separation >= least - KEEP.0 * least.abs() - KEEP.1 * p.size());
    // mostly the axis of the last time is that of least depth: then there is nothing else to take, but where its features have left each other
    let first = kept.unwrap_or_else(|| Axis::of(p, number, least));
    let (mut axis, mut points) = (first, first.points(p));
    if kept.is_some() && points.2 > OPPOSITE * p.size() {
        axis = Axis::of(p, number, least);
        points = axis.points(p);
    }
    remember_axis(cache, axis.to_cache());
    let found = (axis.separation, axis.normal, points.0, points.1);
    if axis.number < 6 { placed_on_face(p, pose_a, axis.number, found) } else { placed(p, pose_a, found) }
}

/// An axis with a direction along it.
#[derive(Debug, Clone, Copy)]
struct Axis {
    number: usize,
    reversed: bool,
    /// Unit vector in A's frame.
    normal: Vec3,
    /// Negative depth (m).
    separation: Real,
}

/// The axis of least depth with its separation (m); of a face and an edge pair that tie up to rounding the face.
#[inline(always)]
fn least<const N: usize>(p: &BoxPair, (separations, lane): (&Separations<N>, usize), best: &Best) -> (usize, Real) {
    let clearly = |&(axis, s): &(usize, Real)| s > best.face.1 + ROUNDING * p.size() / separations.sine(lane, axis);
    best.edges.filter(clearly).unwrap_or(best.face)
}

impl Axis {
    /// An axis with its separation (m), from one middle to the other.
    #[inline(always)]
    fn of(p: &BoxPair, number: usize, separation: Real) -> Self {
        let own = p.axis(number);
        let reversed = own.dot(p.t) < 0.0;
        Self { number, reversed, normal: if reversed { -own } else { own }, separation }
    }

    /// The axis in a cache, in the direction that it had: the boxes' middles may have passed each other since.
    #[inline(always)]
    fn remembered<const N: usize>(
        p: &BoxPair,
        (separations, lane): (&Separations<N>, usize),
        cache: u32,
    ) -> Option<Self> {
        let number = remembered_axis(cache)?;
        let (reversed, separation) = (cache & REVERSED != 0, separations.last(lane));
        if separation == Real::NEG_INFINITY {
            return None;
        }
        let own = p.axis(number);
        let normal = if reversed { -own } else { own };
        let against = normal.dot(p.t).min(0.0);
        Some(Self { number, reversed, normal, separation: separation + 2.0 * against })
    }

    fn to_cache(self) -> u32 {
        (self.number as u32 + 1) | if self.reversed { REVERSED } else { 0 }
    }

    /// The deepest points on A and on B in A's frame, and how far beside each other they are (m).
    #[inline(always)]
    fn points(&self, p: &BoxPair) -> (Vec3, Vec3, Real) {
        let (n, s) = (self.normal, self.separation);
        if self.number < 6 {
            return on_face(p, self.number, n, s, LEVEL);
        }
        let [a0, a1, b0, b1] = facing_edges(p, self.number, n);
        let (on_a, on_b) = closest_points(a0, a1, b0, b1);
        let opposite = on_a + n * s;
        let off = (on_b - opposite).abs().max_element();
        (on_a, if off <= ATTAINED * p.size() { opposite } else { on_b }, off)
    }
}
