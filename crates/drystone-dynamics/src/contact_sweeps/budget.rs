use drystone_math::Real;

/// How long passes go on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    pub(super) most: usize,
    pub(super) least: usize,
    /// The largest change at which they stop (m/s).
    pub(super) tolerance: Real,
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
        done >= self.least && (rate >= 1.0 || off * rate.powi(left) > self.tolerance)
    }
}
