use super::{WIDE, Wide};
use crate::contact_sweeps::normals::MOST;
use drystone_math::lanes::{self, Lanes};
use pulp::Simd;

/// Pairs of the points of a patch.
const PAIRS: usize = MOST * (MOST - 1) / 2;

/// The matrices of the normals of patches side by side, scaled to a unit diagonal.
#[derive(Debug, Clone, Copy)]
pub(super) struct WideNormals {
    coupled: [Wide; PAIRS],
    /// Roots of the diagonal: an impulse times this is a scaled one.
    root: [Wide; MOST],
    /// Their reciprocals; zero if there is no point, or if nothing gives way there.
    pub(super) scale: [Wide; MOST],
}

/// The same for a group of lanes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Normals<S: Simd> {
    coupled: [Lanes<S>; PAIRS],
    pub(super) root: [Lanes<S>; MOST],
    pub(super) scale: [Lanes<S>; MOST],
}

/// The places of the points of a group of lanes along two tangents, from the middle (m).
#[derive(Debug, Clone, Copy)]
pub(super) struct Places<S: Simd>(pub(super) [[Lanes<S>; 2]; MOST]);

impl<S: Simd> Places<S> {
    /// The normal velocity of a point, given velocities of the middle along the normal, about the second and the first tangent.
    #[inline(always)]
    pub(super) fn rate(&self, i: usize, [e0, e4, e5]: [Lanes<S>; 3]) -> Lanes<S> {
        let [a, b] = self.0[i];
        e0 - a * e4 + b * e5
    }

    /// The wrench of normal impulses, in the same rows.
    #[inline(always)]
    pub(super) fn sum(&self, x: [Lanes<S>; MOST]) -> [Lanes<S>; 3] {
        let [p, q, r, s] = self.0;
        [
            x[0] + x[1] + (x[2] + x[3]),
            (p[0] * x[0] + q[0] * x[1] + (r[0] * x[2] + s[0] * x[3])).negated(),
            p[1] * x[0] + q[1] * x[1] + (r[1] * x[2] + s[1] * x[3]),
        ]
    }
}

impl WideNormals {
    /// The blank one: nothing gives way.
    pub(super) const BLANK: Self =
        Self { coupled: [[0.0; WIDE]; PAIRS], root: [[0.0; WIDE]; MOST], scale: [[0.0; WIDE]; MOST] };

    #[inline(always)]
    pub(super) fn of<S: Simd>(&self, simd: S, group: usize) -> Normals<S> {
        let [c10, c20, c21, c30, c31, c32] = &self.coupled;
        let zero = Lanes::splat(simd, 0.0);
        let mut normals = Normals { coupled: [zero; PAIRS], root: [zero; MOST], scale: [zero; MOST] };
        for (into, from) in normals.coupled.iter_mut().zip([c10, c20, c21, c30, c31, c32]) {
            *into = Lanes::of(simd, from, group);
        }
        for i in 0..MOST {
            normals.root[i] = Lanes::of(simd, &self.root[i], group);
            normals.scale[i] = Lanes::of(simd, &self.scale[i], group);
        }
        normals
    }

    #[inline(always)]
    pub(super) fn set<S: Simd>(&mut self, group: usize, normals: &Normals<S>) {
        lanes::put(normals.coupled, &mut self.coupled, group);
        lanes::put(normals.root, &mut self.root, group);
        lanes::put(normals.scale, &mut self.scale, group);
    }
}

impl<S: Simd> Normals<S> {
    /// From the response (r_00, r_40, r_44, r_50, r_54, r_55) to wrenches at the middle; points whose scale is zero are left out.
    #[inline(always)]
    pub(super) fn new(
        simd: S,
        places: &Places<S>,
        [r00, r40, r44, r50, r54, r55]: [Lanes<S>; 6],
        scale: [Lanes<S>; MOST],
    ) -> Self {
        let (zero, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
        let mut normals = Self { coupled: [zero; PAIRS], root: [zero; MOST], scale: [zero; MOST] };
        let mut at = 0;
        for i in 0..MOST {
            let [a, b] = places.0[i];
            let row = [r00 - a * r40 + b * r50, r40 - a * r44 + b * r54, r50 - a * r54 + b * r55];
            let diagonal = places.rate(i, row);
            let root = diagonal.sqrt();
            let acts = zero.less(diagonal.where_else(zero.less(scale[i]), zero));
            normals.root[i] = root.where_else(acts, zero);
            normals.scale[i] = (one / root).where_else(acts, zero);
            for j in 0..i {
                normals.coupled[at] = places.rate(j, row) * normals.scale[i] * normals.scale[j];
                at += 1;
            }
        }
        normals
    }

    /// Scaled impulses, none below zero, that bring the rates to what is wanted, as nearly as this number of sweeps over the points does from a start.
    #[inline(always)]
    pub(super) fn settle(
        &self,
        simd: S,
        sweeps: usize,
        wanted: [Lanes<S>; MOST],
        start: [Lanes<S>; MOST],
    ) -> [Lanes<S>; MOST] {
        let [c10, c20, c21, c30, c31, c32] = self.coupled;
        let zero = Lanes::splat(simd, 0.0);
        let [k0, k1, k2, k3] = wanted;
        let [mut y0, mut y1, mut y2, mut y3] = start;
        // the value found last is subtracted last, because everything else is known earlier
        for _ in 0..sweeps {
            y0 = (k0 - c10 * y1 - c20 * y2 - c30 * y3).max(zero);
            y1 = (k1 - c21 * y2 - c31 * y3 - c10 * y0).max(zero);
            y2 = (k2 - c32 * y3 - c20 * y0 - c21 * y1).max(zero);
            y3 = (k3 - c30 * y0 - c31 * y1 - c32 * y2).max(zero);
        }
        [y0, y1, y2, y3]
    }

    /// The scaled matrix times scaled impulses.
    #[inline(always)]
    pub(super) fn product(&self, y: [Lanes<S>; MOST]) -> [Lanes<S>; MOST] {
        let [c10, c20, c21, c30, c31, c32] = self.coupled;
        [
            y[0] + c10 * y[1] + (c20 * y[2] + c30 * y[3]),
            y[1] + c10 * y[0] + (c21 * y[2] + c31 * y[3]),
            y[2] + c20 * y[0] + (c21 * y[1] + c32 * y[3]),
            y[3] + c30 * y[0] + (c31 * y[1] + c32 * y[2]),
        ]
    }
}
