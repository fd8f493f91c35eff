//! Makes directions exact when the search along curved cores converges too slowly.
//!
//! B is moved out along a direction until the cores are clearly apart; the direction of their distance there never
//! parts them worse, and at the best direction it is that direction again. A few such projections settle what a
//! polytope only approaches.

use crate::found::Found;
use crate::gjk::{self, Answer, SETTLED};
use crate::minkowski::Difference;
use drystone_math::{Real, Vec3};

/// After this many projections the direction is accepted as it is.
const MOST_ROUNDS: u32 = 24;

/// The cores are held apart by this fraction of the size.
const APART: Real = 0.05;

/// A gain below this fraction of the size ends the descent.
const GAIN: Real = 1e-13;

/// For cores closer than this fraction of the size, the difference of their points gives no usable direction.
const CLOSE: Real = 1e-6;

/// Start of a descent: the points it begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Points {
    /// They lie on the cores.
    OnCores,
    /// They may lie anywhere.
    Anywhere,
}

/// B moved along a unit direction until it is clearly apart, and the distance there; `None` if it does not get apart.
fn projected(shape: &Difference<'_>, normal: Vec3, distance: Real) -> Option<(Answer, Vec3)> {
    let by = normal * (APART * shape.size - distance);
    let moved = shape.moved(by);
    let answer = gjk::distance(&moved, &mut gjk::toward(&moved, normal), Real::INFINITY);
    (answer.distance > 0.0).then_some((answer, by))
}

/// The depth of overlapping cores: a local optimum of the separation of the support planes normal to the direction.
pub(crate) fn deepest(shape: &Difference<'_>, from: Found, points: Points) -> Found {
    let (mut best, mut placed) = (from, points == Points::OnCores);
    let mut iterations = from.iterations;
    for _ in 0..MOST_ROUNDS {
        let Some((answer, _)) = projected(shape, best.normal, best.distance) else { break };
        iterations += answer.iterations;
        let step = answer.normal - best.normal;
        let (mut normal, mut distance) = (answer.normal, shape.separation(answer.normal));
        // farther along the same way, as long as it pays: steps are short if the radius of curvature is close to the
        // depth
        let mut stride = 2.0;
        while distance > best.distance {
            let farther = (best.normal + step * stride).normalize_or(normal);
            let separation = shape.separation(farther);
            iterations += 1;
            if separation <= distance {
                break;
            }
            (normal, distance) = (farther, separation);
            stride *= 2.0;
        }
        let gain = distance - best.distance;
        if gain > 0.0 {
            // the points belong to the previous direction, so along this one they lie beside each other
            best = Found { distance, normal, ..best };
            placed = false;
        } else if !placed || step.length() <= CLOSE {
            best = best.opposite(answer.on_a);
            placed = true;
        }
        if gain <= GAIN * shape.size {
            break;
        }
    }
    if !placed && let Some((answer, _)) = projected(shape, best.normal, best.distance) {
        best = best.opposite(answer.on_a);
    }
    Found { iterations, ..best }
}

/// The distance of cores that are apart by `from.distance`, if the search left the direction unsettled; `lower` is the
/// separation that it has proven.
pub(crate) fn nearest(shape: &Difference<'_>, from: Found, lower: Real) -> Found {
    let (mut normal, mut proven) = (from.normal, lower);
    let (mut best, mut open) = (from, from.distance - lower);
    if from.distance > CLOSE * shape.size {
        best.normal = (from.on_b - from.on_a).normalize_or(normal);
    }
    let mut iterations = from.iterations;
    for _ in 0..MOST_ROUNDS {
        let Some((answer, by)) = projected(shape, normal, proven) else { break };
        iterations += answer.iterations;
        let (on_a, on_b) = (answer.on_a, answer.on_b - by);
        let between = on_b - on_a;
        // the direction found at a distance, with the points it leads to, and the line between the points themselves
        let separation = shape.separation(answer.normal);
        let straight = Found {
            distance: separation,
            normal: answer.normal,
            on_a,
            on_b: on_a + answer.normal * separation,
            iterations,
        };
        let length = between.length();
        let line = between / length.max(Real::MIN_POSITIVE);
        let joined = Found { distance: length, normal: line, on_a, on_b, iterations };
        let between_off = (between - answer.normal * separation).length();
        let line_off = if length > CLOSE * shape.size { length - shape.separation(line) } else { Real::INFINITY };
        for (found, off) in [(straight, between_off), (joined, line_off)] {
            if off < open {
                (best, open) = (found, off);
            }
        }
        let gain = separation - proven;
        (normal, proven) = (answer.normal, separation.max(proven));
        if open <= SETTLED * shape.size || gain.abs() <= GAIN * shape.size {
            break;
        }
    }
    Found { iterations, ..best }
}
