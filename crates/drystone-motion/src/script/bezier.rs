use crate::script::Point;
use drystone_math::{Real, Vec3};

/// A cubic Bezier curve over `[0, 1]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bezier<P> {
    /// Its four control points.
    pub points: [P; 4],
}

fn mix<P: Point>(a: P, b: P, t: Real) -> P {
    a * (1.0 - t) + b * t
}

impl<P: Point> Bezier<P> {
    /// The point and the first two derivatives over the parameter.
    pub fn evaluate(&self, t: Real) -> [P; 3] {
        let [p0, p1, p2, p3] = self.points;
        let (a, b, c) = (mix(p0, p1, t), mix(p1, p2, t), mix(p2, p3, t));
        let (d, e) = (mix(a, b, t), mix(b, c, t));
        [mix(d, e, t), (e - d) * 3.0, (c - b * 2.0 + a) * 6.0]
    }

    /// Two curves that make up this one, cut at `t`.
    ///
    /// # Source
    /// M-07; de Casteljau's scheme, thesis Fig. 3.3.
    pub fn cut(&self, t: Real) -> [Self; 2] {
        let [p0, p1, p2, p3] = self.points;
        let (a, b, c) = (mix(p0, p1, t), mix(p1, p2, t), mix(p2, p3, t));
        let (d, e) = (mix(a, b, t), mix(b, c, t));
        let m = mix(d, e, t);
        [Self { points: [p0, a, d, m] }, Self { points: [m, e, c, p3] }]
    }
}

impl Bezier<Vec3> {
    /// Coefficients A ... E of the squared speed `A t^4 + B t^3 + C t^2 + D t + E`.
    ///
    /// # Source
    /// M-06; thesis (3.15)-(3.21).
    pub(crate) fn squared_speed(&self) -> [Real; 5] {
        let [p0, p1, p2, p3] = self.points;
        let a = (p3 - p0) + (p1 - p2) * 3.0;
        let b = (p0 - p1 * 2.0 + p2) * 3.0;
        let c = (p1 - p0) * 3.0;
        [9.0 * a.dot(a), 12.0 * a.dot(b), 6.0 * a.dot(c) + 4.0 * b.dot(b), 4.0 * b.dot(c), c.dot(c)]
    }
}
