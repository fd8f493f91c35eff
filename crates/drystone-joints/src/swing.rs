//! Swing and twist of a ball joint's axis, with derivatives.

use crate::located::Located;
use crate::region::Region;
use crate::turn::{Evaluated, turn, turn_bend, turning};
use drystone_math::elementary::atan2;
use drystone_math::{Quat, Real, Vec3, tangent_basis};

/// The axes of A (joint axis, second axis, their product) and the joint axis of B, in body axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SwingFrame {
    pub(crate) a: [Vec3; 3],
    pub(crate) b: Vec3,
}

/// A coordinate, its gradient with respect to the angular velocity of B relative to A, and its second derivative under
/// steady velocities.
#[derive(Clone, Copy)]
struct Known {
    value: Real,
    gradient: Vec3,
    bend: Real,
}

/// `theta / sin theta` and its first two derivatives with respect to c = cos theta.
///
/// From `(1 - c^2) f' = c f - 1`; near c = 1 by the series in 1 - c, of which `n!^2 2^n / (2n + 1)!` is the coefficient n.
fn angle_over_sine(c: Real, sine: Real) -> [Real; 3] {
    let d = 1.0 - c;
    if d < 1e-3 {
        let k = [1.0 / 3.0, 2.0 / 15.0, 2.0 / 35.0, 8.0 / 315.0, 8.0 / 693.0];
        let f = 1.0 + d * (k[0] + d * (k[1] + d * (k[2] + d * (k[3] + d * k[4]))));
        let first = -(k[0] + d * (2.0 * k[1] + d * (3.0 * k[2] + d * (4.0 * k[3] + d * 5.0 * k[4]))));
        let second = 2.0 * k[1] + d * (6.0 * k[2] + d * (12.0 * k[3] + d * 20.0 * k[4]));
        return [f, first, second];
    }
    // opposite to the axis of A there is no direction: keep the result large but finite
    let sine = sine.max(1e-6);
    let f = atan2(sine, c) / sine;
    let first = (c * f - 1.0) / (sine * sine);
    [f, first, (f + 3.0 * c * first) / (sine * sine)]
}

impl SwingFrame {
    /// Swing towards either axis, and twist.
    fn coordinates(&self, l: &Located) -> [Known; 3] {
        let [wa, wb] = l.spin;
        let t = l.axes_b * self.b;
        let dt = wb.cross(t);
        let cosine = |axis: Vec3| {
            let e = l.axes_a * axis;
            let de = wa.cross(e);
            let bend = wa.cross(de).dot(t) + 2.0 * de.dot(dt) + e.dot(wb.cross(dt));
            Known { value: e.dot(t), gradient: t.cross(e), bend }
        };
        let [main, first, second] = self.a.map(cosine);
        let sine = (first.value * first.value + second.value * second.value).sqrt();
        let [f, df, ddf] = angle_over_sine(main.value, sine);
        let rate = |k: &Known| k.gradient.dot(wb - wa);
        let swing = |k: &Known| Known {
            value: f * k.value,
            gradient: main.gradient * (df * k.value) + k.gradient * f,
            bend: (ddf * rate(&main) * rate(&main) + df * main.bend) * k.value
                + 2.0 * df * rate(&main) * rate(k)
                + f * k.bend,
        };
        let to_a = |v: Vec3| l.axes_a.transpose() * v;
        let (q, u) = (l.turn(), to_a(wb - wa));
        let (value, gradient) = turn(q, self.a[0]);
        let bend = turn_bend(q, self.a[0], u, u.cross(to_a(wa)));
        let twist = Known { value, gradient: l.axes_a * gradient, bend };
        [swing(&first), swing(&second), twist]
    }

    /// C at the bodies' present state, with its gradient `dC/dq dq/ds S` and its second derivative.
    pub(crate) fn evaluate(&self, l: &Located, region: &dyn Region) -> (Evaluated, Real) {
        let q = self.coordinates(l);
        let at = region.at(Vec3::new(q[0].value, q[1].value, q[2].value));
        let slope = at.gradient.to_array();
        let relative = l.spin[1] - l.spin[0];
        let rates = Vec3::from_array(q.map(|k| k.gradient.dot(relative)));
        let mut gradient = Vec3::ZERO;
        let mut curvature = rates.dot(at.hessian * rates);
        for (k, s) in q.iter().zip(slope) {
            gradient += k.gradient * s;
            curvature += k.bend * s;
        }
        (Evaluated { value: at.value, jacobian: turning(gradient) }, curvature)
    }
}

/// The frame of a unit axis and a second one in the world.
pub(crate) fn swing_frame(axis: Vec3, second: Option<Vec3>, [a, b]: [Quat; 2]) -> SwingFrame {
    let across = second.map(|v| v - axis * axis.dot(v)).and_then(Vec3::try_normalize);
    let first = across.unwrap_or_else(|| tangent_basis(axis).0);
    let to_a = |v: Vec3| a.conjugate() * v;
    SwingFrame { a: [axis, first, axis.cross(first)].map(to_a), b: b.conjugate() * axis }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On either side of where the series ends, the value is the quotient itself; differences give its derivatives.
    #[test]
    fn the_series_near_no_swing_is_the_quotient() {
        let exact = |c: Real| c.acos() / (1.0 - c * c).sqrt();
        for d in [1e-8, 1e-5, 2e-4, 9.99e-4, 1.001e-3, 0.1, 1.0, 1.5] {
            let c = 1.0 - d;
            let [f, first, second] = angle_over_sine(c, (d * (2.0 - d)).sqrt());
            assert!((f - exact(c)).abs() < 1e-8 * f, "{d}: {f} {}", exact(c));
            let step = 1e-3 * d.max(1e-2);
            let [ahead, behind] = [c - step, c + step.min(0.5 * d)].map(|c| angle_over_sine(c, (1.0 - c * c).sqrt()));
            let span = step + step.min(0.5 * d);
            for (derivative, k) in [(first, 0), (second, 1)] {
                let quotient = (behind[k] - ahead[k]) / span;
                assert!((derivative - quotient).abs() < 1e-3 * derivative.abs(), "{d}: {k}: {derivative} {quotient}");
            }
        }
        // the first two terms by hand, and the sum where it is largest: no term may be missing
        let sum: Real = (0..12)
            .scan(1.0, |term, n| {
                let now = *term;
                *term *= 9.9e-4 * Real::from(n + 1) / Real::from(2 * n + 3);
                Some(now)
            })
            .sum();
        let [f, ..] = angle_over_sine(1.0 - 9.9e-4, 0.0);
        assert!((f - sum).abs() < 1e-14, "{f} {sum}");
        // and both derivatives against the equation that the quotient obeys, and against that equation's derivative
        for d in [1e-5, 2e-4, 9.9e-4] {
            let (c, square) = (1.0 - d, d * (2.0 - d));
            let [f, first, second] = angle_over_sine(c, square.sqrt());
            assert!((square * first - (c * f - 1.0)).abs() < 2e-15, "{d}: {first}");
            assert!((square * second - (f + 3.0 * c * first)).abs() < 4e-15, "{d}: {second}");
        }
    }
}
