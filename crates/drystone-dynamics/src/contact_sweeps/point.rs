use super::body::Body;
use super::patch::Frame;
use super::relax::{AGREED, Relaxed, Visit, resting_side};
use super::response::{Response, solve_point};
use super::seat::Seat;
use super::seat::Upper;
use drystone_core::{ContactImpulse, GroupContact};
use drystone_lcp::minimum_on_disc;
use drystone_math::{Real, Vec3, tangent_basis};

/// Most turns of normal impulse and friction in a visit of a sliding point.
const TURNS: usize = 50;

/// A contact point that shares its normal with no other point of its pair: three rows and no rotation, in less than half the memory of a [`Patch`].
///
/// [`Patch`]: super::patch::Patch
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub(super) bodies: [u32; 2],
    /// Its index in the problem.
    pub(super) first: u32,
    pub(super) upper: Upper,
    /// True if `response` and `factor` have been computed.
    pub(super) ready: bool,
    pub(super) frame: Frame,
    pub(super) friction: Real,
    /// Least normal velocity.
    pub(super) target: Real,
    /// Along the normal, at least zero, and friction along the tangents.
    pub(super) impulse: [Real; 3],
    pub(super) response: [Real; 6],
    factor: [Real; 6],
}

impl Default for Point {
    fn default() -> Self {
        Self::BLANK
    }
}

impl Point {
    /// Nothing yet.
    pub(super) const BLANK: Self = Self {
        bodies: [0; 2],
        first: 0,
        upper: Upper::Neither,
        ready: false,
        frame: Frame { axes: [Vec3::ZERO; 3], arms: [Vec3::ZERO; 2] },
        friction: 0.0,
        target: 0.0,
        impulse: [0.0; 3],
        response: [0.0; 6],
        factor: [0.0; 6],
    };

    /// Makes it a contact without an impulse, whose normal velocity has to be at least `target`. It is written in place: a copy of what was
    /// just written in pieces would have to wait for all of them.
    #[inline(always)]
    pub(super) fn set(&mut self, c: &GroupContact, seat: &Seat, target: Real, bodies: &[Body]) {
        let (t1, t2) = tangent_basis(c.normal);
        self.bodies = seat.bodies;
        self.first = seat.first;
        self.upper = seat.upper;
        self.ready = false;
        self.frame.axes = [c.normal, t1, t2];
        self.frame.arms = seat.bodies.map(|b| c.position - bodies[b as usize].position);
        self.friction = c.friction;
        self.target = target;
        self.impulse = [0.0; 3];
    }

    /// Starts from the impulse of the contact, cut to the bounds of friction, and applies it to the bodies.
    #[inline(always)]
    pub(super) fn start(&mut self, c: &GroupContact, bodies: &mut [Body]) {
        self.begin(c);
        if self.impulse != [0.0; 3] {
            self.push(bodies, self.impulse);
        }
    }

    /// Starts from the impulse of the contact, cut to the bounds of friction.
    #[inline(always)]
    pub(super) fn begin(&mut self, c: &GroupContact) {
        let normal = c.impulse.normal.max(0.0);
        let limit = self.friction * normal;
        let mut rub =
            if self.friction == 0.0 { [0.0; 2] } else { c.impulse.along([self.frame.axes[1], self.frame.axes[2]]) };
        let square = rub[0] * rub[0] + rub[1] * rub[1];
        if square > limit * limit {
            rub = rub.map(|f| f * (limit / square.sqrt()));
        }
        self.impulse = [normal, rub[0], rub[1]];
    }

    /// Applies an impulse, given by its components along the axes, to both bodies.
    #[inline(always)]
    pub(super) fn push(&self, bodies: &mut [Body], [x, f1, f2]: [Real; 3]) {
        let [n, t1, t2] = self.frame.axes;
        let push = n * x + t1 * f1 + t2 * f2;
        for (s, impulse) in [-push, push].into_iter().enumerate() {
            let body = &mut bodies[self.bodies[s] as usize];
            if body.moves {
                body.push(self.frame.arms[s], impulse);
            }
        }
    }

    /// The response of the bodies at the point to impulses: of one of them, or of both.
    #[inline(always)]
    fn response_of(&self, bodies: &[Body], resting: Option<usize>) -> Response {
        let mut response = Response::default();
        for s in 0..2 {
            let body = &bodies[self.bodies[s] as usize];
            if resting != Some(s) && body.moves {
                response.add(body, self.frame.arms[s], self.frame.axes, 3);
            }
        }
        response
    }

    /// Solves the point with all else held.
    #[inline(always)]
    pub(super) fn relax(&mut self, bodies: &mut [Body], visit: Visit) -> Relaxed {
        let resting = resting_side(self.bodies, self.upper, bodies, visit.gives);
        let velocity = |s: usize, rest: bool| -> Vec3 {
            let body = &bodies[self.bodies[s] as usize];
            (if rest { body.rest } else { body.velocity }).at(self.frame.arms[s])
        };
        let u = velocity(1, resting == Some(1)) - velocity(0, resting == Some(0));
        let [n, t1, t2] = self.frame.axes;
        let e = [n.dot(u) - self.target, t1.dot(u), t2.dot(u)];
        if self.impulse[0] == 0.0 && e[0] >= 0.0 {
            return Relaxed::all_the_way(0.0);
        }
        let rough = visit.rough && self.friction > 0.0;
        let off = e[0].abs().max(e[1].abs()).max(e[2].abs());
        if rough && off <= visit.still {
            return Relaxed::all_the_way(off);
        }
        if resting.is_some() {
            let response = self.response_of(bodies, resting);
            return self.settle(bodies, response.of_point(), response.factor(3).of_point(), e, visit);
        }
        if !self.ready {
            let response = self.response_of(bodies, None);
            (self.response, self.factor, self.ready) = (response.of_point(), response.factor(3).of_point(), true);
        }
        self.settle(bodies, self.response, self.factor, e, visit)
    }

    /// The impulse with another one added; `None` if it would pull or need more friction than there is.
    #[inline(always)]
    pub(super) fn admissible(&self, change: [Real; 3]) -> Option<[Real; 3]> {
        let x: [Real; 3] = core::array::from_fn(|i| self.impulse[i] + change[i]);
        let limit = self.friction * x[0];
        (x[0] >= 0.0 && x[1] * x[1] + x[2] * x[2] <= limit * limit).then_some(x)
    }

    /// Glued if that is admissible, else the normal impulse and friction in turn until neither changes the other, or only once if they drive each other on.
    #[inline(always)]
    fn settle(&mut self, bodies: &mut [Body], a: [Real; 6], factor: [Real; 6], e: [Real; 3], visit: Visit) -> Relaxed {
        let before = self.impulse;
        let rough = visit.rough && self.friction > 0.0;
        let glued = if rough { self.admissible(solve_point(factor, e.map(|e| -e))) } else { None };
        let mut agrees = true;
        let (after, off) = if let Some(x) = glued {
            (x, e[0].abs().max(e[1].abs()).max(e[2].abs()))
        } else if !rough || a[0] <= 0.0 {
            let after = if a[0] > 0.0 { (before[0] - e[0] / a[0]).max(0.0) } else { before[0] };
            ([after, before[1], before[2]], ((after - before[0]) * a[0]).abs())
        } else {
            let (once, off) = self.turn(a, e, before);
            let settled = visit.settled.max(AGREED * off);
            // in a large group this is left to the next sweep
            let x = if visit.passes > 1 { self.agree(a, e, once, settled) } else { once };
            let rate = e[0] + a[0] * (x[0] - before[0]) + a[1] * (x[1] - before[1]) + a[3] * (x[2] - before[2]);
            agrees = rate >= -settled && (rate <= settled || x[0] == 0.0);
            (x, off)
        };
        if after != before {
            self.impulse = after;
            self.push(bodies, [0, 1, 2].map(|i| after[i] - before[i]));
        }
        Relaxed { off, agrees }
    }

    /// The normal impulse, starting from `x`, then friction within its bound; and by how much they were off (m/s).
    #[inline(always)]
    fn turn(&self, [a00, a10, a11, a20, a21, a22]: [Real; 6], e: [Real; 3], x: [Real; 3]) -> ([Real; 3], Real) {
        let d: [Real; 3] = core::array::from_fn(|i| x[i] - self.impulse[i]);
        let rate = e[0] + a00 * d[0] + a10 * d[1] + a20 * d[2];
        let normal = (x[0] - rate / a00).max(0.0);
        let moved = normal - x[0];
        let d0 = d[0] + moved;
        let slip = [e[1] + a10 * d0 + a11 * d[1] + a21 * d[2], e[2] + a20 * d0 + a21 * d[1] + a22 * d[2]];
        let to = minimum_on_disc([a11, a21, a22], slip, [x[1], x[2]], self.friction * normal);
        let off = (moved * a00).abs().max(((to[0] - x[1]) * a11).abs()).max(((to[1] - x[2]) * a22).abs());
        ([normal, to[0], to[1]], off)
    }

    /// Goes on from the impulses after the first turn until nothing changes by more than `settled` (m/s); returns those after the first turn if their energy is less.
    #[inline(always)]
    fn agree(&self, a: [Real; 6], e: [Real; 3], once: [Real; 3], settled: Real) -> [Real; 3] {
        let mut x = once;
        for _ in 1..TURNS {
            let (next, off) = self.turn(a, e, x);
            x = next;
            if off <= settled {
                return x;
            }
        }
        if self.energy(a, e, x) <= self.energy(a, e, once) { x } else { once }
    }

    /// Energy that impulses add to the motion relative to the wanted one (J).
    fn energy(&self, [a00, a10, a11, a20, a21, a22]: [Real; 6], e: [Real; 3], x: [Real; 3]) -> Real {
        let d: [Real; 3] = core::array::from_fn(|i| x[i] - self.impulse[i]);
        let half = 0.5 * (a00 * d[0] * d[0] + a11 * d[1] * d[1] + a22 * d[2] * d[2]);
        half + a10 * d[0] * d[1] + a20 * d[0] * d[2] + a21 * d[1] * d[2] + e[0] * d[0] + e[1] * d[1] + e[2] * d[2]
    }

    pub(super) fn write(&self, impulse: &mut ContactImpulse) {
        let [_, t1, t2] = self.frame.axes;
        *impulse = ContactImpulse::of_multipliers(self.impulse, [t1, t2]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::Twist;
    use drystone_testkit::Random;
    use drystone_testkit::problem::{contact, cube};

    /// Signorini's and Coulomb's conditions hold after enough visits to a single contact, and the impulses on its two bodies are opposite.
    #[test]
    fn visits_of_a_point_end_at_coulombs_law() {
        let mut random = Random::new(11);
        let (mut stuck, mut slid, mut parted) = (0, 0, 0);
        for round in 0..500 {
            let places = [random.vector(1.0), random.vector(1.0)];
            let cubes = [cube(0, random.range(0.5, 5.0), places[0]), cube(1, random.range(0.5, 5.0), places[1])];
            let before = [0, 1].map(|_| Twist::new(random.vector(1.0), random.vector(1.0)));
            let mut bodies = [Body::of(&cubes[0], before[0]), Body::of(&cubes[1], before[1])];
            let normal = random.direction();
            let point = contact([0, 1], random.vector(1.0), normal, 0, 0);
            let mut place = Point::BLANK;
            place.set(&point, &Seat::leaning([0, 1], 1), 0.0, &bodies);
            let visit = Visit::ALL_THE_WAY;
            for _ in 0..5000 {
                place.relax(&mut bodies, visit);
            }
            let at = |s: usize| bodies[s].velocity.at(point.position - places[s]);
            let u = at(1) - at(0);
            let (rate, slip) = (normal.dot(u), u - normal * normal.dot(u));
            let [_, t1, t2] = place.frame.axes;
            let [x, f1, f2] = place.impulse;
            let rub = t1 * f1 + t2 * f2;
            assert!(x >= 0.0 && rate > -1e-6 && (x * rate).abs() < 1e-6, "{round}: {x} N s at {rate} m/s");
            let limit = point.friction * x;
            assert!(rub.length() <= limit * (1.0 + 1e-12), "{round}: {rub} beyond {limit}");
            if x == 0.0 {
                parted += 1;
            } else if slip.length() < 1e-6 {
                stuck += 1;
            } else {
                slid += 1;
                let along = rub.dot(slip) / (rub.length() * slip.length());
                assert!(along < -1.0 + 1e-6 && rub.length() > limit * (1.0 - 1e-6), "{round}: {rub} at {slip}");
            }
            let momentum = |v: [Twist; 2]| v[0].linear / cubes[0].inverse_mass + v[1].linear / cubes[1].inverse_mass;
            let change = momentum(before) - momentum([bodies[0].velocity, bodies[1].velocity]);
            assert!(change.length() < 1e-12 * (1.0 + x), "{round}: {change}");
        }
        assert!(stuck > 20 && slid > 20 && parted > 20, "{stuck} stuck, {slid} slid, {parted} parted");
    }
}
