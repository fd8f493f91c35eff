use drystone_core::{GroupProblem, settings};
use drystone_math::Real;

// Left to themselves residual approaches would be read as collisions, and restitution would spread them (D-17).
settings! {
    /// Where impacts begin and where they end: what is slower rests, and is the constraint solver's.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Resting {
        /// impacts begin where a contact approaches faster than this times gravity times the step; slower ones rest
        resting_factor: Real = real(1.0, 0.0, 1e6),
        /// impacts end where no contact approaches faster than this fraction of the speed at which they begin
        stop_fraction: Real = real(0.5, 0.0, 1.0),
    }
}

/// Speeds between resting and colliding (m/s), and the time until the next solve (s).
#[derive(Debug, Clone, Copy)]
pub(super) struct Thresholds {
    /// Something must approach faster, or there are no impacts.
    pub(super) start: Real,
    /// Once there are, they go on until nothing does that touches.
    pub(super) stop: Real,
    pub(super) horizon: Real,
}

impl Resting {
    /// By what gravity adds in a step; `least` (m/s) where there is none.
    pub(super) fn thresholds(self, problem: &GroupProblem, horizon: Real, least: Real) -> Thresholds {
        let start = (self.resting_factor * problem.gravity * horizon).max(least);
        Thresholds { start, stop: (self.stop_fraction * start).max(least), horizon }
    }
}
