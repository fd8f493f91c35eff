use drystone_core::{GroupProblem, settings};
use drystone_math::Real;

// Left to themselves residual approaches would be read as collisions, and restitution would spread them (D-17).
settings! {
    /// Limits between impacts and rest: slower contacts rest, and are the constraint solver's.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Resting {
        /// impacts begin when a contact approaches faster than this times gravity times the step; slower ones rest
        resting_factor: Real = real(1.0, 0.0, 1e6),
        /// impacts end when no contact approaches faster than this fraction of the speed at which they begin
        stop_fraction: Real = real(0.5, 0.0, 1.0),
    }
}

/// Speeds that separate resting from colliding (m/s), and the time until the next solve (s).
#[derive(Debug, Clone, Copy)]
pub(super) struct Thresholds {
    /// Some contact must approach faster than this for impacts to begin.
    pub(super) start: Real,
    /// Once begun, impacts go on until no touching contact approaches faster than this.
    pub(super) stop: Real,
    pub(super) horizon: Real,
}

impl Resting {
    /// The thresholds from the speed that gravity adds in a step; `least` (m/s) without gravity.
    pub(super) fn thresholds(self, problem: &GroupProblem, horizon: Real, least: Real) -> Thresholds {
        let start = (self.resting_factor * problem.gravity * horizon).max(least);
        Thresholds { start, stop: (self.stop_fraction * start).max(least), horizon }
    }
}
