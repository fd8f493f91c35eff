use super::bodies::{self, Bodies, Mobility, Who};
use super::disc::{Discs, WideDisc};
use super::frame::{Frames, WideFrame};
use super::{Gives, WIDE, Wide};
use crate::contact_sweeps::body::Body;
use crate::contact_sweeps::point::Point;
use crate::contact_sweeps::seat::Seat;
use drystone_core::{ContactImpulse, GroupContact};
use drystone_math::Real;
use drystone_math::lanes::{self, Lanes, Vectors};
use pulp::Simd;

/// Single contacts side by side: no two of them have a moving body in common. Entries that belong to no contact are zero.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct WidePoint {
    pub(super) who: [Who; 2],
    /// Index of each in the problem.
    pub(super) first: [u32; WIDE],
    /// Number of contact points.
    pub(super) points: usize,
    /// True if the response has been computed.
    pub(super) made: bool,
    /// When it was last visited.
    pub(super) visited: u32,
    /// Which bodies give way while loads are passed down.
    pub(super) gives: Gives,
    pub(super) frame: WideFrame,
    friction: Wide,
    target: Wide,
    pub(super) gap: Wide,
    impulse: [Wide; 3],
    pub(super) response: WideResponse,
}

/// The effect of impulses at points side by side on the relative velocity there.
#[derive(Debug, Clone, Copy)]
pub(super) struct WideResponse {
    normal: [Wide; 3],
    pub(super) reciprocal: Wide,
    disc: WideDisc,
}

/// The same for a group of lanes: the effects of impulses along the normal, the reciprocal of the first of these, and the effects of friction.
#[derive(Debug, Clone, Copy)]
struct Responses<S: Simd> {
    normal: Vectors<S>,
    reciprocal: Lanes<S>,
    disc: Discs<S>,
}

/// Entries (a_00, a_10, a_20, a_11, a_21, a_22) of the response of the bodies on one side.
type Sums<S> = [Lanes<S>; 6];

#[inline(always)]
fn of_side<S: Simd>(frames: &Frames<S>, side: usize, body: &Mobility<S>) -> Sums<S> {
    let (arm, [n, t1, t2]) = (frames.arms[side], frames.axes);
    let levers = [lanes::cross(arm, n), lanes::cross(arm, t1), lanes::cross(arm, t2)];
    let turned = [body.turn(levers[0]), body.turn(levers[1]), body.turn(levers[2])];
    [
        lanes::dot(levers[0], turned[0]) + body.inverse_mass,
        lanes::dot(levers[1], turned[0]),
        lanes::dot(levers[2], turned[0]),
        lanes::dot(levers[1], turned[1]) + body.inverse_mass,
        lanes::dot(levers[2], turned[1]),
        lanes::dot(levers[2], turned[2]) + body.inverse_mass,
    ]
}

impl<S: Simd> Responses<S> {
    /// Sums both sides, each to the degree that it gives way.
    #[inline(always)]
    fn new(simd: S, [a, b]: &[Sums<S>; 2], [p, q]: [Lanes<S>; 2]) -> Self {
        let (zero, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
        let mut sum = *a;
        for i in 0..6 {
            sum[i] = a[i] * p + b[i] * q;
        }
        Self {
            normal: [sum[0], sum[1], sum[2]],
            reciprocal: (one / sum[0]).where_else(zero.less(sum[0]), zero),
            disc: Discs::new(simd, [sum[3], sum[4], sum[5]]),
        }
    }
}

impl WideResponse {
    const BLANK: Self = Self { normal: [[0.0; WIDE]; 3], reciprocal: [0.0; WIDE], disc: WideDisc::BLANK };

    #[inline(always)]
    fn of<S: Simd>(&self, simd: S, group: usize) -> Responses<S> {
        Responses {
            normal: lanes::vectors(simd, &self.normal, group),
            reciprocal: Lanes::of(simd, &self.reciprocal, group),
            disc: self.disc.of(simd, group),
        }
    }

    #[inline(always)]
    fn set<S: Simd>(&mut self, group: usize, responses: &Responses<S>) {
        lanes::put(responses.normal, &mut self.normal, group);
        responses.reciprocal.put(&mut self.reciprocal, group);
        self.disc.set(group, &responses.disc);
    }
}

impl WidePoint {
    /// No contact.
    pub(super) const BLANK: Self = Self {
        who: [[0; WIDE]; 2],
        first: [0; WIDE],
        points: 0,
        made: false,
        visited: 0,
        gives: Gives::BLANK,
        frame: WideFrame::BLANK,
        friction: [0.0; WIDE],
        target: [0.0; WIDE],
        gap: [0.0; WIDE],
        impulse: [[0.0; WIDE]; 3],
        response: WideResponse::BLANK,
    };

    /// Prepares for being made anew, from this many contacts.
    #[inline(always)]
    pub(super) fn begin(&mut self, points: usize) {
        (self.points, self.made, self.visited) = (points, false, 0);
    }

    /// Sets one lane to a contact with the impulse that it starts from.
    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, seat: &Seat, point: &Point, gap: Real) {
        self.who[0][lane] = seat.bodies[0];
        self.who[1][lane] = seat.bodies[1];
        self.first[lane] = seat.first;
        self.frame.set(lane, &point.frame);
        self.friction[lane] = point.friction;
        self.target[lane] = point.target;
        self.gap[lane] = gap;
        lanes::write(&mut self.impulse, lane, point.impulse);
    }

    /// Leaves a lane without a contact: it gets the bodies of lane `like`, so that they can be read, and nothing that acts on them.
    #[inline(always)]
    pub(super) fn leave(&mut self, lane: usize, like: usize) {
        let seat = Seat { bodies: [self.who[0][like], self.who[1][like]], ..Seat::NONE };
        self.set(lane, &seat, &Point::BLANK, 0.0);
    }

    /// Number of lane groups with a contact in them.
    #[inline(always)]
    pub(super) fn groups<S: Simd>(&self) -> usize {
        self.points.div_ceil(S::F64_LANES)
    }

    /// Applies the impulses that contacts start from to the bodies.
    #[inline(always)]
    pub(super) fn start<S: Simd>(&mut self, simd: S, bodies: &mut [Body]) {
        for group in 0..self.groups::<S>() {
            let frames = self.frame.of(simd, group);
            let (a, b) = bodies::read_both(simd, bodies, &self.who, group);
            self.push(simd, bodies, (group, &frames), (&a, &b), lanes::vectors(simd, &self.impulse, group));
        }
    }

    /// Adds impulses to bodies that were read.
    #[inline(always)]
    fn push<S: Simd>(
        &self,
        simd: S,
        bodies: &mut [Body],
        (group, frames): (usize, &Frames<S>),
        (a, b): (&Bodies<S>, &Bodies<S>),
        by: Vectors<S>,
    ) {
        let impulse = frames.impulse(by);
        let back = lanes::reversed(impulse);
        bodies::give(simd, a.mass.pushed(a.velocity, frames.arms[0], back), bodies, &self.who[0], group);
        bodies::give(simd, b.mass.pushed(b.velocity, frames.arms[1], impulse), bodies, &self.who[1], group);
    }

    /// Solves all contacts with all else held: normals, then friction. Returns by how much each was off (m/s).
    #[inline(always)]
    pub(super) fn relax<S: Simd>(&mut self, simd: S, bodies: &mut [Body]) -> Wide {
        let mut off = [0.0; WIDE];
        for group in 0..self.groups::<S>() {
            let frames = self.frame.of(simd, group);
            let (a, b) = bodies::read_both(simd, bodies, &self.who, group);
            if !self.made {
                self.make_for(simd, group, &frames, &[a.mass, b.mass]);
            }
            let response = self.response.of(simd, group);
            let (by, how) = self.solve(simd, group, &response, frames.linear(&a.velocity, &b.velocity));
            how.put(&mut off, group);
            self.push(simd, bodies, (group, &frames), (&a, &b), by);
        }
        self.made = true;
        off
    }

    /// Makes the response of a group of lanes.
    #[inline(always)]
    pub(super) fn make_for<S: Simd>(&mut self, simd: S, group: usize, frames: &Frames<S>, [a, b]: &[Mobility<S>; 2]) {
        let sums = [of_side(frames, 0, a), of_side(frames, 1, b)];
        self.response.set(group, &Responses::new(simd, &sums, [Lanes::splat(simd, 1.0); 2]));
    }

    /// The same, but the bodies that carry others move at their velocities of rest and do not give way.
    #[inline(always)]
    pub(super) fn carry<S: Simd>(&mut self, simd: S, bodies: &mut [Body]) -> Wide {
        let mut off = [0.0; WIDE];
        for group in 0..self.groups::<S>() {
            let frames = self.frame.of(simd, group);
            let (a, b) = bodies::read_both(simd, bodies, &self.who, group);
            let sums = [of_side(&frames, 0, &a.mass), of_side(&frames, 1, &b.mass)];
            let gives = [Lanes::of(simd, &self.gives.0[0], group), Lanes::of(simd, &self.gives.0[1], group)];
            let response = Responses::new(simd, &sums, gives);
            let seen = [
                bodies::seen(simd, &a, bodies, &self.who[0], (group, gives[0])),
                bodies::seen(simd, &b, bodies, &self.who[1], (group, gives[1])),
            ];
            let (by, how) = self.solve(simd, group, &response, frames.linear(&seen[0], &seen[1]));
            how.put(&mut off, group);
            self.push(simd, bodies, (group, &frames), (&a, &b), by);
            if !self.made {
                self.response.set(group, &Responses::new(simd, &sums, [Lanes::splat(simd, 1.0); 2]));
            }
        }
        self.made = true;
        off
    }

    /// The impulses that bring normal velocities to what is wanted, and friction that opposes slip; also by how much contacts were off (m/s).
    #[inline(always)]
    fn solve<S: Simd>(
        &mut self,
        simd: S,
        group: usize,
        response: &Responses<S>,
        e: [Lanes<S>; 3],
    ) -> (Vectors<S>, Lanes<S>) {
        let zero = Lanes::splat(simd, 0.0);
        let [x, f1, f2] = lanes::vectors(simd, &self.impulse, group);
        let rate = e[0] - Lanes::of(simd, &self.target, group);
        let normal = (x - rate * response.reciprocal).max(zero);
        let moved = normal - x;
        let [a00, a10, a20] = response.normal;
        let slip = [e[1] + a10 * moved, e[2] + a20 * moved];
        let radius = Lanes::of(simd, &self.friction, group) * normal;
        let (rub, by) = response.disc.rub(simd, slip, [f1, f2], radius);
        lanes::put([normal, rub[0], rub[1]], &mut self.impulse, group);
        ([moved, rub[0] - f1, rub[1] - f2], by.max((moved * a00).abs()))
    }

    /// Reads gaps at the start of the step anew.
    pub(super) fn read_gaps(&mut self, contacts: &[GroupContact]) {
        for lane in 0..self.points {
            self.gap[lane] = contacts[self.first[lane] as usize].separation;
        }
    }

    /// Writes the impulses of the contacts.
    #[inline(always)]
    pub(super) fn write(&self, impulses: &mut [ContactImpulse]) {
        for lane in 0..self.points {
            let [t1, t2] = self.frame.tangents(lane);
            impulses[self.first[lane] as usize] =
                ContactImpulse::of_multipliers(lanes::read(&self.impulse, lane), [t1.into(), t2.into()]);
        }
    }
}
