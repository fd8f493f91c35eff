use drystone_core::{ConstraintRow, GroupBody, GroupRow};
use drystone_math::{Real, Twist};

/// Role of a row in an impact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Part {
    /// Not at all.
    Idle,
    /// Its rate stays what it was.
    Equality,
    /// Its rate may not be negative (the factor turns an upper limit into a lower one).
    Limit(Real),
}

/// Role of a row in an impact.
pub(super) fn part(row: &ConstraintRow) -> Part {
    if row.softness.is_soft() || !row.correctable {
        return Part::Idle;
    }
    match (row.limits.lo, row.limits.hi) {
        (Real::NEG_INFINITY, Real::INFINITY) => Part::Equality,
        (lo, Real::INFINITY) if lo == 0.0 && row.error <= 0.0 => Part::Limit(1.0),
        (Real::NEG_INFINITY, hi) if hi == 0.0 && row.error >= 0.0 => Part::Limit(-1.0),
        _ => Part::Idle,
    }
}

/// `J u` from the bodies' velocities.
pub(super) fn rate(row: &GroupRow, velocity: &[Twist]) -> Real {
    let dot = |j: &Twist, u: &Twist| j.linear.dot(u.linear) + j.angular.dot(u.angular);
    let [a, b] = row.bodies.map(|b| &velocity[b as usize]);
    dot(&row.row.jacobian[0], a) + dot(&row.row.jacobian[1], b)
}

/// `J M^-1 J^T`.
pub(super) fn mobility(row: &GroupRow, bodies: &[GroupBody]) -> Real {
    let side = |k: usize| {
        let (body, j) = (&bodies[row.bodies[k] as usize], &row.row.jacobian[k]);
        body.inverse_mass * j.linear.length_squared() + body.inverse_inertia.quadratic(j.angular)
    };
    side(0) + side(1)
}

/// Applies an impulse along a row; changes the bodies' velocities.
pub(super) fn apply(row: &GroupRow, bodies: &[GroupBody], velocity: &mut [Twist], impulse: Real) {
    for (b, j) in row.bodies.iter().zip(&row.row.jacobian) {
        let (body, u) = (&bodies[*b as usize], &mut velocity[*b as usize]);
        u.linear += j.linear * (body.inverse_mass * impulse);
        u.angular += body.inverse_inertia.mul_vec(j.angular) * impulse;
    }
}
