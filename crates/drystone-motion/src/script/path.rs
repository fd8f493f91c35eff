use crate::script::regular::{VANISHED, is_regular};
use crate::script::{Bezier, CubicSpline, LengthMethod, ScriptError};
use drystone_math::{Real, Vec3};

/// A curve in space as a function of its arc length: C(U(s)).
///
/// # Source
/// M-04 ... M-08, M-10, M-11, M-13; thesis 3.1-3.3.
#[derive(Debug, Clone, PartialEq)]
pub struct SpacePath {
    spline: CubicSpline<Vec3>,
    method: LengthMethod,
    tolerance: Real,
    /// Arc length where each piece begins, and where the last ends (m).
    lengths: Vec<Real>,
}

/// A point of a path and its derivatives over arc length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathPoint {
    /// The point (m).
    pub position: Vec3,
    /// dC/ds, a unit vector.
    pub tangent: Vec3,
    /// d^2C/ds^2 (1/m): curvature times the principal normal.
    pub curvature: Vec3,
}

/// Longest control polygon (m). Squared speeds of such a path are below 1e305, and so representable.
const LONGEST: Real = 1e150;

/// Offset from a point at which the derivative vanishes, as a fraction of the piece: the derivatives are taken there
/// instead.
const ASIDE: Real = 1e-4;

impl SpacePath {
    /// From a spline, with its length found by quadrature to rounding.
    ///
    /// # Errors
    /// [`ScriptError::NoLength`] if the spline stays in one point, [`ScriptError::TooLong`] if its control polygon is longer than 1e150 m.
    pub fn new(spline: CubicSpline<Vec3>) -> Result<Self, ScriptError> {
        Self::with_method(spline, LengthMethod::Quadrature, 1e-13)
    }

    /// From a spline, with its length found by the given method to a tolerance (as a fraction of the whole length).
    ///
    /// # Errors
    /// [`ScriptError::NoLength`] if the spline stays in one point, [`ScriptError::TooLong`] if its control polygon is longer than 1e150 m.
    pub fn with_method(spline: CubicSpline<Vec3>, method: LengthMethod, tolerance: Real) -> Result<Self, ScriptError> {
        // the control polygon is never shorter than the curve: it gives the scale
        let scale: Real = spline
            .pieces
            .iter()
            .flat_map(|p| p.points.windows(2).map(|w| w[0].distance(w[1])).collect::<Vec<_>>())
            .sum();
        if scale.is_nan() || scale > LONGEST {
            return Err(ScriptError::TooLong { most: LONGEST });
        }
        let tolerance = tolerance * scale;
        let mut lengths = vec![0.0];
        let mut total = 0.0;
        for piece in &spline.pieces {
            total += method.length(piece, 1.0, tolerance);
            lengths.push(total);
        }
        if total.is_finite() && total > 0.0 {
            Ok(Self { spline, method, tolerance, lengths })
        } else {
            Err(ScriptError::NoLength)
        }
    }

    /// From a spline whose derivative is proved to vanish nowhere, so that a body can follow it at any speed with finite accelerations.
    ///
    /// # Errors
    /// [`ScriptError::Cusp`] if there is no proof: at a cusp, or so near to one that the two cannot be told apart; [`ScriptError::NoLength`], [`ScriptError::TooLong`].
    pub fn regular(spline: CubicSpline<Vec3>) -> Result<Self, ScriptError> {
        let path = Self::new(spline)?;
        match path.spline.pieces.iter().position(|p| !is_regular(p)) {
            None => Ok(path),
            Some(piece) => Err(ScriptError::Cusp { from: path.lengths[piece], to: path.lengths[piece + 1] }),
        }
    }

    /// Its control points (m) and knots, if they are all there is to it: if its length was found by quadrature to the usual tolerance.
    pub fn given(&self) -> Option<(&[Vec3], &[Real])> {
        let again = Self::new(self.spline.clone()).ok()?;
        (again == *self).then(|| self.spline.given())
    }

    /// Length of the path (m).
    pub fn length(&self) -> Real {
        self.lengths[self.spline.pieces.len()]
    }

    /// Arc length S(u) up to a parameter of the spline (m).
    pub fn length_to(&self, u: Real) -> Real {
        let (i, t, _) = self.spline.locate(u);
        self.lengths[i] + self.method.length(&self.spline.pieces[i], t, self.tolerance)
    }

    /// The piece and its local parameter at an arc length within the path, by Newton's method kept in a bracket.
    ///
    /// # Source
    /// M-08; thesis (3.29)-(3.31).
    fn find(&self, s: Real) -> (usize, Real) {
        let last = self.spline.pieces.len() - 1;
        let i = self.lengths.partition_point(|l| *l <= s).clamp(1, last + 1) - 1;
        let (piece, wanted) = (&self.spline.pieces[i], s - self.lengths[i]);
        let whole = self.lengths[i + 1] - self.lengths[i];
        let (mut low, mut high) = (0.0, 1.0);
        let mut t = if whole > 0.0 { (wanted / whole).clamp(0.0, 1.0) } else { 0.0 };
        for _ in 0..100 {
            let off = self.method.length(piece, t, self.tolerance) - wanted;
            if off.abs() <= self.tolerance || high - low <= Real::EPSILON {
                break;
            }
            if off > 0.0 {
                high = t;
            } else {
                low = t;
            }
            let newton = t - off / piece.evaluate(t)[1].length();
            t = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        }
        (i, t)
    }

    /// The spline's parameter U(s) at an arc length (m), which is clamped to the path.
    pub fn parameter(&self, s: Real) -> Real {
        let (i, t) = self.find(s.clamp(0.0, self.length()));
        let [from, to] = [self.spline.breaks[i], self.spline.breaks[i + 1]];
        from + t * (to - from)
    }

    /// The point at an arc length (m). Beyond the ends the path goes on straight (M-13).
    pub fn evaluate(&self, s: Real) -> PathPoint {
        let inside = s.clamp(0.0, self.length());
        let (i, t) = self.find(inside);
        let mut point = self.local(i, t);
        if s != inside {
            point.position += point.tangent * (s - inside);
            point.curvature = Vec3::ZERO;
        }
        point
    }

    /// With `dU/ds = 1 / |C'|` and `d^2U/ds^2 = -(C' . C'') / |C'|^4`, thesis (3.35)-(3.40).
    fn local(&self, i: usize, t: Real) -> PathPoint {
        let piece = &self.spline.pieces[i];
        let position = piece.evaluate(t)[0];
        // where the derivative vanishes, those of a point a little further on are taken: the limit from one side (M-11)
        let t = if self.vanishes(i, t) { if t + ASIDE <= 1.0 { t + ASIDE } else { t - ASIDE } } else { t };
        let [_, d, dd] = piece.evaluate(t);
        let square = d.length_squared();
        if square == 0.0 {
            return PathPoint { position, tangent: Vec3::ZERO, curvature: Vec3::ZERO };
        }
        let curvature = dd / square - d * (d.dot(dd) / (square * square));
        PathPoint { position, tangent: d / square.sqrt(), curvature }
    }

    fn vanishes(&self, i: usize, t: Real) -> bool {
        let p = &self.spline.pieces[i].points;
        let scale = p[0].distance(p[1]).max(p[1].distance(p[2])).max(p[2].distance(p[3]));
        self.spline.pieces[i].evaluate(t)[1].length() <= VANISHED * scale
    }

    /// Arc lengths (m) at which the curve's derivative vanishes: cusps, where a body would need an infinite acceleration. Empty for a
    /// regular curve; a model with entries should be split there.
    pub fn irregular_at(&self) -> Vec<Real> {
        const SAMPLES: usize = 64;
        let mut found: Vec<Real> = Vec::new();
        for (i, piece) in self.spline.pieces.iter().enumerate() {
            let speed = |t: Real| piece.evaluate(t.clamp(0.0, 1.0))[1].length();
            for k in 0..=SAMPLES {
                let t = k as Real / SAMPLES as Real;
                let step = 1.0 / SAMPLES as Real;
                if speed(t) > speed(t - step) || speed(t) > speed(t + step) {
                    continue;
                }
                // the least speed near a sample that is lower than its neighbours, by thirds
                let (mut low, mut high) = ((t - step).max(0.0), (t + step).min(1.0));
                while high - low > 1e-12 {
                    let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                    if speed(a) <= speed(b) { high = b } else { low = a }
                }
                let least = 0.5 * (low + high);
                if self.vanishes(i, least) {
                    let s = self.lengths[i] + self.method.length(piece, least, self.tolerance);
                    if found.last().is_none_or(|l| s - l > 1e-6 * self.length()) {
                        found.push(s);
                    }
                }
            }
        }
        found
    }

    /// Corners of a box that holds the path between two arc lengths (m): from the control points of the pieces, so it
    /// misses nothing.
    pub fn bounds(&self, from: Real, to: Real) -> [Vec3; 2] {
        let (from, to) = (from.min(to), from.max(to));
        let ends = [self.evaluate(from).position, self.evaluate(to).position];
        let (mut low, mut high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        let ((i, t), (j, v)) = (self.find(from.clamp(0.0, self.length())), self.find(to.clamp(0.0, self.length())));
        for k in i..=j {
            let part = within(&self.spline.pieces[k], if k == i { t } else { 0.0 }, if k == j { v } else { 1.0 });
            for p in part.points {
                (low, high) = (low.min(p), high.max(p));
            }
        }
        [low, high]
    }
}

/// The part of a curve between two parameters.
fn within(curve: &Bezier<Vec3>, from: Real, to: Real) -> Bezier<Vec3> {
    let front = if to < 1.0 { curve.cut(to)[0] } else { *curve };
    if from <= 0.0 || to <= 0.0 { front } else { front.cut((from / to).min(1.0))[1] }
}
