//! Equations whose roots are solutions of complementarity problems: Fischer's, and that of a disc.

use drystone_math::Real;

/// `sqrt(a^2 + b^2) - a - b`: zero if both are at least zero and one of them is zero.
pub(super) fn fischer(a: Real, b: Real) -> Real {
    let length = (a * a + b * b).sqrt();
    // the difference of nearly equal numbers, without cancellation
    if a + b > 0.0 { -2.0 * a * b / (length + a + b) } else { length - a - b }
}

/// Its derivatives; one of many at the origin.
pub(super) fn fischer_slopes(a: Real, b: Real) -> [Real; 2] {
    let length = (a * a + b * b).sqrt();
    if length > 0.0 { [a / length - 1.0, b / length - 1.0] } else { [core::f64::consts::FRAC_1_SQRT_2 - 1.0; 2] }
}

/// A point and its position relative to a disc around the origin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Disc {
    /// Unit vector; zero at the origin.
    pub(super) direction: [Real; 2],
    /// Radius over length: at least one if the point is in the disc.
    pub(super) inside: Real,
}

impl Disc {
    pub(super) fn of(point: [Real; 2], radius: Real) -> Self {
        let length = (point[0] * point[0] + point[1] * point[1]).sqrt();
        if length > 0.0 {
            Self { direction: point.map(|p| p / length), inside: radius / length }
        } else {
            Self { direction: [0.0; 2], inside: Real::INFINITY }
        }
    }

    /// Returns true if the nearest point of the disc is the point itself, as in sticking.
    pub(super) fn holds(&self) -> bool {
        self.inside >= 1.0
    }
}

/// `x - P(x - d)`, P the nearest point of a disc of this radius: zero if x is on its edge and directly opposes d, or if x is in it and d is zero.
///
/// # Source
/// Alart and Curnier 1991.
pub(super) fn disc_equation(x: [Real; 2], d: [Real; 2], radius: Real) -> [Real; 2] {
    let y = [x[0] - d[0], x[1] - d[1]];
    let disc = Disc::of(y, radius);
    if disc.holds() { d } else { [0, 1].map(|i| x[i] - radius * disc.direction[i]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fischers_function_is_zero_where_one_is_and_none_is_negative() {
        for (a, b) in [(0.0, 0.0), (0.0, 2.0), (3.0, 0.0), (1e-30, 0.0)] {
            assert_eq!(fischer(a, b), 0.0);
        }
        for (a, b) in [(1.0, 1.0), (-1.0, 0.0), (0.0, -1e-12), (-1.0, 2.0), (1e-9, 3.0), (-2.0, -1.0)] {
            assert!(fischer(a, b) != 0.0, "{a} {b}");
            let [da, db] = fischer_slopes(a, b);
            let step = 1e-7 * (a.abs() + b.abs());
            let slope = |d: [Real; 2]| (fischer(a + d[0], b + d[1]) - fischer(a - d[0], b - d[1])) / (2.0 * step);
            assert!((slope([step, 0.0]) - da).abs() < 1e-5 && (slope([0.0, step]) - db).abs() < 1e-5, "{a} {b}");
        }
    }

    #[test]
    fn the_disc_s_equation_is_coulomb_s_law() {
        let zero = |x, d| disc_equation(x, d, 2.0).iter().all(|f| f.abs() < 1e-15);
        // zero for sticking anywhere in the disc, and for slipping with friction at its edge, against the slip
        assert!(zero([1.0, -1.0], [0.0; 2]) && zero([-2.0, 0.0], [0.3, 0.0]) && zero([-1.2, 1.6], [3.0, -4.0]));
        // not zero beyond the disc, for friction along the slip, or for slipping with friction inside the disc
        assert!(!zero([2.1, 0.0], [0.0; 2]) && !zero([2.0, 0.0], [0.3, 0.0]) && !zero([-1.9, 0.0], [0.3, 0.0]));
    }
}
