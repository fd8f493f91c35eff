use super::{MovingBody, MovingRow};
use drystone_math::{Real, Twist};

/// The present value of a row's constraint function, from what the bodies were displaced by since it was evaluated.
pub(crate) fn row_error(r: &MovingRow, shifts: &[Twist]) -> Real {
    r.row.error + r.row.rate(r.bodies.map(|i| shifts[i as usize]))
}

/// Displaces the bodies of a row by a multiplier.
pub(crate) fn shift_row(r: &MovingRow, bodies: &mut [MovingBody], shifts: &mut [Twist], x: Real) {
    for (i, jacobian) in r.bodies.into_iter().zip(r.row.jacobian) {
        let body = &mut bodies[i as usize];
        if body.is_movable() {
            let by = body.response(jacobian) * x;
            body.shift(by);
            shifts[i as usize] += by;
        }
    }
}
