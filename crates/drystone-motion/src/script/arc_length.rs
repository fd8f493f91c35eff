use crate::script::Bezier;
use drystone_math::{Real, Vec3};

/// Method for the length of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LengthMethod {
    /// Gauss' quadrature of the speed, in panels that are halved until two orders agree (M-06).
    #[default]
    Quadrature,
    /// The control polygon, cut by de Casteljau's scheme until it is flat (M-07).
    DeCasteljau,
}

/// Abscissae and weights of Gauss' rule with eight points on `[-1, 1]`, the positive half.
const GAUSS: [(Real, Real); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
];

/// Most halvings: a cusp is then within a millionth of a millionth of a panel.
const DEEPEST: u32 = 40;

/// The squared speed is a polynomial; rounding must not take it below zero at a cusp.
fn speed(c: &[Real; 5], t: Real) -> Real {
    ((((c[0] * t + c[1]) * t + c[2]) * t + c[3]) * t + c[4]).max(0.0).sqrt()
}

fn panel(c: &[Real; 5], from: Real, to: Real) -> Real {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    half * GAUSS.iter().map(|(x, w)| w * (speed(c, middle - x * half) + speed(c, middle + x * half))).sum::<Real>()
}

fn halved(c: &[Real; 5], from: Real, to: Real, whole: Real, tolerance: Real, depth: u32) -> Real {
    let middle = 0.5 * (from + to);
    let (left, right) = (panel(c, from, middle), panel(c, middle, to));
    let is_off = (left + right - whole).abs() > tolerance;
    // where the speed overflows the difference is not a number, and smaller panels do not help
    if !is_off || depth == 0 {
        return left + right;
    }
    // the tolerance is not halved: errors of a sixteenth-order rule do not add up
    halved(c, from, middle, left, tolerance, depth - 1) + halved(c, middle, to, right, tolerance, depth - 1)
}

/// Distance of a point from the line through two others, or from the first of these if they coincide.
fn distance_to_line(p: Vec3, a: Vec3, b: Vec3) -> Real {
    let along = (b - a).normalize_or_zero();
    (p - a).reject_from_normalized(along).length()
}

/// The control polygon's length if the polygon is flat, else the sum over both halves.
///
/// # Source
/// M-07; thesis (3.22)-(3.28), Figs. 3.1-3.3. Differs in: if control points lie on the chord but beyond its ends, the polygon is flat but too long; it must
/// agree with the chord too, or the curve is cut on.
fn polygon(curve: &Bezier<Vec3>, tolerance: Real, depth: u32) -> Real {
    let [p0, p1, p2, p3] = curve.points;
    let length = p0.distance(p1) + p1.distance(p2) + p2.distance(p3);
    let flatness = distance_to_line(p1, p0, p3).max(distance_to_line(p2, p0, p3));
    let straight = length - p0.distance(p3) <= tolerance;
    if (flatness < tolerance && straight) || depth == 0 {
        return length;
    }
    curve.cut(0.5).iter().map(|half| polygon(half, tolerance, depth - 1)).sum()
}

impl LengthMethod {
    /// Length of the part of a curve from 0 to `t`, to about `tolerance` (m).
    pub(crate) fn length(self, curve: &Bezier<Vec3>, t: Real, tolerance: Real) -> Real {
        if t <= 0.0 {
            return 0.0;
        }
        match self {
            Self::Quadrature => {
                let c = curve.squared_speed();
                halved(&c, 0.0, t, panel(&c, 0.0, t), tolerance, DEEPEST)
            }
            Self::DeCasteljau => polygon(&curve.cut(t)[0], tolerance, DEEPEST / 2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: Bezier<Vec3> =
        Bezier { points: [Vec3::ZERO, Vec3::new(1.0, 2.0, 2.0), Vec3::new(2.0, 4.0, 4.0), Vec3::new(3.0, 6.0, 6.0)] };

    #[test]
    fn line_parabola_and_quarter_circle() {
        // M-06, M-07
        for method in [LengthMethod::Quadrature, LengthMethod::DeCasteljau] {
            assert!((method.length(&LINE, 1.0, 1e-12) - 9.0).abs() < 1e-12);
            assert!((method.length(&LINE, 0.25, 1e-12) - 2.25).abs() < 1e-12);
        }
        // the parabola (t, t^2) has a closed form
        let third = 1.0 / 3.0;
        let parabola = Bezier {
            points: [Vec3::ZERO, Vec3::X * third, Vec3::new(2.0 * third, third, 0.0), Vec3::new(1.0, 1.0, 0.0)],
        };
        let exact = 5.0_f64.sqrt() / 2.0 + 2.0_f64.asinh() / 4.0;
        assert!((LengthMethod::Quadrature.length(&parabola, 1.0, 1e-13) - exact).abs() < 1e-13);
        assert!((LengthMethod::DeCasteljau.length(&parabola, 1.0, 1e-8) - exact).abs() < 1e-6);
        // the usual quarter circle: pi / 2 to a few parts in 1e4, the two methods to their tolerance
        let k = 0.552_284_749_8;
        let circle = Bezier { points: [Vec3::X, Vec3::new(1.0, k, 0.0), Vec3::new(k, 1.0, 0.0), Vec3::Y] };
        let (a, b) = (
            LengthMethod::Quadrature.length(&circle, 1.0, 1e-12),
            LengthMethod::DeCasteljau.length(&circle, 1.0, 1e-9),
        );
        assert!((a - std::f64::consts::FRAC_PI_2).abs() < 1e-3 && (a - b).abs() < 1e-6, "{a} {b}");
    }

    #[test]
    fn a_path_that_turns_back_on_its_line_is_measured_both_ways() {
        let back = Bezier { points: [Vec3::ZERO, Vec3::X * 2.0, Vec3::X * 2.0, Vec3::ZERO] };
        for method in [LengthMethod::Quadrature, LengthMethod::DeCasteljau] {
            assert!((method.length(&back, 1.0, 1e-10) - 3.0).abs() < 1e-6, "{method:?}");
        }
    }
}
