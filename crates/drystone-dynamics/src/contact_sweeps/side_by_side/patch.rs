use super::bodies::{self, Bodies, Mobility, Who};
use super::disc::Discs;
use super::frame::{Frames, WideFrame};
use super::normals::Places;
use super::response::{Responses, Sums, WideResponse};
use super::{Gives, WIDE, Wide};
use crate::contact_sweeps::body::Body;
use crate::contact_sweeps::normals::MOST;
use crate::contact_sweeps::patch::Patch;
use crate::contact_sweeps::seat::Seat;
use drystone_core::{ContactImpulse, GroupContact};
use drystone_math::lanes::{self, Lanes};
use pulp::Simd;

/// Sweeps over the normals of a patch per visit: with two, piles of boxes are deeper by a tenth; with six, they are as deep as with four.
const SWEEPS: usize = 4;

/// Patches side by side: no two of them have a moving body in common, so that all can be visited at once. Entries that belong to no patch, or to no point, are zero.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct WidePatch {
    pub(super) who: [Who; 2],
    /// Index of the first point of each patch in the problem, and the number of its points.
    pub(super) first: [u32; WIDE],
    pub(super) count: [u32; WIDE],
    /// Number of patches.
    pub(super) patches: usize,
    /// True if the response has been computed.
    pub(super) made: bool,
    /// When it was last visited.
    pub(super) visited: u32,
    /// Which bodies give way while loads are passed down.
    pub(super) gives: Gives,
    pub(super) frame: WideFrame,
    place: [[Wide; 2]; MOST],
    friction: Wide,
    target: [Wide; MOST],
    pub(super) gap: [Wide; MOST],
    normal: [Wide; MOST],
    grip: [[Wide; 2]; MOST],
    pub(super) response: WideResponse,
}

impl WidePatch {
    /// No patch.
    pub(super) const BLANK: Self = Self {
        who: [[0; WIDE]; 2],
        first: [0; WIDE],
        count: [0; WIDE],
        patches: 0,
        made: false,
        visited: 0,
        gives: Gives::BLANK,
        frame: WideFrame::BLANK,
        place: [[[0.0; WIDE]; 2]; MOST],
        friction: [0.0; WIDE],
        target: [[0.0; WIDE]; MOST],
        gap: [[0.0; WIDE]; MOST],
        normal: [[0.0; WIDE]; MOST],
        grip: [[[0.0; WIDE]; 2]; MOST],
        response: WideResponse::BLANK,
    };

    /// Prepares for being made anew, from this many patches.
    #[inline(always)]
    pub(super) fn begin(&mut self, patches: usize) {
        (self.patches, self.made, self.visited) = (patches, false, 0);
    }

    /// Sets one lane to a patch with the impulses that it starts from.
    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, seat: &Seat, patch: &Patch, contacts: &[GroupContact]) {
        self.who[0][lane] = seat.bodies[0];
        self.who[1][lane] = seat.bodies[1];
        self.first[lane] = seat.first;
        self.count[lane] = seat.count;
        self.frame.set(lane, &patch.frame);
        for i in 0..MOST {
            lanes::write(&mut self.place[i], lane, patch.place[i]);
            lanes::write(&mut self.grip[i], lane, patch.grip[i]);
            self.response.normals.scale[i][lane] = if i < seat.count as usize { 1.0 } else { 0.0 };
        }
        lanes::write(&mut self.target, lane, patch.target);
        for i in 0..contacts.len() {
            self.gap[i][lane] = contacts[i].separation;
        }
        lanes::write(&mut self.normal, lane, patch.normal);
        self.friction[lane] = patch.friction;
    }

    /// Leaves a lane without a patch: it gets the bodies of lane `like`, so that they can be read, and nothing that acts on them.
    #[inline(always)]
    pub(super) fn leave(&mut self, lane: usize, like: usize) {
        self.who[0][lane] = self.who[0][like];
        self.who[1][lane] = self.who[1][like];
        self.count[lane] = 0;
        self.frame.set(lane, &Patch::BLANK.frame);
        for i in 0..MOST {
            lanes::write(&mut self.place[i], lane, [0.0; 2]);
            lanes::write(&mut self.grip[i], lane, [0.0; 2]);
            self.response.normals.scale[i][lane] = 0.0;
        }
        lanes::write(&mut self.target, lane, [0.0; MOST]);
        lanes::write(&mut self.gap, lane, [0.0; MOST]);
        lanes::write(&mut self.normal, lane, [0.0; MOST]);
        self.friction[lane] = 0.0;
    }

    /// Number of lane groups with a patch in them.
    #[inline(always)]
    pub(super) fn groups<S: Simd>(&self) -> usize {
        self.patches.div_ceil(S::F64_LANES)
    }

    #[inline(always)]
    pub(super) fn places<S: Simd>(&self, simd: S, group: usize) -> Places<S> {
        let mut places = Places([[Lanes::splat(simd, 0.0); 2]; MOST]);
        for i in 0..MOST {
            places.0[i] = [Lanes::of(simd, &self.place[i][0], group), Lanes::of(simd, &self.place[i][1], group)];
        }
        places
    }

    /// Applies the impulses that patches start from to the bodies.
    #[inline(always)]
    pub(super) fn start<S: Simd>(&mut self, simd: S, bodies: &mut [Body]) {
        for group in 0..self.groups::<S>() {
            let frames = self.frame.of(simd, group);
            let sum = self.places(simd, group).sum(lanes::quaternions(simd, &self.normal, group));
            let places = self.places(simd, group);
            let zero = Lanes::splat(simd, 0.0);
            let (mut f1, mut f2, mut m) = (zero, zero, zero);
            for i in 0..MOST {
                let [g1, g2] = self.grip_of(simd, i, group);
                let [a, b] = places.0[i];
                f1 = f1 + g1;
                f2 = f2 + g2;
                m = m + (a * g2 - b * g1);
            }
            let (a, b) = bodies::read_both(simd, bodies, &self.who, group);
            self.strike(simd, bodies, (group, &frames), (&a, &b), [sum[0], f1, f2, m, sum[1], sum[2]]);
        }
    }

    /// Adds wrenches to bodies that were read.
    #[inline(always)]
    fn strike<S: Simd>(
        &self,
        simd: S,
        bodies: &mut [Body],
        (group, frames): (usize, &Frames<S>),
        (a, b): (&Bodies<S>, &Bodies<S>),
        w: [Lanes<S>; 6],
    ) {
        let (impulse, turn) = (frames.impulse([w[0], w[1], w[2]]), frames.turn([w[3], w[4], w[5]]));
        let back = lanes::reversed(impulse);
        let back_turn = lanes::reversed(turn);
        let a_after = a.mass.struck(a.velocity, frames.arms[0], back, back_turn);
        let b_after = b.mass.struck(b.velocity, frames.arms[1], impulse, turn);
        bodies::give(simd, a_after, bodies, &self.who[0], group);
        bodies::give(simd, b_after, bodies, &self.who[1], group);
    }

    /// Solves all patches with all else held: normals, then friction point by point. Returns by how much each was off (m/s).
    #[inline(always)]
    pub(super) fn relax<S: Simd>(&mut self, simd: S, bodies: &mut [Body]) -> Wide {
        let mut off = [0.0; WIDE];
        for group in 0..self.groups::<S>() {
            let frames = self.frame.of(simd, group);
            let (a, b) = bodies::read_both(simd, bodies, &self.who, group);
            if !self.made {
                self.make_for(simd, group, &frames, &[a.mass, b.mass]);
            }
            let (linear, angular) = (frames.linear(&a.velocity, &b.velocity), frames.angular(&a.velocity, &b.velocity));
            let response = self.response.of(simd, group);
            let (wrench, by) = self.solve(simd, group, &response, (linear, angular));
            by.put(&mut off, group);
            self.strike(simd, bodies, (group, &frames), (&a, &b), wrench);
        }
        self.made = true;
        off
    }

    /// Makes the response of a group of lanes.
    #[inline(always)]
    pub(super) fn make_for<S: Simd>(&mut self, simd: S, group: usize, frames: &Frames<S>, [a, b]: &[Mobility<S>; 2]) {
        self.make(simd, group, &[Sums::of_side(frames, 0, a), Sums::of_side(frames, 1, b)]);
    }

    #[inline(always)]
    fn make<S: Simd>(&mut self, simd: S, group: usize, sums: &[Sums<S>; 2]) {
        let scale = lanes::quaternions(simd, &self.response.normals.scale, group);
        let places = self.places(simd, group);
        let sums = Sums::both(&sums[0], &sums[1], [Lanes::splat(simd, 1.0); 2]);
        self.response.set(group, &Responses::new(simd, &places, &sums, scale));
    }

    /// The same, but the bodies that carry others move at their velocities of rest and do not give way.
    #[inline(always)]
    pub(super) fn carry<S: Simd>(&mut self, simd: S, bodies: &mut [Body]) -> Wide {
        let mut off = [0.0; WIDE];
        for group in 0..self.groups::<S>() {
            let frames = self.frame.of(simd, group);
            let (a, b) = bodies::read_both(simd, bodies, &self.who, group);
            let sums = [Sums::of_side(&frames, 0, &a.mass), Sums::of_side(&frames, 1, &b.mass)];
            let scale = lanes::quaternions(simd, &self.response.normals.scale, group);
            let gives = [Lanes::of(simd, &self.gives.0[0], group), Lanes::of(simd, &self.gives.0[1], group)];
            let response =
                Responses::new(simd, &self.places(simd, group), &Sums::both(&sums[0], &sums[1], gives), scale);
            let seen = [
                bodies::seen(simd, &a, bodies, &self.who[0], (group, gives[0])),
                bodies::seen(simd, &b, bodies, &self.who[1], (group, gives[1])),
            ];
            let (linear, angular) = (frames.linear(&seen[0], &seen[1]), frames.angular(&seen[0], &seen[1]));
            let (wrench, by) = self.solve(simd, group, &response, (linear, angular));
            by.put(&mut off, group);
            self.strike(simd, bodies, (group, &frames), (&a, &b), wrench);
            if !self.made {
                self.make(simd, group, &sums);
            }
        }
        self.made = true;
        off
    }

    /// The wrenches that bring normal velocities to what is wanted, and oppose slip by twist and friction; also by how much patches were off (m/s).
    #[inline(always)]
    fn solve<S: Simd>(
        &mut self,
        simd: S,
        group: usize,
        response: &Responses<S>,
        (e, w): ([Lanes<S>; 3], [Lanes<S>; 3]),
    ) -> ([Lanes<S>; 6], Lanes<S>) {
        let zero = Lanes::splat(simd, 0.0);
        let places = self.places(simd, group);
        let normals = &response.normals;
        let before = lanes::quaternions(simd, &self.normal, group);
        let target = lanes::quaternions(simd, &self.target, group);
        let mut start = [zero; MOST];
        for i in 0..MOST {
            start[i] = before[i] * normals.root[i];
        }
        let mut wanted = normals.product(start);
        for i in 0..MOST {
            wanted[i] = wanted[i] - (places.rate(i, [e[0], w[1], w[2]]) - target[i]) * normals.scale[i];
        }
        let after = normals.settle(simd, SWEEPS, wanted, start);
        let (mut moved, mut normal, mut off) = ([zero; MOST], [zero; MOST], zero);
        for i in 0..MOST {
            normal[i] = after[i] * normals.scale[i];
            moved[i] = normal[i] - before[i];
            off = off.max((after[i] - start[i]).abs() * normals.root[i]);
        }
        lanes::put(normal, &mut self.normal, group);
        let [c0, c4, c5] = places.sum(moved);
        let friction = Lanes::of(simd, &self.friction, group);
        let [s, t] = &response.slip;
        let [r13, r23, r33] = [s[3], t[3], response.spin];
        let [r11, r12, r22] = response.tangents;
        let mut e1 = e[1] + s[0] * c0 + s[1] * c4 + s[2] * c5;
        let mut e2 = e[2] + t[0] * c0 + t[1] * c4 + t[2] * c5;
        let mut e3 = w[0];
        let (mut c1, mut c2, mut c3) = (zero, zero, zero);
        for i in 0..MOST {
            let [a, b] = places.0[i];
            let before = self.grip_of(simd, i, group);
            let (ar33, br33) = (a * r33, b * r33);
            let block = [r11 - b * (r13 + r13 - br33), r12 + a * r13 - b * (r23 + ar33), r22 + a * (r23 + r23 + ar33)];
            let slip = [e1 - b * e3, e2 + a * e3];
            let (after, by) = Discs::new(simd, block).rub(simd, slip, before, friction * normal[i]);
            // a point that there is not has no friction
            let [d1, d2] = [after[0] - before[0], after[1] - before[1]];
            let d3 = a * d2 - b * d1;
            lanes::put(after, &mut self.grip[i], group);
            e1 = e1 + (r11 * d1 + r12 * d2 + r13 * d3);
            e2 = e2 + (r12 * d1 + r22 * d2 + r23 * d3);
            e3 = e3 + (r13 * d1 + r23 * d2 + r33 * d3);
            (c1, c2, c3) = (c1 + d1, c2 + d2, c3 + d3);
            off = off.max(by);
        }
        ([c0, c1, c2, c3, c4, c5], off)
    }

    /// Friction of a point of each patch of a group of lanes.
    #[inline(always)]
    fn grip_of<S: Simd>(&self, simd: S, i: usize, group: usize) -> [Lanes<S>; 2] {
        [Lanes::of(simd, &self.grip[i][0], group), Lanes::of(simd, &self.grip[i][1], group)]
    }

    /// Reads gaps at the start of the step anew.
    pub(super) fn read_gaps(&mut self, contacts: &[GroupContact]) {
        for lane in 0..self.patches {
            for i in 0..self.count[lane] as usize {
                self.gap[i][lane] = contacts[self.first[lane] as usize + i].separation;
            }
        }
    }

    /// Distributes the impulses over the contacts.
    #[inline(always)]
    pub(super) fn write(&self, passing: &mut Patch, impulses: &mut [ContactImpulse]) {
        for lane in 0..self.patches {
            let (first, count) = (self.first[lane] as usize, self.count[lane] as usize);
            passing.count = count as u8;
            let [t1, t2] = self.frame.tangents(lane);
            passing.frame.axes[1] = t1.into();
            passing.frame.axes[2] = t2.into();
            for i in 0..MOST {
                passing.place[i] = lanes::read(&self.place[i], lane);
            }
            passing.normal = lanes::read(&self.normal, lane);
            for i in 0..MOST {
                passing.grip[i] = lanes::read(&self.grip[i], lane);
            }
            passing.write(&mut impulses[first..first + count]);
        }
    }

    /// Number of impulses along the normals and of friction.
    pub(super) fn variables(&self) -> u64 {
        let mut sum = 0;
        for lane in 0..self.patches {
            sum += 3 * u64::from(self.count[lane]);
        }
        sum
    }
}
