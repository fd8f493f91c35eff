use super::bodies::{self, Bodies, Mobility, Who};
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
    /// How many patches there are.
    pub(super) patches: usize,
    /// Whether the response has been made.
    pub(super) made: bool,
    /// When it was last visited.
    pub(super) visited: u32,
    /// Which bodies give way while loads are passed down.
    pub(super) gives: Gives,
    pub(super) frame: WideFrame,
    place: [[Wide; 2]; MOST],
    levers: [Wide; MOST],
    reach: Wide,
    friction: Wide,
    target: [Wide; MOST],
    pub(super) gap: [Wide; MOST],
    normal: [Wide; MOST],
    rub: [Wide; 3],
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
        levers: [[0.0; WIDE]; MOST],
        reach: [0.0; WIDE],
        friction: [0.0; WIDE],
        target: [[0.0; WIDE]; MOST],
        gap: [[0.0; WIDE]; MOST],
        normal: [[0.0; WIDE]; MOST],
        rub: [[0.0; WIDE]; 3],
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
            self.response.normals.scale[i][lane] = if i < seat.count as usize { 1.0 } else { 0.0 };
        }
        lanes::write(&mut self.levers, lane, patch.levers);
        lanes::write(&mut self.target, lane, patch.target);
        for i in 0..contacts.len() {
            self.gap[i][lane] = contacts[i].separation;
        }
        lanes::write(&mut self.normal, lane, patch.normal);
        lanes::write(&mut self.rub, lane, patch.rub);
        self.reach[lane] = patch.reach;
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
            self.response.normals.scale[i][lane] = 0.0;
        }
        lanes::write(&mut self.levers, lane, [0.0; MOST]);
        lanes::write(&mut self.target, lane, [0.0; MOST]);
        lanes::write(&mut self.gap, lane, [0.0; MOST]);
        lanes::write(&mut self.normal, lane, [0.0; MOST]);
        lanes::write(&mut self.rub, lane, [0.0; 3]);
        self.reach[lane] = 0.0;
        self.friction[lane] = 0.0;
    }

    /// How many groups of lanes there are with a patch in them.
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
            let [f1, f2, m] = lanes::vectors(simd, &self.rub, group);
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

    /// Solves all patches with all else held: normals, then twist, then friction. Returns by how much each was off (m/s).
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
        let levers = lanes::quaternions(simd, &self.levers, group);
        let [f1, f2, twist] = lanes::vectors(simd, &self.rub, group);
        let borne = normal[0] * levers[0] + normal[1] * levers[1] + (normal[2] * levers[2] + normal[3] * levers[3]);
        let most = friction * borne;
        let to = (twist - w[0] * response.twist[1]).max(most.negated()).min(most);
        let c3 = to - twist;
        off = off.max((c3 * response.twist[0]).abs() * Lanes::of(simd, &self.reach, group));
        let radius = friction * (normal[0] + normal[1] + (normal[2] + normal[3]));
        let [s, t] = &response.slip;
        let slip = [
            e[1] + s[0] * c0 + s[1] * c4 + s[2] * c5 + s[3] * c3,
            e[2] + t[0] * c0 + t[1] * c4 + t[2] * c5 + t[3] * c3,
        ];
        let (rub, by) = response.disc.rub(simd, slip, [f1, f2], radius);
        lanes::put([rub[0], rub[1], to], &mut self.rub, group);
        ([c0, rub[0] - f1, rub[1] - f2, c3, c4, c5], off.max(by))
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
            passing.rub = lanes::read(&self.rub, lane);
            passing.reach = self.reach[lane];
            passing.write(&mut impulses[first..first + count]);
        }
    }

    /// Number of impulses along the normals and of friction.
    pub(super) fn variables(&self) -> u64 {
        let mut sum = 0;
        for lane in 0..self.patches {
            sum += u64::from(self.count[lane]) + 3;
        }
        sum
    }
}
