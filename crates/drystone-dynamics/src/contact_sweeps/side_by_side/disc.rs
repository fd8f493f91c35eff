use super::{WIDE, Wide};
use drystone_math::Real;
use drystone_math::lanes::{self, Lanes};
use pulp::Simd;

/// A block has no inverse if its determinant is below this fraction of the product of its diagonal.
const SINGULAR: Real = 1e-14;

/// The effect of friction along two tangents on the slip there, for patches side by side.
#[derive(Debug, Clone, Copy)]
pub(super) struct WideDisc {
    inverse: [Wide; 3],
    most: Wide,
    step: Wide,
}

/// The same for a group of lanes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Discs<S: Simd> {
    /// The inverse of the block (a_11, a_12, a_22).
    inverse: [Lanes<S>; 3],
    /// Its largest eigenvalue, and the reciprocal.
    most: Lanes<S>,
    step: Lanes<S>,
}

impl WideDisc {
    /// The blank one: nothing gives way.
    pub(super) const BLANK: Self = Self { inverse: [[0.0; WIDE]; 3], most: [0.0; WIDE], step: [0.0; WIDE] };

    #[inline(always)]
    pub(super) fn of<S: Simd>(&self, simd: S, group: usize) -> Discs<S> {
        Discs {
            inverse: lanes::vectors(simd, &self.inverse, group),
            most: Lanes::of(simd, &self.most, group),
            step: Lanes::of(simd, &self.step, group),
        }
    }

    #[inline(always)]
    pub(super) fn set<S: Simd>(&mut self, group: usize, discs: &Discs<S>) {
        lanes::put(discs.inverse, &mut self.inverse, group);
        discs.most.put(&mut self.most, group);
        discs.step.put(&mut self.step, group);
    }
}

impl<S: Simd> Discs<S> {
    /// From blocks (a_11, a_12, a_22).
    #[inline(always)]
    pub(super) fn new(simd: S, [a, b, c]: [Lanes<S>; 3]) -> Self {
        let (zero, one, half) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0), Lanes::splat(simd, 0.5));
        let (mean, apart) = ((a + c) * half, (a - c) * half);
        let most = mean + (apart * apart + b * b).sqrt();
        let acts = zero.less(most);
        let step = (one / most).where_else(acts, zero);
        let determinant = a * c - b * b;
        let whole = (Lanes::splat(simd, SINGULAR) * a * c).less(determinant);
        let reciprocal = one / determinant;
        let inverse =
            lanes::select(whole, [c * reciprocal, b.negated() * reciprocal, a * reciprocal], [step, zero, step]);
        Self { inverse, most, step }
    }

    /// Friction on discs of the given radius: it sticks or, if it cannot, opposes the slip; `slip` is the slip under the present friction. Sliding friction is brought nearer by
    /// one step of gradient and projection; the minimum of energy on the disc is a fixed point of this. Also returns by how much it was off (m/s).
    #[inline(always)]
    pub(super) fn rub(
        &self,
        simd: S,
        slip: [Lanes<S>; 2],
        before: [Lanes<S>; 2],
        radius: Lanes<S>,
    ) -> ([Lanes<S>; 2], Lanes<S>) {
        let [p, q, r] = self.inverse;
        let sticks = [before[0] - (p * slip[0] + q * slip[1]), before[1] - (q * slip[0] + r * slip[1])];
        let circle = radius * radius;
        let inside = (sticks[0] * sticks[0] + sticks[1] * sticks[1]).at_most(circle);
        let slides = [before[0] - slip[0] * self.step, before[1] - slip[1] * self.step];
        let square = slides[0] * slides[0] + slides[1] * slides[1];
        let shrunk = (radius / square.sqrt()).where_else(circle.less(square), Lanes::splat(simd, 1.0));
        let after = lanes::select(inside, sticks, [slides[0] * shrunk, slides[1] * shrunk]);
        let off = (after[0] - before[0]).abs().max((after[1] - before[1]).abs()) * self.most;
        (after, off)
    }
}
