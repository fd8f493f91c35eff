use drystone_core::GroupProblem;
use drystone_core::catalogue::Parameter;
use drystone_math::Real;

/// Where impacts begin.
pub(super) const RESTING_FACTOR: Parameter = Parameter::real(
    "resting_factor",
    1.0,
    0.0,
    1e6,
    "impacts begin where a contact approaches faster than this times gravity times the step; slower ones rest",
);

/// Where they end.
pub(super) const STOP_FRACTION: Parameter = Parameter::real(
    "stop_fraction",
    0.5,
    0.0,
    1.0,
    "impacts end where no contact approaches faster than this fraction of the speed at which they begin",
);

/// Speeds between resting and colliding (m/s), and the time until the next solve (s).
#[derive(Debug, Clone, Copy)]
pub(super) struct Thresholds {
    /// Something must approach faster, or there are no impacts.
    pub(super) start: Real,
    /// Once there are, they go on until nothing does that touches.
    pub(super) stop: Real,
    pub(super) horizon: Real,
}

impl Thresholds {
    /// By what gravity adds in a step; `least` (m/s) where there is none.
    pub(super) fn of(problem: &GroupProblem, horizon: Real, factor: Real, fraction: Real, least: Real) -> Self {
        let start = (factor * problem.gravity * horizon).max(least);
        Self { start, stop: (fraction * start).max(least), horizon }
    }
}
