use super::bounds::Bounds;
use super::visited::Visited;
use drystone_math::Real;

/// Passes after which their rate shows whether they will reach the tolerance.
const TOLD: usize = 30;

/// Stopping rule for passes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    pub(super) most: usize,
    pub(super) least: usize,
    /// Passes stop once the largest change is below this (m/s).
    pub(super) tolerance: Real,
    /// Once the largest change is below this (m/s), passes go on only if they will reach the tolerance.
    pub(super) enough: Real,
    /// Maximum extra sweeps over unconverged patches.
    pub(super) further: usize,
    /// Change above which a patch is unconverged (m/s); zero if the first sweep determines it.
    pub(super) far: Real,
    /// Rest bounds of a group below the rest threshold: sweeps go on until its bodies are at rest.
    pub(super) rest: Option<Bounds>,
}

/// Unconverged threshold if nothing else defines it, as a fraction of the first sweep's change.
const FAR_OF_FIRST: Real = 1e-3;

impl Budget {
    /// Up to `most` passes, until the largest change is below a tolerance (m/s), and nothing else.
    pub(super) fn plain(most: usize, tolerance: Real) -> Self {
        Self { most, least: most, tolerance, enough: tolerance, further: 0, far: 0.0, rest: None }
    }

    /// Goes on with `sweep` until all patches are converged, after sweeps of which the first and the last changed by `first` and `off` (m/s). `sweep` then visits
    /// what was changed by more than the limit. A light body between heavy ones needs this: passes over it converge slowly, and what it is off by becomes
    /// penetration within the step. A last sweep visits all patches, because those left out may still be off by less than the limit. Returns by how much it is off in the end.
    #[inline]
    pub(super) fn follow(&self, first: Real, mut off: Real, mut sweep: impl FnMut(Visited) -> Real) -> Real {
        let far = if self.far > 0.0 { self.far } else { FAR_OF_FIRST * first };
        let mut further = 0;
        while off > far && further < self.further {
            off = sweep(Visited::Far(far));
            further += 1;
        }
        if further > 0 && off <= far {
            off = sweep(Visited::All);
        }
        off
    }

    /// Returns true if the passes should stop after `done` of them, the last two of which changed by `before` and
    /// `off`: either nothing changes any more, or at this rate something still would after the largest number of
    /// passes.
    #[inline(always)]
    pub(super) fn is_done(&self, done: usize, before: Real, off: Real) -> bool {
        if off < self.tolerance {
            return true;
        }
        let rate = off / before;
        let left = (self.most - done.min(self.most)) as i32;
        let least = if off < self.enough { self.least.min(TOLD) } else { self.least };
        done >= least && (rate >= 1.0 || off * rate.powi(left) > self.tolerance)
    }
}
