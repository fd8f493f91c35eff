//! A proof that the derivative of a curve vanishes nowhere.

use crate::script::Bezier;
use drystone_math::{Real, Vec3};

/// If the speed |C'| is below this fraction of the largest control distance, the derivative counts as vanished.
pub(super) const VANISHED: Real = 1e-7;

/// Most halvings: beyond them a curve is not told from one with a cusp.
const DEEPEST: u32 = 24;

/// Returns true if the derivative of a curve is proved to vanish nowhere.
///
/// It is three times a mean of the legs of the control polygon, with weights that are not negative: if all legs go forward along one direction, so does the
/// curve. If they do not, both halves are tested. A curve with a cusp is never proved, however often it is cut.
pub(crate) fn is_regular(curve: &Bezier<Vec3>) -> bool {
    let scale = legs(curve).into_iter().map(Vec3::length).fold(0.0, Real::max);
    scale > 0.0 && proved(curve, VANISHED * scale, DEEPEST)
}

fn legs(curve: &Bezier<Vec3>) -> [Vec3; 3] {
    let [p0, p1, p2, p3] = curve.points;
    [p1 - p0, p2 - p1, p3 - p2]
}

/// `least` is how far each leg must go along the way from end to end to count as forward (m); the legs of a half are half as long.
fn proved(curve: &Bezier<Vec3>, least: Real, depth: u32) -> bool {
    let along = (curve.points[3] - curve.points[0]).normalize_or_zero();
    legs(curve).into_iter().all(|leg| leg.dot(along) > least)
        || (depth > 0 && curve.cut(0.5).iter().all(|half| proved(half, 0.5 * least, depth - 1)))
}
