//! How much of a stiffness counts, by how far the step resolves it.

use drystone_math::Real;

/// `h^2 K / I` below which a step resolves the swing of a link, and at which half of the stiffness counts. A step that does not know of it is stable
/// up to 4.
const RESOLVED: Real = 0.5;
const HALF: Real = 2.0;

/// The damping from which on a step is one of implicit Euler: nothing swings, and there is nothing for the step to resolve.
pub(crate) const IMPLICIT: Real = 1.0;

/// How much counts of a stiffness that is `x` inertias a step squared.
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
