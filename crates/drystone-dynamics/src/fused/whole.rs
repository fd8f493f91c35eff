//! A contact solved as a whole, where updates of its rows in turn converge slowly or alternate.

use super::{Block, Body, Tangents};
use crate::lanes::Lanes;
use drystone_math::Real;

/// Largest number of sweeps over the tangents of a contact that is solved as a whole: those of a box are updated one by one.
const TANGENT_SWEEPS: usize = 20;

/// Largest number of doublings until a normal multiplier separates the surfaces, and of halvings from there: to the rounding of a number.
const DOUBLINGS: usize = 60;
const HALVINGS: usize = 60;

/// The slope (see [`Block::steep`]) from which on a contact that is alone in its group is solved as a whole: ten sweeps leave a millionth of the error below it, and a
/// thousandth at twice of it.
const STEEP_ALONE: Real = 0.25;

/// The slope from which on a contact is solved as a whole in a group of this many.
pub(super) fn least_slope(contacts: usize) -> Real {
    if contacts == 1 { STEEP_ALONE } else { 1.0 }
}

impl Block {
    /// Change of the normal velocity by sliding friction, relative to that by the normal multiplier that bounds it.
    #[inline(always)]
    pub(super) fn slope(&self) -> Real {
        let [by_first, by_second] = self.tangents.map(|t| t.dot(self.response[0]));
        self.friction * (by_first * by_first + by_second * by_second).sqrt() * self.inverse_normal
    }

    /// Solves the contact with all others held fixed. With the tangents at their best for each normal multiplier, its normal velocity is a continuous function of that
    /// multiplier. If it is negative at zero it has a root, since friction that holds the contact bounds it from below; the root is found by halving.
    #[cold]
    pub(super) fn solve_whole<T: Tangents>(&mut self, bodies: &mut [Body]) {
        let before = self.impulse();
        // the velocity of the point without this contact's impulse
        let mut without = *self;
        without.x = [0.0; 3];
        without.strike(bodies, -before);
        let u = without.relative(bodies);
        let at = |normal: Real| {
            let mut trial = without;
            trial.x[0] = normal;
            let slip = u + trial.response[0].scaled(normal);
            for _ in 0..TANGENT_SWEEPS {
                let [_, first, second] = trial.x;
                let now = slip + trial.response[1].scaled(first) + trial.second_response(bodies).scaled(second);
                let after = T::update(&trial, now, trial.friction * normal);
                (trial.x[1], trial.x[2]) = (after[0], after[1]);
                if [first, second] == after {
                    break;
                }
            }
            let [_, first, second] = trial.x;
            let now = slip + trial.response[1].scaled(first) + trial.second_response(bodies).scaled(second);
            (trial, trial.normal.dot(now) - trial.target + trial.cfm * normal)
        };
        let (mut best, free) = at(0.0);
        if free < 0.0 {
            let (mut low, mut high) = (0.0, -free * self.inverse_normal);
            let mut doublings = 0;
            while at(high).1 < 0.0 && doublings < DOUBLINGS {
                (low, high) = (high, 2.0 * high);
                doublings += 1;
            }
            for _ in 0..HALVINGS {
                let middle = 0.5 * (low + high);
                if middle <= low || middle >= high {
                    break;
                }
                if at(middle).1 < 0.0 { low = middle } else { high = middle }
            }
            best = at(high).0;
        }
        *self = best;
        self.strike(bodies, self.impulse());
    }

    /// Change of the point's relative velocity per unit of the second tangent multiplier.
    fn second_response(&self, bodies: &[Body]) -> Lanes {
        let [a, b] = [0, 1].map(|side| bodies[self.bodies[side] as usize].response(self.arms[side], self.tangents[1]));
        a + b
    }
}
