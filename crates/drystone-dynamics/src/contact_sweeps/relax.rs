use super::body::Body;
use super::normals::MOST;
use super::patch::{Impulses, Made, Patch};
use super::response::Response;
use super::seat::Upper;
use drystone_lcp::minimum_on_disc;
use drystone_math::{Real, Twist};

/// Which bodies of a patch give way while it is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GiveWay {
    /// Both.
    Both,
    /// Only the upper one; the lower one moves as if at rest, but receives the impulse all the same.
    Upper,
}

/// Options of a patch visit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Visit {
    pub(super) gives: GiveWay,
    /// True if there is friction.
    pub(super) rough: bool,
    /// A patch whose velocities are off by less than this (m/s) is left as it is.
    pub(super) still: Real,
    /// Friction that changes by less than this (m/s) does not affect what bears.
    pub(super) settled: Real,
    /// Most solves of normals and friction in turn.
    pub(super) passes: usize,
}

#[cfg(test)]
impl Visit {
    /// A visit that leaves nothing alone, and solves normals and friction once.
    pub(super) const ALL_THE_WAY: Self =
        Self { gives: GiveWay::Both, rough: true, still: 0.0, settled: 0.0, passes: 1 };
}

/// The outcome of a visit of a patch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Relaxed {
    /// By how much it was off (m/s).
    pub(super) off: Real,
    /// True if its normals and its friction are consistent; if not, another visit changes the patch even if nothing
    /// else does.
    pub(super) agrees: bool,
}

impl Relaxed {
    /// The outcome for a patch that was solved as a whole.
    #[inline(always)]
    pub(super) fn all_the_way(off: Real) -> Self {
        Self { off, agrees: true }
    }
}

/// Passes over the friction of a patch's points per visit.
const RUBS: usize = 2;

/// Most solves of normals and friction in turn, in a visit of a group of few patches.
pub(super) const PASSES: usize = 30;

/// Normals and friction agree if friction changes by less than this fraction of what they were off by.
pub(super) const AGREED: Real = 1e-9;

/// Which bodies give way while loads are passed down: a body at rest carries whatever comes down on it.
#[inline(always)]
pub(super) fn bearing(pair: [u32; 2], upper: Upper, bodies: &[Body]) -> GiveWay {
    match upper {
        Upper::Side(s) if bodies[pair[1 - s as usize] as usize].quiet => GiveWay::Upper,
        _ => GiveWay::Both,
    }
}

/// The side that moves at its velocity of rest while a patch is solved, if any. A lower body that does not move is at rest anyway.
#[inline(always)]
pub(super) fn resting_side(pair: [u32; 2], upper: Upper, bodies: &[Body], gives: GiveWay) -> Option<usize> {
    match (gives, upper) {
        (GiveWay::Upper, Upper::Side(s)) => {
            let [a, b] = pair.map(|i| bodies[i as usize].moves);
            (a && b).then_some(1 - s as usize)
        }
        _ => None,
    }
}

impl Patch {
    /// The relative velocity at the middle, in rows.
    #[inline(always)]
    pub(super) fn relative(&self, bodies: &[Body], resting: Option<usize>) -> [Real; 6] {
        let of = |s: usize| -> Twist {
            let body = &bodies[self.bodies[s] as usize];
            if resting == Some(s) { body.rest } else { body.velocity }
        };
        let (a, b) = (of(0), of(1));
        let [arm_a, arm_b] = self.frame.arms;
        self.frame.rows(b.at(arm_b) - a.at(arm_a), b.angular - a.angular)
    }

    /// Adds a wrench, in rows, to both bodies.
    #[inline(always)]
    pub(super) fn strike(&self, bodies: &mut [Body], wrench: &[Real; 6]) {
        let (impulse, turn) = self.frame.impulse(wrench);
        let [a, b] = self.bodies.map(|i| i as usize);
        if bodies[a].moves {
            bodies[a].strike(self.frame.arms[0], -impulse, -turn);
        }
        if bodies[b].moves {
            bodies[b].strike(self.frame.arms[1], impulse, turn);
        }
    }

    #[inline(always)]
    pub(super) fn response_of(&self, bodies: &[Body], side: usize, into: &mut Response, rows: usize) {
        let body = &bodies[self.bodies[side] as usize];
        if body.moves {
            into.add(body, self.frame.arms[side], self.frame.axes, rows);
        }
    }

    /// Makes the response of both bodies, once per solve.
    #[inline(always)]
    pub(super) fn prepare(&mut self, bodies: &[Body]) {
        if self.made == Made::Neither {
            // as constants, so that the loops are unrolled
            match self.rows {
                5 => self.prepare_rows(bodies, 5),
                _ => self.prepare_rows(bodies, 6),
            }
            self.made = Made::Response;
        }
    }

    #[inline(always)]
    fn prepare_rows(&mut self, bodies: &[Body], rows: usize) {
        let mut response = Response::default();
        self.response_of(bodies, 0, &mut response, rows);
        self.response_of(bodies, 1, &mut response, rows);
        self.response = response;
    }

    /// Solves the patch with all else held.
    #[inline(always)]
    pub(super) fn relax(&mut self, bodies: &mut [Body], visit: Visit) -> Relaxed {
        let resting = resting_side(self.bodies, self.upper, bodies, visit.gives);
        let e = self.relative(bodies, resting);
        if self.is_idle(&e) {
            return Relaxed::all_the_way(0.0);
        }
        if visit.rough
            && self.weldable
            && self.friction > 0.0
            && let Some(off) = self.weld(bodies, resting, &e, visit.still)
        {
            return Relaxed::all_the_way(off);
        }
        self.solve_one_sided(bodies, resting, e, visit)
    }

    /// Returns true if there is no impulse and nothing approaches.
    #[inline(always)]
    fn is_idle(&self, e: &[Real; 6]) -> bool {
        let k = self.points();
        self.normal[..k].iter().all(|x| *x == 0.0) && (0..k).all(|i| self.rate(i, [e[0], e[4], e[5]]) >= self.target[i])
    }

    /// Normals as a small complementarity problem, then twist, then friction; once more if friction that sticks has changed what bears.
    #[inline(always)]
    fn solve_one_sided(&mut self, bodies: &mut [Body], resting: Option<usize>, e: [Real; 6], visit: Visit) -> Relaxed {
        let response = if let Some(resting) = resting {
            self.block.made = false;
            let mut response = Response::default();
            // as constants, so that the loops are unrolled
            match self.rows {
                5 => self.response_of(bodies, 1 - resting, &mut response, 5),
                _ => self.response_of(bodies, 1 - resting, &mut response, 6),
            }
            response
        } else {
            self.prepare(bodies);
            self.response
        };
        let (change, off, agrees) =
            if visit.passes > 1 { self.agree(&response, e, visit) } else { self.alternate(&response, e, visit, 1) };
        if resting.is_some() {
            // of one body alone
            self.block.made = false;
        }
        if change != [0.0; 6] {
            self.strike(bodies, &change);
        }
        Relaxed { off, agrees }
    }

    /// Normals, twist and friction until they agree: returns the wrench that they add, by how much they were off (m/s), and whether they agree.
    fn agree(&mut self, response: &Response, e: [Real; 6], visit: Visit) -> ([Real; 6], Real, bool) {
        let start = (self.normal, self.grip);
        let (change, off, agreed) = self.alternate(response, e, visit, visit.passes);
        if agreed {
            return (change, off, true);
        }
        // if normals and friction drive each other on, one pass is better than several
        let several = (self.normal, self.grip);
        (self.normal, self.grip) = start;
        let (once, off_once, _) = self.alternate(response, e, visit, 1);
        if self.merit(response, &e, &change) <= self.merit(response, &e, &once) {
            (self.normal, self.grip) = several;
            return (change, off, false);
        }
        (once, off_once, false)
    }

    /// Normals, twist and friction in turn, at most `most` times; returns the wrench that they add, by how much they were off (m/s), and whether they agree.
    #[inline(always)]
    fn alternate(
        &mut self,
        response: &Response,
        mut e: [Real; 6],
        visit: Visit,
        most: usize,
    ) -> ([Real; 6], Real, bool) {
        let mut total = [0.0; 6];
        let (mut off, mut settled): (Real, Real) = (0.0, visit.settled);
        for pass in 1..=most {
            let mut change = [0.0; 6];
            off = off.max(self.solve_normal_rows(response, &e, &mut change));
            let mut moves = false;
            if visit.rough && self.friction > 0.0 {
                let mut slip = e;
                for i in 1..4 {
                    slip[i] += response.get(i, 0) * change[0]
                        + response.get(i, 4) * change[4]
                        + response.get(i, 5) * change[5];
                }
                let rubbed;
                (rubbed, moves) = self.rub_off(response, slip, &mut change, settled);
                off = off.max(rubbed);
            }
            for i in 0..6 {
                total[i] += change[i];
            }
            if !moves {
                return (total, off, true);
            }
            if pass == most {
                break;
            }
            settled = settled.max(AGREED * off);
            for i in 0..6 {
                e[i] += response.row(i, &change);
            }
        }
        (total, off, false)
    }

    /// Energy that a wrench adds to the motion relative to the wanted one (J), from velocities `e` at the middle.
    fn merit(&self, response: &Response, e: &[Real; 6], wrench: &[Real; 6]) -> Real {
        let wanted = [self.plane[0], 0.0, 0.0, 0.0, self.plane[1], self.plane[2]];
        (0..6).map(|i| wrench[i] * (e[i] - wanted[i] + 0.5 * response.row(i, wrench))).sum()
    }

    /// Friction point by point, each on the disc that its normal impulse allows; returns by how much it was off (m/s), and whether it changed by more than `settled`.
    #[inline(always)]
    fn rub_off(
        &mut self,
        response: &Response,
        mut e: [Real; 6],
        change: &mut [Real; 6],
        settled: Real,
    ) -> (Real, bool) {
        let [r11, r12, r22] = [response.get(1, 1), response.get(2, 1), response.get(2, 2)];
        let [r13, r23, r33] = [response.get(3, 1), response.get(3, 2), response.get(3, 3)];
        let mut off: Real = 0.0;
        for pass in 0..RUBS {
            let mut moved: Real = 0.0;
            for i in 0..self.points() {
                let ([a, b], before, limit) = (self.place[i], self.grip[i], self.friction * self.normal[i]);
                if limit == 0.0 && before == [0.0; 2] {
                    continue;
                }
                let slip = [e[1] - b * e[3], e[2] + a * e[3]];
                let block = [
                    r11 - 2.0 * b * r13 + b * b * r33,
                    r12 + a * r13 - b * r23 - a * b * r33,
                    r22 + 2.0 * a * r23 + a * a * r33,
                ];
                let to = minimum_on_disc(block, slip, before, limit);
                let [d1, d2] = [to[0] - before[0], to[1] - before[1]];
                let d3 = a * d2 - b * d1;
                self.grip[i] = to;
                e[1] += r11 * d1 + r12 * d2 + r13 * d3;
                e[2] += r12 * d1 + r22 * d2 + r23 * d3;
                e[3] += r13 * d1 + r23 * d2 + r33 * d3;
                change[1] += d1;
                change[2] += d2;
                change[3] += d3;
                moved = moved.max((d1 * block[0]).abs()).max((d2 * block[2]).abs());
            }
            off = off.max(moved);
            if moved <= settled || pass + 1 == RUBS {
                break;
            }
        }
        (off, off > settled)
    }

    /// One visit of the normals alone; impulses and velocities stand for displacements.
    #[inline(always)]
    pub(super) fn push_apart(&mut self, bodies: &mut [Body]) {
        let e = self.relative(bodies, None);
        if self.is_idle(&e) {
            return;
        }
        if self.made == Made::Neither {
            self.response = Response::default();
            for (side, index) in self.bodies.into_iter().enumerate() {
                let body = &bodies[index as usize];
                if body.moves {
                    self.response.add_normals(body, self.frame.arms[side], self.frame.axes);
                }
            }
            self.made = Made::Response;
        }
        let response = self.response;
        let mut change = [0.0; 6];
        self.solve_normal_rows(&response, &e, &mut change);
        self.strike(bodies, &change);
    }

    /// All rows as if the patch were glued, in the plane of its targets; `None` if its points would have to pull, or to hold more than they can.
    #[inline(always)]
    fn weld(&mut self, bodies: &mut [Body], resting: Option<usize>, e: &[Real; 6], still: Real) -> Option<Real> {
        let rows = self.rows as usize;
        let mut want = [0.0; 6];
        for i in 0..rows {
            want[i] = -e[i];
        }
        want[0] += self.plane[0];
        want[4] += self.plane[1];
        want[5] += self.plane[2];
        let linear = want[0].abs().max(want[1].abs()).max(want[2].abs());
        let angular = want[3..rows].iter().fold(0.0, |m: Real, w| m.max(w.abs()));
        let off = linear.max(angular * self.reach);
        if off <= still {
            return Some(off);
        }
        let change = self.glue(bodies, resting, &want);
        (self.normal, self.grip) = self.admissible(&change)?;
        self.strike(bodies, &change);
        Some(off)
    }

    /// The impulses with a wrench added; `None` if a point would pull or friction would exceed its bounds.
    #[inline(always)]
    pub(super) fn admissible(&self, change: &[Real; 6]) -> Option<Impulses> {
        let sum = self.sum(&self.normal);
        let normal = self.share([sum[0] + change[0], sum[1] + change[4], sum[2] + change[5]])?;
        let rub = self.rub();
        let grip = self.grips(&normal, core::array::from_fn(|i| rub[i] + change[i + 1]))?;
        Some((normal, grip))
    }

    /// The wrench that brings about a relative velocity change.
    #[inline(always)]
    fn glue(&mut self, bodies: &[Body], resting: Option<usize>, want: &[Real; 6]) -> [Real; 6] {
        let rows = self.rows as usize;
        let Some(resting) = resting else {
            self.prepare(bodies);
            return if rows == 6 { self.glue_rows(want, 6) } else { self.glue_rows(want, 5) };
        };
        let side = 1 - resting;
        let body = &bodies[self.bodies[side] as usize];
        if rows == 6
            && let Some((mass, inertia)) = body.inertia
        {
            // one free body: Newton and Euler
            let arm = self.frame.arms[side];
            let [n, t1, t2] = self.frame.axes;
            let turn = n * want[3] + t2 * want[4] + t1 * want[5];
            let force = (n * want[0] + t1 * want[1] + t2 * want[2] - turn.cross(arm)) * mass;
            let torque = inertia.mul_vec(turn) - arm.cross(force);
            return self.frame.rows(force, torque);
        }
        let mut response = Response::default();
        if rows == 6 {
            self.response_of(bodies, side, &mut response, 6);
            response.factor(6).solve(*want, 6)
        } else {
            self.response_of(bodies, side, &mut response, 5);
            response.factor(5).solve(*want, 5)
        }
    }

    /// The same if both bodies give way; the factor is made once per solve.
    #[inline(always)]
    fn glue_rows(&mut self, want: &[Real; 6], rows: usize) -> [Real; 6] {
        if self.made != Made::Factor {
            (self.factor, self.made) = (self.response.factor(rows), Made::Factor);
        }
        self.factor.solve(*want, rows)
    }

    /// Normal impulses, none below zero, that make up a wrench; `None` if there are no such impulses.
    #[inline(always)]
    fn share(&self, sum: [Real; 3]) -> Option<[Real; MOST]> {
        let k = self.points();
        let even = self.spread(sum);
        let mut x = [0.0; MOST];
        let mut low: Real = 0.0;
        for i in 0..MOST {
            x[i] = if i < k { self.rate(i, even) } else { 0.0 };
            low = low.min(x[i]);
        }
        if low >= 0.0 {
            return Some(x);
        }
        if k < MOST {
            return None;
        }
        // move along the one combination of four points that has no effect
        let z = self.idle_combination();
        let (mut least, mut most) = (Real::NEG_INFINITY, Real::INFINITY);
        for i in 0..MOST {
            if z[i] > 0.0 {
                least = least.max(-x[i] / z[i]);
            } else if z[i] < 0.0 {
                most = most.min(-x[i] / z[i]);
            } else if x[i] < 0.0 {
                return None;
            }
        }
        if least > most {
            return None;
        }
        let way = if least > 0.0 { least } else { most.min(0.0) };
        for i in 0..MOST {
            x[i] = (x[i] + way * z[i]).max(0.0);
        }
        Some(x)
    }

    /// Cofactors of the points' three rows.
    fn idle_combination(&self) -> [Real; MOST] {
        let area = |i: usize, j: usize, k: usize| {
            let [p, q, r] = [i, j, k].map(|m| self.place[m]);
            (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
        };
        [area(1, 2, 3), -area(0, 2, 3), area(0, 1, 3), -area(0, 1, 2)]
    }
}
