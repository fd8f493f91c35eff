use super::bodies::{self, Mobility, Twists};
use super::frame::Frames;
use super::patch::WidePatch;
use super::point::WidePoint;
use super::{WIDE, Wide};
use crate::contact_sweeps::body::Body;
use crate::contact_sweeps::normals::MOST;
use drystone_math::lanes::{self, Lanes};
use drystone_math::{Real, Twist};
use pulp::Simd;

/// Sweeps over the normals of a patch, which is not visited again within the step.
const SWEEPS: usize = 8;

/// Lanes in which any component of these twists is not zero.
#[inline(always)]
fn moves<S: Simd>([a, b]: &[Twists<S>; 2]) -> Lanes<S> {
    let [p, q] = [lanes::largest(lanes::abs(a.linear)), lanes::largest(lanes::abs(a.angular))];
    let [r, s] = [lanes::largest(lanes::abs(b.linear)), lanes::largest(lanes::abs(b.angular))];
    p.max(q).max(r.max(s))
}

/// Distance by which points are to separate (m): a deep point by its depth less the slop, while an open one may close.
#[inline(always)]
fn wanted<S: Simd>(simd: S, gap: Lanes<S>, slop: Lanes<S>) -> Lanes<S> {
    let zero = Lanes::splat(simd, 0.0);
    gap.negated().where_else(zero.less(gap), (gap.negated() - slop).max(zero))
}

/// The bodies of a group of lanes, and how they are displaced.
struct Displaced<S: Simd> {
    velocity: [Twists<S>; 2],
    mass: [Mobility<S>; 2],
    ways: [Twists<S>; 2],
}

impl<S: Simd> Displaced<S> {
    #[inline(always)]
    fn read(simd: S, bodies: &[Body], ways: &[Twist], who: &[bodies::Who; 2], group: usize) -> Self {
        let (a, b) = bodies::read_both(simd, bodies, who, group);
        Self {
            velocity: [a.velocity, b.velocity],
            mass: [a.mass, b.mass],
            ways: [bodies::read_twists(simd, ways, &who[0], group), bodies::read_twists(simd, ways, &who[1], group)],
        }
    }

    /// Adds the effect of a push along the normal and of a turn.
    #[inline(always)]
    fn strike(
        &self,
        simd: S,
        frames: &Frames<S>,
        [x, m2, m1]: [Lanes<S>; 3],
        ways: &mut [Twist],
        (who, group): (&[bodies::Who; 2], usize),
    ) {
        let zero = Lanes::splat(simd, 0.0);
        let (push, turn) = (frames.impulse([x, zero, zero]), frames.turn([zero, m2, m1]));
        let back = lanes::reversed(push);
        let back_turn = lanes::reversed(turn);
        let a = self.mass[0].struck(self.ways[0], frames.arms[0], back, back_turn);
        let b = self.mass[1].struck(self.ways[1], frames.arms[1], push, turn);
        bodies::write_twists(simd, a, ways, &who[0], group);
        bodies::write_twists(simd, b, ways, &who[1], group);
    }
}

impl WidePatch {
    /// Displaces bodies so that no point overlaps by more than the slop (m) after a step of `h` seconds; returns how deep the deepest point would be (m).
    #[inline(always)]
    pub(super) fn part<S: Simd>(
        &mut self,
        simd: S,
        bodies: &[Body],
        ways: &mut [Twist],
        (h, slop): (Real, Real),
    ) -> Real {
        let mut depth: Wide = [Real::NEG_INFINITY; WIDE];
        let (zero, h, slop) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, h), Lanes::splat(simd, slop));
        for group in 0..self.groups::<S>() {
            let frames = self.frame.of(simd, group);
            let all = Displaced::read(simd, bodies, ways, &self.who, group);
            if !self.made {
                self.make_for(simd, group, &frames, &all.mass);
            }
            let places = self.places(simd, group);
            let normals = self.response.normals.of(simd, group);
            let rates = frames.normal(&all.velocity[0], &all.velocity[1]);
            let mut gap = lanes::quaternions(simd, &self.gap, group);
            let mut least = Lanes::splat(simd, Real::INFINITY);
            for i in 0..MOST {
                gap[i] = gap[i] + h * places.rate(i, rates);
                let there = zero.less(normals.scale[i]);
                least = least.min(gap[i].where_else(there, least));
            }
            least.negated().put(&mut depth, group);
            let deep = (slop + least).negated();
            if !lanes::any(simd, zero.less(moves(&all.ways).max(deep))) {
                continue;
            }
            let way = frames.normal(&all.ways[0], &all.ways[1]);
            let (mut push, mut most) = ([zero; MOST], zero);
            for i in 0..MOST {
                push[i] = (wanted(simd, gap[i], slop) - places.rate(i, way)) * normals.scale[i];
                most = most.max(push[i]);
            }
            if lanes::any(simd, zero.less(most)) {
                let mut pushed = normals.settle(simd, SWEEPS, push, [zero; MOST]);
                for i in 0..MOST {
                    pushed[i] = pushed[i] * normals.scale[i];
                }
                all.strike(simd, &frames, places.sum(pushed), ways, (&self.who, group));
            }
        }
        self.made = true;
        let mut deepest = Real::NEG_INFINITY;
        for lane in 0..self.patches {
            deepest = deepest.max(depth[lane]);
        }
        deepest
    }
}

impl WidePoint {
    /// As [`WidePatch::part`].
    #[inline(always)]
    pub(super) fn part<S: Simd>(
        &mut self,
        simd: S,
        bodies: &[Body],
        ways: &mut [Twist],
        (h, slop): (Real, Real),
    ) -> Real {
        let mut depth: Wide = [Real::NEG_INFINITY; WIDE];
        let (zero, h, slop) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, h), Lanes::splat(simd, slop));
        for group in 0..self.groups::<S>() {
            let frames = self.frame.of(simd, group);
            let all = Displaced::read(simd, bodies, ways, &self.who, group);
            if !self.made {
                self.make_for(simd, group, &frames, &all.mass);
            }
            let [rate, ..] = frames.normal(&all.velocity[0], &all.velocity[1]);
            let gap = Lanes::of(simd, &self.gap, group) + h * rate;
            gap.negated().put(&mut depth, group);
            let deep = (slop + gap).negated();
            if !lanes::any(simd, zero.less(moves(&all.ways).max(deep))) {
                continue;
            }
            let [way, ..] = frames.normal(&all.ways[0], &all.ways[1]);
            let missing = (wanted(simd, gap, slop) - way).max(zero);
            if lanes::any(simd, zero.less(missing)) {
                let push = missing * Lanes::of(simd, &self.response.reciprocal, group);
                all.strike(simd, &frames, [push, zero, zero], ways, (&self.who, group));
            }
        }
        self.made = true;
        let mut deepest = Real::NEG_INFINITY;
        for lane in 0..self.points {
            deepest = deepest.max(depth[lane]);
        }
        deepest
    }
}
