use drystone_core::{Configuration, State, TimeReport};
use drystone_math::Real;

/// Residual, relative to the speed that gravity produces in one step, up to which a solve counts as converged: a resting body is then supported to within a
/// hundredth of its weight.
pub(crate) const CONVERGED: Real = 0.01;

/// Speeds below this count as zero (m/s or rad/s).
const STILL: Real = 1e-9;

/// The largest residual of a frame's constraint solves relative to `g h`, the speed that gravity produces in one of its steps of `h` seconds; `None` if no residual was measured.
///
/// The natural residual is a velocity, or an impulse if that is smaller. Without gravity, `g h` is replaced by the largest speed or angular speed, or by a tiny
/// speed if all are smaller.
pub(crate) fn relative_residual(
    configuration: &Configuration,
    state: &State,
    report: &TimeReport,
    dt: Real,
) -> Option<Real> {
    let residual = report.solve.lcp.largest_residual()?;
    if residual == 0.0 {
        return Some(0.0);
    }
    let fall = configuration.gravity.length() * dt / report.sub_steps.max(1) as Real;
    let speeds = state.linear_velocity.iter().chain(&state.angular_velocity).map(|v| v.length());
    let fastest = || speeds.fold(STILL, Real::max);
    let scale = if fall > 0.0 { fall } else { fastest() };
    let relative = residual / scale;
    // an infinite residual against an infinite scale: as far from converged as possible
    Some(if relative.is_nan() { Real::INFINITY } else { relative })
}
