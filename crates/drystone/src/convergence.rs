use drystone_core::{Configuration, State, TimeReport};
use drystone_math::Real;

/// Residual, relative to the speed that gravity gives in a step, up to which a solve counts as converged: a resting body is then held to
/// within a hundredth of its weight.
pub(crate) const CONVERGED: Real = 0.01;

/// Speeds below this are none (m/s or rad/s).
const STILL: Real = 1e-9;

/// The largest residual of a frame's constraint solves relative to `g h`, what gravity makes of a speed in one of its steps of `h`
/// seconds; `None` where none was measured.
///
/// The natural residual is a velocity, or an impulse where that is smaller. Without gravity the largest speed or angular speed stands for `g h`, or
/// what is hardly one.
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
    // beyond all bounds against a scale that is: as far from done as can be
    Some(if relative.is_nan() { Real::INFINITY } else { relative })
}
