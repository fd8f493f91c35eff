use super::contact::PositionContact;
use crate::moving::{MovingBody, PairPoint};
use drystone_math::{Real, Twist, Vec3};

/// The least square of the radius of a face (m^2), relative to that of its arms, that holds against twist.
const POINT: Real = 1e-12;

/// Cancels the tangential slip of a face accumulated in this sub-step, if the combined friction limit of its points
/// allows it: first the slip at the centre of the load, then the rotation about it.
///
/// Each point takes a share in proportion to its load: point by point, the first one would have to hold the whole body.
pub(super) fn stick(points: &mut [PositionContact], bodies: &mut [MovingBody]) {
    let load: Real = points.iter().map(|c| c.normal).sum();
    for c in &mut *points {
        c.at.follow(bodies);
    }
    let Some(first) = points.first().filter(|_| load > 0.0) else { return };
    let [t1, t2] = first.at.tangents;
    let arms = [0, 1].map(|k| points.iter().map(|c| c.at.arms[k] * (c.normal / load)).sum());
    let place = PairPoint { bodies: first.at.bodies, arms };
    let slip: Vec3 = points.iter().map(|c| c.slipped() * (c.normal / load)).sum();
    let [a, b, d] = [(t1, t1), (t1, t2), (t2, t2)].map(|(s, t)| place.response(bodies, s, t));
    let determinant = a * d - b * b;
    if determinant <= 0.0 {
        return;
    }
    let [x, y] = [t1.dot(slip), t2.dot(slip)];
    let back = (t1 * (b * y - d * x) + t2 * (b * x - a * y)) * (1.0 / determinant);
    let held: Vec3 = points.iter().map(|c| c.across).sum();
    let bound: Real = points.iter().map(PositionContact::bound).sum();
    if (held + back).length() <= bound {
        place.shift(bodies, back);
        for c in &mut *points {
            c.across += back * (c.normal / load);
        }
    }
    untwist(points, bodies, &place, load);
}

/// The same for what it turned about a place: a couple of forces across the normal.
fn untwist(points: &mut [PositionContact], bodies: &mut [MovingBody], place: &PairPoint, load: Real) {
    for c in &mut *points {
        c.at.follow(bodies);
    }
    let Some(first) = points.first() else { return };
    let n = first.at.normal;
    let from_there = |c: &PositionContact| {
        let arm = c.at.arms[0] - place.arms[0];
        arm - n * n.dot(arm)
    };
    let square: Real = points.iter().map(|c| from_there(c).length_squared() * (c.normal / load)).sum();
    let response: Real = place.bodies.iter().map(|&i| bodies[i as usize].inverse_inertia.quadratic(n)).sum();
    if square <= POINT * place.arms[0].length_squared() || response <= 0.0 {
        return;
    }
    let moment: Real = points.iter().map(|c| from_there(c).cross(c.slipped()).dot(n) * (c.normal / load)).sum();
    let torque = -moment / (square * response);
    let couple = |c: &PositionContact| n.cross(from_there(c)) * (torque * c.normal / (load * square));
    if points.iter().all(|c| (c.across + couple(c)).length() <= c.bound()) {
        for c in points {
            c.across += couple(c);
        }
        for (&i, sign) in place.bodies.iter().zip([-1.0, 1.0]) {
            let body = &mut bodies[i as usize];
            if body.is_movable() {
                body.shift(body.response(Twist::new(Vec3::ZERO, n * (torque * sign))));
            }
        }
    }
}
