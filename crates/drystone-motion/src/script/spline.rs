use crate::script::{Bezier, Point, ScriptError};
use drystone_math::Real;

/// A nonuniform cubic B-spline, kept as Bezier curves: twice continuously differentiable at simple knots.
///
/// # Source
/// M-04; thesis 3.1. The Bezier points are the spline's blossom at the knots.
#[derive(Debug, Clone, PartialEq)]
pub struct CubicSpline<P> {
    /// Parameters where the pieces begin, and where the last ends.
    pub(crate) breaks: Vec<Real>,
    pub(crate) pieces: Vec<Bezier<P>>,
    /// Control points, or points that it goes through.
    controls: Vec<P>,
    /// Four more knots, or as many parameters.
    knots: Vec<Real>,
}

/// The value of the blossom of piece `i` at three arguments, by de Boor's scheme.
fn blossom<P: Point>(controls: &[P], knots: &[Real], i: usize, arguments: [Real; 3]) -> P {
    let mut d = [controls[i - 3], controls[i - 2], controls[i - 1], controls[i]];
    for r in 1..=3 {
        for j in (r..=3).rev() {
            let (low, high) = (knots[i - 3 + j], knots[i + 1 + j - r]);
            let alpha = (arguments[r - 1] - low) / (high - low);
            d[j] = d[j - 1] * (1.0 - alpha) + d[j] * alpha;
        }
    }
    d[3]
}

/// Knots 0, 0, 0, 0, 1, 2, ... with which a spline of `n` control points begins in the first and ends in the last.
pub(crate) fn open_knots(n: usize) -> Vec<Real> {
    (0..n + 4).map(|k| k.saturating_sub(3).min(n - 3) as Real).collect()
}

impl<P: Point> CubicSpline<P> {
    /// From n >= 4 control points and n + 4 knots that never fall. The curve runs from knot 3 to knot n.
    ///
    /// # Errors
    /// [`ScriptError`] for wrong counts, numbers that are not finite, falling knots, and knots of multiplicity above 3 within.
    pub fn new(controls: &[P], knots: &[Real]) -> Result<Self, ScriptError> {
        let n = controls.len();
        if n < 4 {
            return Err(ScriptError::Count { what: "control points", found: n, needed: "at least 4" });
        }
        if knots.len() != n + 4 {
            let needed = "four more than control points";
            return Err(ScriptError::Count { what: "knots", found: knots.len(), needed });
        }
        if let Some(index) = controls.iter().position(|p| !p.finite()) {
            return Err(ScriptError::NonFinite { what: "control point", index });
        }
        if let Some(index) = knots.iter().position(|k| !k.is_finite()) {
            return Err(ScriptError::NonFinite { what: "knot", index });
        }
        for (index, pair) in knots.windows(2).enumerate() {
            if pair[1] < pair[0] {
                let (found, before) = (pair[1], pair[0]);
                return Err(ScriptError::Order { what: "knot", index: index + 1, found, before, needed: "at least" });
            }
        }
        // four equal knots inside would let the curve jump
        for &value in &knots[4..n] {
            let found = knots.iter().filter(|k| **k == value).count();
            if found > 3 && value > knots[3] && value < knots[n] {
                return Err(ScriptError::Multiplicity { value, found });
            }
        }
        let (mut breaks, mut pieces) = (vec![knots[3]], Vec::new());
        for i in 3..n {
            let (u, v) = (knots[i], knots[i + 1]);
            if v > u {
                let at = |arguments| blossom(controls, knots, i, arguments);
                pieces.push(Bezier { points: [at([u, u, u]), at([u, u, v]), at([u, v, v]), at([v, v, v])] });
                breaks.push(v);
            }
        }
        if pieces.is_empty() {
            return Err(ScriptError::NoLength);
        }
        Ok(Self { breaks, pieces, controls: controls.to_vec(), knots: knots.to_vec() })
    }

    /// With evenly spaced knots with which the curve begins in the first control point and ends in the last. Two or three points are taken for a line or a
    /// parabola.
    ///
    /// # Errors
    /// [`ScriptError`] for fewer than two points, or one that is not finite.
    pub fn open(controls: &[P]) -> Result<Self, ScriptError> {
        let raised = match *controls {
            [a, b] => vec![a, a * (2.0 / 3.0) + b * (1.0 / 3.0), a * (1.0 / 3.0) + b * (2.0 / 3.0), b],
            [a, b, c] => {
                vec![a, a * (1.0 / 3.0) + b * (2.0 / 3.0), b * (2.0 / 3.0) + c * (1.0 / 3.0), c]
            }
            [] | [_] => {
                let found = controls.len();
                return Err(ScriptError::Count { what: "control points", found, needed: "at least 2" });
            }
            _ => controls.to_vec(),
        };
        Self::new(&raised, &open_knots(raised.len()))
    }

    /// The natural spline through points at rising parameters: no second derivative at the ends.
    ///
    /// # Errors
    /// [`ScriptError`] for fewer than two points, unequal counts, or parameters that do not rise.
    pub fn through(parameters: &[Real], points: &[P]) -> Result<Self, ScriptError> {
        let n = points.len();
        if n < 2 || parameters.len() != n {
            return Err(ScriptError::Count { what: "points", found: n, needed: "at least 2, one a parameter" });
        }
        if let Some(index) = points.iter().position(|p| !p.finite()) {
            return Err(ScriptError::NonFinite { what: "point", index });
        }
        super::error::rising("parameter", parameters.iter().copied())?;
        let h = |i: usize| parameters[i + 1] - parameters[i];
        let slope = |i: usize| (points[i + 1] - points[i]) * (1.0 / h(i));

        // second derivatives m: h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1} = 6 (slope_i - slope_{i-1}), by Thomas
        let zero = points[0] * 0.0;
        let (mut factor, mut m) = (vec![0.0; n], vec![zero; n]);
        for i in 1..n - 1 {
            let pivot = 2.0 * (h(i - 1) + h(i)) - h(i - 1) * factor[i - 1];
            factor[i] = h(i) / pivot;
            m[i] = ((slope(i) - slope(i - 1)) * 6.0 - m[i - 1] * h(i - 1)) * (1.0 / pivot);
        }
        for i in (1..n - 1).rev() {
            m[i] = m[i] - m[i + 1] * factor[i];
        }
        let pieces = (0..n - 1)
            .map(|i| {
                // end slopes of the piece, then Hermite to Bezier
                let first = slope(i) - (m[i] * 2.0 + m[i + 1]) * (h(i) / 6.0);
                let last = slope(i) + (m[i] + m[i + 1] * 2.0) * (h(i) / 6.0);
                let (a, b, third) = (points[i], points[i + 1], h(i) / 3.0);
                Bezier { points: [a, a + first * third, b - last * third, b] }
            })
            .collect();
        Ok(Self { breaks: parameters.to_vec(), pieces, controls: points.to_vec(), knots: parameters.to_vec() })
    }

    /// The range of the parameter.
    pub fn range(&self) -> [Real; 2] {
        [self.breaks[0], self.breaks[self.pieces.len()]]
    }

    /// Data that it was made from: control points and four more knots ([`Self::new`]), or points and as many parameters
    /// ([`Self::through`]).
    pub fn given(&self) -> (&[P], &[Real]) {
        (&self.controls, &self.knots)
    }

    /// The piece that a parameter lies in, the local parameter in it, and its width. A parameter outside is moved to the nearer end.
    pub(crate) fn locate(&self, u: Real) -> (usize, Real, Real) {
        let i = self.breaks.partition_point(|b| *b <= u).clamp(1, self.pieces.len()) - 1;
        let width = self.breaks[i + 1] - self.breaks[i];
        (i, ((u - self.breaks[i]) / width).clamp(0.0, 1.0), width)
    }

    /// The point and the first two derivatives at a parameter, which is clamped to the range.
    pub fn evaluate(&self, u: Real) -> [P; 3] {
        let (i, t, width) = self.locate(u);
        let [p, d, dd] = self.pieces[i].evaluate(t);
        [p, d * (1.0 / width), dd * (1.0 / (width * width))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::Vec3;

    fn wavy() -> Vec<Vec3> {
        (0..8)
            .map(|i| {
                let x = Real::from(i);
                Vec3::new(x, (1.7 * x).sin(), (0.9 * x * x).cos())
            })
            .collect()
    }

    #[test]
    fn is_twice_continuous_at_simple_knots() {
        // M-04
        let knots = [0.0, 0.1, 0.4, 1.0, 1.5, 1.7, 3.0, 3.5, 5.0, 5.1, 5.4, 6.0];
        for spline in [CubicSpline::new(&wavy(), &knots).unwrap(), CubicSpline::through(&knots[..8], &wavy()).unwrap()]
        {
            for i in 1..spline.pieces.len() {
                let scale = |i: usize| spline.breaks[i + 1] - spline.breaks[i];
                let (left, right) = (spline.pieces[i - 1].evaluate(1.0), spline.pieces[i].evaluate(0.0));
                for (k, (l, r)) in left.iter().zip(right).enumerate() {
                    let power = k as i32;
                    let gap = *l / scale(i - 1).powi(power) - r / scale(i).powi(power);
                    assert!(gap.length() < 1e-10, "{i} {k}: {gap}");
                }
            }
        }
    }

    #[test]
    fn reproduces_polynomials_and_points() {
        // control points of the identity are the Greville abscissae
        let knots = [0.0, 0.0, 0.0, 0.0, 1.0, 2.5, 4.0, 4.0, 4.0, 4.0];
        let controls: Vec<Real> = (0..6).map(|i| (knots[i + 1] + knots[i + 2] + knots[i + 3]) / 3.0).collect();
        let spline = CubicSpline::new(&controls, &knots).unwrap();
        let points = wavy();
        let times: Vec<Real> = (0..8).map(|i| Real::from(i) * Real::from(i + 1)).collect();
        let through = CubicSpline::through(&times, &points).unwrap();
        for i in 0..8 {
            let u = 0.55 * i as Real;
            let [x, d, dd] = spline.evaluate(u);
            assert!((x - u.min(4.0)).abs() < 1e-14 && (d - 1.0).abs() < 1e-14 && dd.abs() < 1e-13);
            assert!((through.evaluate(times[i])[0] - points[i]).length() < 1e-13);
        }
        let line = CubicSpline::open(&[1.0, 4.0]).unwrap();
        assert!((line.evaluate(0.25)[0] - 1.75).abs() < 1e-15);
    }

    #[test]
    fn faults_are_named() {
        let p = wavy();
        let error = |r: Result<CubicSpline<Vec3>, ScriptError>| r.unwrap_err().to_string();
        assert!(error(CubicSpline::new(&p[..3], &[0.0; 7])).contains("at least 4"));
        assert!(error(CubicSpline::new(&p[..4], &[0.0; 7])).contains("four more"));
        assert!(error(CubicSpline::new(&p[..4], &[0.0; 8])).contains("no length"));
        let falling = [0.0, 0.0, 0.0, 0.0, 1.0, 0.5, 1.0, 1.0];
        assert!(error(CubicSpline::new(&p[..4], &falling)).contains("knot[5] = 0.5 must be at least"));
        let broken = [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0];
        assert!(error(CubicSpline::new(&p, &broken)).contains("occurs 4 times"));
        assert!(error(CubicSpline::open(&[Vec3::NAN, Vec3::X])).contains("not finite"));
        assert!(error(CubicSpline::through(&[0.0, 0.0], &p[..2])).contains("must be above"));
    }
}
