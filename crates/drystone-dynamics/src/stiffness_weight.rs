//! Fraction of a stiffness that counts, depending on how well the step resolves it.

use drystone_math::Real;

/// Values of `h^2 K / I`: below the first a step resolves the swing of a link, at the second half of the stiffness counts. A step without this stiffness is stable
/// up to 4.
const RESOLVED: Real = 0.5;
const HALF: Real = 2.0;

/// The damping from which on a step is implicit Euler: nothing swings, so there is nothing for the step to resolve.
pub(crate) const IMPLICIT: Real = 1.0;

/// The fraction that counts of a stiffness of `x` inertias per step squared.
pub(crate) fn weight(x: Real, damping: Real) -> Real {
    if damping >= IMPLICIT {
        return 1.0;
    }
    if x <= RESOLVED {
        return 0.0;
    }
    let y = (x / HALF).powi(4).min(1e12);
    y / (1.0 + y)
}
