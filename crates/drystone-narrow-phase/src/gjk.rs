use crate::minkowski::{Corner, Difference};
use crate::simplex::Simplex;
use drystone_math::{Real, Vec3};

/// After this many iterations the bound reached so far is taken; corners take a dozen, smooth shapes thirty.
const MOST_ITERATIONS: u32 = 128;

/// The bounds on the distance must agree to this fraction of it.
const RELATIVE: Real = 1e-13;

/// Cores closer than this fraction of the size count as overlapping.
const TOUCHING: Real = 1e-10;

/// Cores closer than this fraction of the size count as touching if the search has not settled on a direction.
const BLURRED: Real = 1e-7;

/// Bounds on a distance or depth that differ by more than this fraction of the size have not settled.
pub(crate) const SETTLED: Real = 1e-11;

/// Number of steps in a row that may leave the length unchanged: the direction settles later than the length.
const STALLED: u32 = 6;

/// The result of the search.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    /// Distance of the cores (m), zero if they overlap.
    pub distance: Real,
    /// Separation (m) of the cores by planes normal to the line between the points; equal to the distance up to
    /// rounding once the search has settled.
    pub lower: Real,
    /// Unit vector from A to B (A's frame); zero if they overlap.
    pub normal: Vec3,
    /// Nearest point of A's core (A's frame, m).
    pub on_a: Vec3,
    /// Nearest point of B's core (A's frame, m).
    pub on_b: Vec3,
    /// Iterations.
    pub iterations: u32,
}

/// Start of a search along a direction (A's frame, from A to B).
#[inline]
pub(crate) fn toward(shape: &Difference<'_>, direction: Vec3) -> Simplex {
    let mut simplex = Simplex::default();
    begin(shape, direction, &mut simplex);
    simplex
}

/// Puts the first corner along a direction (A's frame, from A to B) in an empty simplex.
#[inline]
pub(crate) fn begin(shape: &Difference<'_>, direction: Vec3, simplex: &mut Simplex) {
    let d = if direction.length_squared() > Real::MIN_POSITIVE { direction } else { Vec3::X };
    simplex.begin(shape.support(-d));
}

/// The distance of two convex cores by the algorithm of Gilbert, Johnson and Keerthi, starting from `simplex`, which
/// becomes the last simplex and contains the origin if the cores overlap. Stops early once it is certain that the cores
/// are farther apart than `beyond` (m).
///
/// # Source
/// Named by thesis 5.4 and J-22. The nearest point of a simplex is found from signed areas and volumes, comparing all
/// faces by the distance they give, so no case is decided by a rounded sign alone. The normal is the direction of the
/// best lower bound, which settles later than the length.
pub(crate) fn distance(shape: &Difference<'_>, simplex: &mut Simplex, beyond: Real) -> Answer {
    let mut v = simplex.point();
    let (mut iterations, mut stalled) = (0, 0);
    // the best bound, with the vector whose direction it holds for and that vector's length
    let (mut lower, mut direction, mut divisor) = (Real::NEG_INFINITY, v, 1.0);
    loop {
        let length = v.length();
        if length <= TOUCHING * shape.size || simplex.count() == 4 {
            return overlapping(simplex, iterations);
        }
        iterations += 1;
        let w = shape.support(-v);
        let bound = v.dot(w.at) / length;
        if bound > lower {
            (lower, direction, divisor) = (bound, v, length);
        }
        let done = length - lower <= RELATIVE * length || lower > beyond || iterations >= MOST_ITERATIONS;
        if !done && !simplex.holds(&w) {
            let pick = simplex.pick(&w);
            let next = pick.point;
            let progress = next.length_squared() < v.length_squared();
            stalled = if progress { 0 } else { stalled + 1 };
            // the length no longer falls, but the direction may still turn as long as the bound is not met
            if progress || (stalled <= STALLED && next.length() <= length * (1.0 + 1e-14)) {
                simplex.apply(w, &pick);
                v = next;
                continue;
            }
            // no further progress in these digits: the last simplex stands
        }
        if length <= BLURRED * shape.size && length - lower > 1e-6 * length {
            // so close that the direction is lost in rounding: counts as touching
            return overlapping(simplex, iterations);
        }
        let distance = if lower > beyond { lower } else { length };
        let on_a = simplex.blend(|c| c.on_a);
        let on_b = on_a + v;
        // the line between the points, unless another direction has proven more
        let normal = if lower - bound > SETTLED * shape.size { direction / divisor } else { v / length };
        return Answer { distance, lower: bound, normal, on_a, on_b, iterations };
    }
}

#[cold]
fn overlapping(simplex: &Simplex, iterations: u32) -> Answer {
    let (on_a, on_b) = (simplex.blend(|c| c.on_a), simplex.blend(Corner::on_b));
    Answer { distance: 0.0, lower: 0.0, normal: Vec3::ZERO, on_a, on_b, iterations }
}
