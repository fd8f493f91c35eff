use crate::script::error::rising;
use crate::script::{CubicSpline, ScriptError};
use drystone_math::{Real, Vec2};

/// When a path is travelled: a curve V(v) = (t, s) in the plane of time and arc length, a function of time.
///
/// # Source
/// M-05, M-09, M-10; thesis (3.9), (3.32)-(3.34), (3.41)-(3.48). The points are the control points of an open cubic B-spline. If their times rise, so does t(v)
/// everywhere (its derivative is a spline with positive control values): `t' = 0` cannot occur (M-11), and the search for v has one answer.
#[derive(Debug, Clone, PartialEq)]
pub struct VelocitySpline {
    spline: CubicSpline<Vec2>,
}

/// Arc length and its derivatives over time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// s (m).
    pub s: Real,
    /// ds/dt (m/s).
    pub speed: Real,
    /// d^2s/dt^2 (m/s^2).
    pub acceleration: Real,
}

impl VelocitySpline {
    /// From control points `[t, s]` with rising times (s) and arc lengths (m).
    ///
    /// # Errors
    /// [`ScriptError`] for fewer than two points, numbers that are not finite, or times that do not rise.
    pub fn new(points: &[[Real; 2]]) -> Result<Self, ScriptError> {
        rising("time", points.iter().map(|p| p[0]))?;
        let points: Vec<Vec2> = points.iter().copied().map(Vec2::from_array).collect();
        Ok(Self { spline: CubicSpline::open(&points)? })
    }

    /// Constant speed (m/s) over a distance (m), starting at a time (s).
    ///
    /// # Errors
    /// [`ScriptError`] if the speed is not above zero, or the distance leads to no later time.
    pub fn constant(start: Real, speed: Real, distance: Real) -> Result<Self, ScriptError> {
        Self::new(&[[start, 0.0], [start + distance / speed, distance]])
    }

    /// The points that it was made from, each a time (s) and a length of path (m); two or three points as the four that stand for them.
    pub fn points(&self) -> Vec<[Real; 2]> {
        self.spline.given().0.iter().map(Vec2::to_array).collect()
    }

    /// First and last time (s).
    pub fn times(&self) -> [Real; 2] {
        let [from, to] = self.spline.range();
        [self.spline.evaluate(from)[0].x, self.spline.evaluate(to)[0].x]
    }

    /// The progress along the path at time `t` (s). Before the first and after the last time the body rests.
    pub fn evaluate(&self, t: Real) -> Progress {
        let [first, last] = self.times();
        let resting = t < first || t > last;
        let [p, d, dd] = self.spline.evaluate(self.parameter(t.clamp(first, last)));
        if resting {
            return Progress { s: p.y, speed: 0.0, acceleration: 0.0 };
        }
        let speed = d.y / d.x;
        Progress { s: p.y, speed, acceleration: (dd.y - speed * dd.x) / (d.x * d.x) }
    }

    /// The v at which `t(v) = t`, by Newton's method kept in a bracket.
    fn parameter(&self, t: Real) -> Real {
        let [mut low, mut high] = self.spline.range();
        let [first, last] = self.times();
        let mut v = low + (high - low) * (t - first) / (last - first);
        for _ in 0..100 {
            let [p, d, _] = self.spline.evaluate(v);
            let off = p.x - t;
            if off.abs() <= Real::EPSILON * (last - first) || high - low <= Real::EPSILON * high.abs() {
                break;
            }
            if off > 0.0 {
                high = v;
            } else {
                low = v;
            }
            let newton = v - off / d.x;
            v = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        }
        v
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_agree_with_differences() {
        // M-10
        let spline =
            VelocitySpline::new(&[[0.0, 0.0], [0.5, 0.0], [1.0, 0.2], [2.0, 3.0], [2.2, 4.0], [4.0, 4.0]]).unwrap();
        let d = 1e-4;
        for k in 1..40 {
            let t = 0.1 * Real::from(k) + 0.03;
            if t + d > 4.0 {
                continue;
            }
            let [a, b, c] = [t - d, t, t + d].map(|t| spline.evaluate(t));
            assert!((b.speed - (c.s - a.s) / (2.0 * d)).abs() < 1e-6, "{t}");
            assert!((b.acceleration - (c.speed - a.speed) / (2.0 * d)).abs() < 1e-5, "{t}");
        }
    }

    /// A power of two scales times exactly: the same motion in a second and in a microsecond is at the same places, to the bit.
    #[test]
    fn a_motion_that_is_over_in_no_time_goes_through_the_same_places() {
        let points = [[0.0, 0.0], [0.5, 0.0], [1.0, 0.2], [2.0, 3.0], [2.25, 4.0], [4.0, 4.0]];
        let slow = VelocitySpline::new(&points).unwrap();
        for scale in [Real::exp2(-20.0), Real::exp2(20.0)] {
            let fast = VelocitySpline::new(&points.map(|[t, s]| [t * scale, s])).unwrap();
            for k in 0..=40 {
                let t = 0.1 * Real::from(k);
                let [one, other] = [slow.evaluate(t), fast.evaluate(t * scale)];
                assert_eq!((one.s, one.speed), (other.s, other.speed * scale), "{t} s");
            }
        }
    }

    #[test]
    fn constant_speed_is_constant_and_time_must_rise() {
        // M-09
        let spline = VelocitySpline::constant(1.0, 2.0, 6.0).unwrap();
        for t in [1.0, 1.7, 3.99] {
            let p = spline.evaluate(t);
            assert!(
                (p.s - 2.0 * (t - 1.0)).abs() < 1e-14 && (p.speed - 2.0).abs() < 1e-13 && p.acceleration.abs() < 1e-12
            );
        }
        assert_eq!(spline.evaluate(9.0), Progress { s: 6.0, speed: 0.0, acceleration: 0.0 });
        let error = VelocitySpline::new(&[[0.0, 0.0], [1.0, 1.0], [0.5, 2.0]]).unwrap_err();
        assert!(error.to_string().contains("time[2] = 0.5 must be above"), "{error}");
    }
}
