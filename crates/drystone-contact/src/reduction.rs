use crate::candidate::{Candidate, Candidates};
use drystone_math::{Real, Vec3};

/// Keeps four points: the deepest, the one farthest from it, and on either side of the line through them the one
/// that spans the largest triangle (K-09).
///
/// Points as deep as the deepest up to `noise` (m) count as equal, and the first of equals is taken, so that the
/// choice does not flicker.
pub(crate) fn reduce_to_four(points: &mut Candidates, normal: Vec3, noise: Real) {
    if points.len() <= 4 {
        return;
    }
    let pick = |score: &dyn Fn(&Candidate) -> Real| {
        let mut best = (Real::NEG_INFINITY, 0);
        for (i, c) in points.iter().enumerate() {
            let s = score(c);
            if s > best.0 + noise {
                best = (s, i);
            }
        }
        best.1
    };
    let first = pick(&|c| -c.separation);
    let p = points[first].on_reference;
    let second = pick(&|c| (c.on_reference - p).length());
    let q = points[second].on_reference;
    // signed height over the line from the first to the second point
    let across = normal.cross(q - p).normalize_or_zero();
    let third = pick(&|c| across.dot(c.on_reference - p));
    let fourth = pick(&|c| -across.dot(c.on_reference - p));
    let mut chosen = [first, second, third, fourth];
    chosen.sort_unstable();
    let mut kept = Candidates::new();
    for (k, &i) in chosen.iter().enumerate() {
        if k == 0 || chosen[k - 1] != i {
            kept.push(points[i]);
        }
    }
    *points = kept;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_octagon_keeps_a_quadrilateral() {
        let at = |i: usize| {
            let w = core::f64::consts::FRAC_PI_4 * i as Real;
            Vec3::new(w.cos(), 0.0, w.sin())
        };
        let mut points: Candidates = (0..8)
            .map(|i| Candidate { on_reference: at(i), on_other: at(i), separation: 0.0, key: i as u64 })
            .collect();
        reduce_to_four(&mut points, Vec3::Y, 1e-9);
        assert_eq!(points.iter().map(|c| c.key).collect::<Vec<_>>(), [0, 2, 4, 6]);
    }
}
