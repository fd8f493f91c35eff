use super::body::Body;
use super::patch::Patch;
use super::relax::{GiveWay, Visit};
use super::response::{Response, solve_point};
use drystone_lcp::minimum_on_disc;
use drystone_math::Real;

impl Patch {
    /// A visit of a patch of one point: three rows, no turning. The same steps as [`Patch::relax`] has for more points.
    #[inline(always)]
    pub(super) fn relax_point(&mut self, bodies: &mut [Body], gives: GiveWay, visit: Visit) -> Real {
        let resting = self.resting_side(gives);
        let velocity = |s: usize| {
            let body = &bodies[self.bodies[s] as usize];
            (if resting == Some(s) { body.rest } else { body.velocity }).at(self.frame.arms[s])
        };
        let u = velocity(1) - velocity(0);
        let [n, t1, t2] = self.frame.axes;
        let e = [n.dot(u) - self.target[0], t1.dot(u), t2.dot(u)];
        if self.normal[0] == 0.0 && e[0] >= 0.0 {
            return 0.0;
        }
        let rough = visit.rough && self.friction > 0.0;
        let off = e[0].abs().max(e[1].abs()).max(e[2].abs());
        if rough && off <= visit.still {
            return off;
        }
        let Some(resting) = resting else {
            self.prepare(bodies);
            let (response, factor) = (self.response.of_point(), self.factor.of_point());
            return self.settle_point(bodies, response, factor, e, rough);
        };
        let mut response = Response::default();
        self.response_of(bodies, 1 - resting, &mut response, 3);
        self.settle_point(bodies, response.of_point(), response.factor(3).of_point(), e, rough)
    }

    /// Glued where that is admissible, else the normal impulse and then friction.
    #[inline(always)]
    fn settle_point(
        &mut self,
        bodies: &mut [Body],
        [a00, a10, a11, a20, a21, a22]: [Real; 6],
        factor: [Real; 6],
        e: [Real; 3],
        rough: bool,
    ) -> Real {
        let before = [self.normal[0], self.rub[0], self.rub[1]];
        let mut off = e[0].abs();
        let mut after = before;
        let glued = rough.then(|| solve_point(factor, e.map(|e| -e))).map(|change| {
            off = off.max(e[1].abs()).max(e[2].abs());
            [0, 1, 2].map(|i| before[i] + change[i])
        });
        let within = |x: &[Real; 3]| {
            let limit = self.friction * x[0];
            x[0] >= 0.0 && x[1] * x[1] + x[2] * x[2] <= limit * limit
        };
        if let Some(x) = glued.filter(within) {
            after = x;
        } else if a00 > 0.0 {
            after[0] = (before[0] - e[0] / a00).max(0.0);
            let moved = after[0] - before[0];
            off = (moved * a00).abs();
            if rough {
                let slip = [e[1] + a10 * moved, e[2] + a20 * moved];
                let block = [a11, a21, a22];
                let to = minimum_on_disc(block, slip, [before[1], before[2]], self.friction * after[0]);
                (after[1], after[2]) = (to[0], to[1]);
                off = off.max(((to[0] - before[1]) * block[0]).abs()).max(((to[1] - before[2]) * block[2]).abs());
            }
        }
        if after != before {
            (self.normal[0], self.rub[0], self.rub[1]) = (after[0], after[1], after[2]);
            let [n, t1, t2] = self.frame.axes;
            let push = n * (after[0] - before[0]) + t1 * (after[1] - before[1]) + t2 * (after[2] - before[2]);
            for (s, impulse) in [-push, push].into_iter().enumerate() {
                let body = &mut bodies[self.bodies[s] as usize];
                if body.moves {
                    body.push(self.frame.arms[s], impulse);
                }
            }
        }
        off
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::Twist;
    use drystone_testkit::Random;
    use drystone_testkit::problem::{contact, cube};

    /// Signorini's and Coulomb's conditions after enough visits of a single contact, and that what one body gets the other one gives.
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
            let mut patch = Patch::of(&[point], 0, &bodies);
            let visit = Visit { gives: GiveWay::Both, rough: true, still: 0.0, settled: 0.0, passes: 1 };
            for _ in 0..5000 {
                patch.relax_point(&mut bodies, GiveWay::Both, visit);
            }
            let at = |s: usize| bodies[s].velocity.at(point.position - places[s]);
            let u = at(1) - at(0);
            let (rate, slip) = (normal.dot(u), u - normal * normal.dot(u));
            let [_, t1, t2] = patch.frame.axes;
            let (x, rub) = (patch.normal[0], t1 * patch.rub[0] + t2 * patch.rub[1]);
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
