use super::answers::Choice;
use super::crossing::ATTAINED;
use super::frame::BoxPair;
use super::query::{
    Best, LEVEL, apart, facing_edges, far_by_last, on_face, placed, placed_on_face, remembered_axis,
    remembered_pairing, remembering,
};
use super::separations::Separations;
use super::side_by_side::{SideBySide, alone};
use crate::gap::Gap;
use crate::segment::closest_points;
use drystone_geometry::Cuboid;
use drystone_math::lanes::widest;
use drystone_math::{Pose, Real, Vec3};
use pulp::{Simd, WithSimd};

/// Rounding error of a separation along an axis, as a fraction of the size; along the cross product of two edges,
/// divided by its length.
const ROUNDING: Real = 1e-14;

/// The axis of last time is kept while it is deeper than the least by no more than this fraction of the least depth plus this
/// fraction of the size.
const KEEP: (Real, Real) = (0.02, 1e-5);

/// Features count as opposite each other up to this fraction of the size.
const OPPOSITE: Real = 1e-5;

/// Cache bit: the axis is reversed.
const REVERSED: u32 = 16;

/// Two boxes: separating axes, and if they overlap the axis of least depth among all fifteen, which is the exact answer for
/// boxes.
///
/// Faces and edge pairs of about the same depth do not take turns: the axis of last time (`cache`) is kept while it exceeds the
/// least depth by at most 2 % plus 1e-5 of the size, and its features are still opposite each other. With nothing cached, a face
/// is preferred if it ties up to rounding.
///
/// # Source
/// Gottschalk, Lin and Manocha 1996 for the axes. Thesis 6.3 prefers faces by a rule about the ends of edges instead, see
/// [`super::improved`]; the purpose of that rule, four contacts between boxes tilted by a hair, is left here to contact
/// determination, which clips faces whenever the normal is within some degrees of one.
#[inline(never)]
pub(crate) fn query(a: &Cuboid, pose_a: &Pose, b: &Cuboid, pose_b: &Pose, envelope: Real, cache: &mut u32) -> Gap {
    let (pair, poses) = (alone([a, b], [pose_a, pose_b], *cache, ROUNDING), (pose_a, pose_b));
    if pair.is_far(0, envelope) { pair.far(0, poses, *cache) } else { pair.near(0, poses, envelope, cache) }
}

/// Work to run on the widest registers.
struct Measured<'a, const N: usize>(&'a mut SideBySide<N>);

impl<const N: usize> WithSimd for Measured<'_, N> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        self.0.work_out(simd, ROUNDING);
    }
}

impl<const N: usize> SideBySide<N> {
    /// Works out for all pairs what the methods below need.
    #[inline(always)]
    pub(crate) fn measure(&mut self) {
        widest(Measured(self));
    }

    /// Returns true if the axis of last time separates the boxes of a measured pair by more than the envelope (m).
    #[inline(always)]
    pub(crate) fn is_far(&self, lane: usize, envelope: Real) -> bool {
        self.separations().last(lane) > envelope
    }

    /// The gap of a measured pair, if it does.
    #[inline(always)]
    pub(crate) fn far(&self, lane: usize, poses: (&Pose, &Pose), cache: u32) -> Gap {
        far_by_last(&self.pair(lane), (self.separations(), lane), poses, cache)
    }

    /// The gap of a measured pair, if it does not.
    #[inline(always)]
    pub(crate) fn near(&self, lane: usize, poses: (&Pose, &Pose), envelope: Real, cache: &mut u32) -> Gap {
        let (p, separations) = (self.pair(lane), (self.separations(), lane));
        match apart(&p, separations, poses, envelope, cache) {
            Ok(gap) => gap,
            Err(best) => self.overlap((lane, &p), poses.0, &best, cache),
        }
    }

    /// Chooses the axis for a measured pair, if the axis of last time separates the boxes by more than the envelope.
    #[inline(always)]
    pub(crate) fn choose_far(&mut self, lane: usize, cache: u32) {
        let (own, along) = self.last_axis(lane);
        let normal = if along < 0.0 { -own } else { own };
        let choice = Choice::far(normal, self.separations().last(lane));
        self.answers_mut().choose(lane, &choice, cache);
    }

    /// The same, if it does not: with the envelope (m).
    #[inline(always)]
    pub(crate) fn choose_near(&mut self, lane: usize, envelope: Real, cache: u32) {
        let best = Best::of((self.separations(), lane), envelope);
        let (axis, s) = best.of_both();
        let (choice, cache) = if s > envelope {
            (Choice::far(self.direction(lane, axis), s), remembering(cache, axis as u32 + 1))
        } else if s <= 0.0 {
            let (axis, kept) = self.first_axis((lane, &self.pair(lane)), &best, cache);
            let beside = if kept { OPPOSITE } else { Real::INFINITY };
            let choice = Choice::overlapping(axis.number, axis.normal, axis.separation, beside);
            (choice, remembering(cache, axis.to_cache()))
        } else {
            // an edge axis needs no direction here
            let normal = if axis < 6 { self.direction(lane, axis) } else { Vec3::ZERO };
            (Choice::apart(axis, normal, s, remembered_pairing(cache)), cache)
        };
        self.answers_mut().choose(lane, &choice, cache);
    }

    /// Two boxes that overlap, given their best axes.
    #[inline(always)]
    fn overlap(&self, (lane, p): (usize, &BoxPair), pose_a: &Pose, best: &Best, cache: &mut u32) -> Gap {
        let (first, kept) = self.first_axis((lane, p), best, *cache);
        let (mut axis, mut points) = (first, first.points(p));
        if kept && points.2 > OPPOSITE * p.size() {
            axis = self.axis_toward((lane, p), least(p, (self.separations(), lane), best));
            points = axis.points(p);
        }
        *cache = remembering(*cache, axis.to_cache());
        let found = (axis.separation, axis.normal, points.0, points.1);
        if axis.number < 6 { placed_on_face(p, pose_a, axis.number, found) } else { placed(p, pose_a, found) }
    }

    /// The axis of two boxes that overlap, and whether it is that of last time. Mostly that is the one of least depth, and no other is considered unless its features have
    /// left each other.
    #[inline(always)]
    fn first_axis(&self, (lane, p): (usize, &BoxPair), best: &Best, cache: u32) -> (Axis, bool) {
        let (number, least) = least(p, (self.separations(), lane), best);
        match self.axis_kept(lane, cache) {
            Some(last) if last.separation >= least - KEEP.0 * least.abs() - KEEP.1 * p.size() => (last, true),
            _ => (self.axis_toward((lane, p), (number, least)), false),
        }
    }

    /// An axis with its separation (m), pointing from A's middle to B's.
    #[inline(always)]
    fn axis_toward(&self, (lane, p): (usize, &BoxPair), (number, separation): (usize, Real)) -> Axis {
        let own = self.axis(lane, number);
        let reversed = own.dot(p.t) < 0.0;
        Axis { number, reversed, normal: if reversed { -own } else { own }, separation }
    }

    /// The axis in a cache, with the direction it had then: the boxes' middles may have passed each other since.
    #[inline(always)]
    fn axis_kept(&self, lane: usize, cache: u32) -> Option<Axis> {
        let number = remembered_axis(cache)?;
        let (reversed, separation) = (cache & REVERSED != 0, self.separations().last(lane));
        if separation == Real::NEG_INFINITY {
            return None;
        }
        let (own, along) = self.last_axis(lane);
        let normal = if reversed { -own } else { own };
        let against = if reversed { -along } else { along }.min(0.0);
        Some(Axis { number, reversed, normal, separation: separation + 2.0 * against })
    }
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

/// The axis of least depth with its separation (m); if a face and an edge pair tie up to rounding, the face.
#[inline(always)]
fn least<const N: usize>(p: &BoxPair, (separations, lane): (&Separations<N>, usize), best: &Best) -> (usize, Real) {
    let clearly = |&(axis, s): &(usize, Real)| s > best.face.1 + ROUNDING * p.size() / separations.sine(lane, axis);
    best.edges.filter(clearly).unwrap_or(best.face)
}

impl Axis {
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
