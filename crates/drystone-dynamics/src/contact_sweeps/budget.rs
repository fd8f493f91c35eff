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
}

impl Budget {
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
