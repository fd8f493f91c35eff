use drystone_core::{ConstraintRow, Softness};
use drystone_math::Real;

/// A soft row over a step, by a mean of the trapezoidal rule and implicit Euler.
///
/// With the error e at the pose of the solve, and the rates v at the start and v+ at the end, the force is `-k (e + a h v+ - b h v) - c ((1 - g) v + g v+)`. The
/// trapezoidal rule has a = b = 1/4, g = 1/2. With the time control `leapfrog`, whose solves see the pose of the midpoint, `e + h (v+ - v) / 4` is the mean of
/// both ends; if velocities are those of the middle of a step, it is that of the poses before, at and after the solve with weights of a quarter, a half and a
/// quarter. Neither adds or takes energy. Implicit Euler has a = g = 1, b = 0. The weight between them is `y^2 / (1 + y^2)`, y a quarter of
/// `h^2 k / m + (h c / m)^2`, which is of order h^4: a spring that the step resolves is treated to order two, and one that it does not resolve
/// is damped as before instead of ringing.
///
/// # Source
/// Newmark 1959 (average acceleration) for the resolved part; E-33 for the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spring {
    /// Added to the row's diagonal, for impulses.
    pub(crate) cfm: Real,
    /// The weight of implicit Euler.
    pub(crate) implicit: Real,
    /// `k / D`, D the factor of the rate at the end of the step.
    stiffness: Real,
    /// Factor of the rate at the start of the step, over D.
    damping: Real,
}

impl Spring {
    /// For a row whose rate an impulse changes by `response` (1 / effective mass); `None` for a row that is not a spring.
    pub(crate) fn of(row: &ConstraintRow, response: Real, h: Real) -> Option<Self> {
        let Softness::Spring { stiffness: k, damping: c } = row.softness else { return None };
        if h <= 0.0 || row.limits.lo >= 0.0 || row.limits.hi <= 0.0 {
            return None;
        }
        let y = 0.25 * (h * h * k * response + (h * c * response).powi(2));
        let implicit = if y.is_finite() { y * y / (1.0 + y * y) } else { 1.0 };
        let end = k * h * (0.25 + 0.75 * implicit) + 0.5 * c * (1.0 + implicit);
        let start = (1.0 - implicit) * (0.5 * c - 0.25 * k * h);
        Some(Self { cfm: 1.0 / (end * h), implicit, stiffness: k / end, damping: start / end })
    }

    /// Rate that the row asks for in addition to its rate at the end, from its error and its rate at the start.
    pub(crate) fn drive(&self, row: &ConstraintRow, rate: Real) -> Real {
        self.stiffness * row.error + self.damping * rate
    }
}
