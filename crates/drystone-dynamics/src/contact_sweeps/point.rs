use super::body::Body;
use super::patch::Patch;
use super::relax::{GiveWay, Visit};
use super::response::{Factor, Response};
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
            let (response, factor) = (self.response, self.factor);
            return self.settle_point(bodies, &response, &factor, e, rough);
        };
        let mut response = Response::default();
        self.response_of(bodies, 1 - resting, &mut response, 3);
        let factor = response.factor(3);
        self.settle_point(bodies, &response, &factor, e, rough)
    }

    /// Glued where that is admissible, else the normal impulse and then friction.
    #[inline(always)]
    fn settle_point(&mut self, bodies: &mut [Body], a: &Response, factor: &Factor, e: [Real; 3], rough: bool) -> Real {
        let before = [self.normal[0], self.rub[0], self.rub[1]];
        let mut off = e[0].abs();
        let mut after = before;
        let glued = rough.then(|| factor.solve([-e[0], -e[1], -e[2], 0.0, 0.0, 0.0], 3)).map(|change| {
            off = off.max(e[1].abs()).max(e[2].abs());
            [0, 1, 2].map(|i| before[i] + change[i])
        });
        let within = |x: &[Real; 3]| {
            let limit = self.friction * x[0];
            x[0] >= 0.0 && x[1] * x[1] + x[2] * x[2] <= limit * limit
        };
        if let Some(x) = glued.filter(within) {
            after = x;
        } else if a.get(0, 0) > 0.0 {
            after[0] = (before[0] - e[0] / a.get(0, 0)).max(0.0);
            let moved = after[0] - before[0];
            off = (moved * a.get(0, 0)).abs();
            if rough {
                let slip = [e[1] + a.get(1, 0) * moved, e[2] + a.get(2, 0) * moved];
                let block = [a.get(1, 1), a.get(2, 1), a.get(2, 2)];
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
