use super::visited::Visited;
use drystone_math::Real;

/// Passes after which their rate tells whether they get there.
const TOLD: usize = 30;

/// How long passes go on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    pub(super) most: usize,
    pub(super) least: usize,
    /// The largest change at which they stop (m/s).
    pub(super) tolerance: Real,
    /// The largest change from which on they go on only if they get there (m/s).
    pub(super) enough: Real,
    /// Whether sweeps that take long are combined.
    pub(super) mixes: bool,
    /// Most sweeps after them over what is far off.
    pub(super) further: usize,
    /// The change that is far (m/s); zero where the first sweep says what is.
    pub(super) far: Real,
}

/// By how much patches are off at most after the last sweep (m/s), and whether that is far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Left {
    pub(super) off: Real,
    pub(super) is_far: bool,
}

/// What is off by more than this fraction of what the first sweep changed is far off, where nothing else says so.
const FAR_OF_FIRST: Real = 1e-3;

impl Budget {
    /// Passes over a light body between heavy ones come slowly to an end, and what it is off by it goes deep in a step: from sweeps of which the first and the last changed so much on,
    /// goes on with `sweep`, which visits what was changed by more than that, until nothing is far off. A last one visits all patches: those that were left out may be off by what is not far.
    /// Gives what is left.
    #[inline]
    pub(super) fn follow(&self, first: Real, mut off: Real, mut sweep: impl FnMut(Visited) -> Real) -> Left {
        let far = if self.far > 0.0 { self.far } else { FAR_OF_FIRST * first };
        let mut further = 0;
        while off > far && further < self.further {
            off = sweep(Visited::Far(far));
            further += 1;
        }
        let is_far = off > far;
        if further > 0 && !is_far {
            off = sweep(Visited::All);
        }
        Left { off, is_far }
    }

    /// Whether to stop after `done` passes, the last two of which changed this much: because nothing changes any more, or because at this rate something
    /// would after the most passes.
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
