use crate::script::ScriptError;
use crate::script::error::rising;
use drystone_math::elementary::atan2;
use drystone_math::{Quat, Real, Vec3};
use std::f64::consts::TAU;

/// A twice continuously differentiable curve of orientations through keys.
///
/// The cumulative form of a cubic B-spline on the rotation group: with control orientations `c_i` and the sums
/// `b_i(t) = B_i(t) + B_{i+1}(t) + ...` of the basis functions,
///
/// ```text
/// q(t) = c_0 exp(w_1 b_1(t)) exp(w_2 b_2(t)) ...,   w_i = log(c_{i-1}* c_i).
/// ```
///
/// It is differentiable as often as the basis, so twice at simple knots. It commutes with rotations of the frame, and turns at a constant rate through keys of
/// a constant rate. Angular velocity and acceleration are sums of the factors' own, carried into the world.
///
/// # Source
/// M-14, which the thesis leaves open (3.5, 3.6: squad is only C^1). The cumulative form is M.-J. Kim, M.-S. Kim, S. Y. Shin, "A
/// general construction scheme for unit quaternion curves with simple high order derivatives", 1995.
#[derive(Debug, Clone, PartialEq)]
pub struct RotationSpline {
    controls: Vec<Quat>,
    /// `log(c_{i-1}* c_i)` as a rotation vector (rad); entry 0 is not used.
    logs: Vec<Vec3>,
    knots: Vec<Real>,
    /// The times (s) and orientations that it goes through, as they were given.
    given: (Vec<Real>, Vec<Quat>),
}

/// An orientation and how it changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turning {
    /// Unit quaternion.
    pub orientation: Quat,
    /// Angular velocity, world frame (rad/s).
    pub velocity: Vec3,
    /// Angular acceleration, world frame (rad/s^2).
    pub acceleration: Vec3,
}

/// A quaternion's w that stands for a half turn, to rounding.
const HALF_TURN: Real = 1e-9;
/// Neighbours closer than this (rad) are as good as in a flat space: keys between them help no more.
const NEAR: Real = 0.1;

/// The rotation vector of the shorter rotation (rad); of a half turn, which has two, that about the axis as it is written.
fn log(q: Quat) -> Vec3 {
    let q = if q.w < -HALF_TURN { -q } else { q };
    let sine = q.xyz().length();
    // for a small angle the ratio tends to two
    let ratio = if sine > 1e-9 { 2.0 * atan2(sine, q.w) / sine } else { 2.0 };
    q.xyz() * ratio
}

fn exp(v: Vec3) -> Quat {
    crate::rotate_finite(Quat::IDENTITY, v, 1.0)
}

/// The orientation after the first of so many equal parts of the shorter turn from one to another.
fn between(from: Quat, to: Quat, parts: Real) -> Quat {
    from * exp(log(from.conjugate() * to) / parts)
}

/// Adds the middle of each interval of a path, of all alike so that neighbouring intervals keep their ratio; returns whether neighbours were far apart.
fn halve_intervals(path: &mut Vec<(Real, Quat)>) -> bool {
    let mut finer = vec![path[0]];
    let mut farthest = 0.0;
    for pair in path.windows(2) {
        let [(start, from), (end, to)] = [pair[0], pair[1]];
        farthest = log(from.conjugate() * to).length().max(farthest);
        finer.extend([(0.5 * (start + end), between(from, to, 2.0)), (end, to)]);
    }
    *path = finer;
    farthest > NEAR
}

/// Values of the non-zero basis functions and their first two derivatives at t in the span `i` (knots i to i + 1).
fn basis(knots: &[Real], i: usize, t: Real) -> [[Real; 4]; 3] {
    // the triangle of the basis functions of degree 0 to 3
    let mut n = [[0.0; 4]; 4];
    n[0][0] = 1.0;
    for degree in 1..=3 {
        for k in 0..=degree {
            // function i - degree + k of this degree
            let first = i + k - degree;
            let left = if k > 0 {
                let width = knots[first + degree] - knots[first];
                (t - knots[first]) / width * n[degree - 1][k - 1]
            } else {
                0.0
            };
            let right = if k < degree {
                let width = knots[first + degree + 1] - knots[first + 1];
                (knots[first + degree + 1] - t) / width * n[degree - 1][k]
            } else {
                0.0
            };
            n[degree][k] = left + right;
        }
    }
    // derivatives of a function of degree p are differences of those of degree p - 1
    let raise = |lower: [Real; 4], degree: usize| {
        let mut out = [0.0; 4];
        for (k, out) in out.iter_mut().enumerate().take(degree + 1) {
            let first = i + k - degree;
            let p = degree as Real;
            let left = if k > 0 { p * lower[k - 1] / (knots[first + degree] - knots[first]) } else { 0.0 };
            let right = if k < degree { p * lower[k] / (knots[first + degree + 1] - knots[first + 1]) } else { 0.0 };
            *out = left - right;
        }
        out
    };
    [n[3], raise(n[2], 3), raise(raise(n[1], 2), 3)]
}

impl RotationSpline {
    /// Through orientations (of any length and either sign) at rising times (s), beginning and ending with the mean angular velocity of the first and last
    /// interval. Neighbours are joined by the shorter turn; a half turn goes about the axis as it is written.
    ///
    /// Between keys that are far apart there may be no such curve, or none is found. Then it also goes through the orientations half way between neighbours,
    /// at half time, and if need be half way between those. Where neighbours are less than about a radian apart that is not needed.
    ///
    /// # Errors
    /// [`ScriptError`] for fewer than two keys, unequal counts, times that do not rise, zero quaternions, and keys between which no curve is found.
    pub fn through(times: &[Real], keys: &[Quat]) -> Result<Self, ScriptError> {
        let n = keys.len();
        if n < 2 || times.len() != n {
            return Err(ScriptError::Count { what: "orientations", found: n, needed: "at least 2, one a time" });
        }
        rising("time", times.iter().copied())?;
        let bad = keys.iter().position(|q| !(q.is_finite() && q.length_squared() > 0.0));
        if let Some(index) = bad {
            return Err(ScriptError::NonFinite { what: "orientation", index });
        }
        let mut path: Vec<(Real, Quat)> = times.iter().zip(keys).map(|(t, q)| (*t, q.normalize())).collect();
        loop {
            match Self::along(&path, (times.to_vec(), keys.to_vec())) {
                Err(ScriptError::Rotation { .. }) if halve_intervals(&mut path) => {}
                found => return found,
            }
        }
    }

    /// Through unit quaternions at rising times.
    fn along(path: &[(Real, Quat)], given: (Vec<Real>, Vec<Quat>)) -> Result<Self, ScriptError> {
        let (times, keys): (Vec<Real>, Vec<Quat>) = path.iter().copied().unzip();
        let n = keys.len();
        // knots at the keys, four-fold at the ends; two more controls than keys, the outer ones fixed by the end rates
        let mut knots = vec![times[0]; 3];
        knots.extend_from_slice(&times);
        knots.extend([times[n - 1]; 3]);
        let mut controls = vec![keys[0], between(keys[0], keys[1], 3.0)];
        controls.extend_from_slice(&keys[1..n - 1]);
        controls.extend([between(keys[n - 1], keys[n - 2], 3.0), keys[n - 1]]);
        let mut spline = Self { controls, logs: Vec::new(), knots, given };
        spline.refresh();
        spline.fit(&keys)?;
        Ok(spline)
    }

    /// Brings the rotation vectors up to date: of the vectors that differ by whole turns, the one nearest to the former value is taken, so that controls may
    /// come to lie more than half a turn apart.
    fn refresh(&mut self) {
        self.logs.resize(self.controls.len(), Vec3::ZERO);
        for (c, old) in self.controls.windows(2).zip(&mut self.logs[1..]) {
            let shortest = log(c[0].conjugate() * c[1]);
            let (axis, angle) = (shortest.normalize_or_zero(), shortest.length());
            let turns = ((old.dot(axis) - angle) / TAU).round();
            *old = shortest + axis * (turns * TAU);
        }
    }

    /// Rotations (world frame, rad) that would take the curve to the inner keys, and the largest of them.
    fn residuals(&self, keys: &[Quat]) -> (Vec<Vec3>, Real) {
        let inner = 1..keys.len() - 1;
        // inner key i is knot i + 3
        let list: Vec<Vec3> =
            inner.map(|i| log(keys[i] * self.evaluate(self.knots[i + 3]).orientation.conjugate())).collect();
        let off = list.iter().fold(0.0, |m: Real, r| m.max(r.length()));
        (list, off)
    }

    /// Moves the inner controls until the curve meets the inner keys.
    ///
    /// Newton's method with the matrix of a spline in a flat space, all rotations taken in the world frame: exact if the keys turn about one axis, and if all
    /// controls turn together. A step that leads away is shortened.
    fn fit(&mut self, keys: &[Quat]) -> Result<(), ScriptError> {
        const ITERATIONS: usize = 500;
        const MET: Real = 1e-13;
        let (mut residual, mut off) = self.residuals(keys);
        let mut part: Real = 1.0;
        for _ in 0..ITERATIONS {
            if off <= MET {
                break;
            }
            let before = (self.controls.clone(), self.logs.clone());
            let step = self.flat_step(&residual);
            for (control, r) in self.controls[2..].iter_mut().zip(step) {
                *control = (exp(r * part) * *control).normalize();
            }
            self.refresh();
            let (next, next_off) = self.residuals(keys);
            if next_off < off {
                (residual, off) = (next, next_off);
                part = (2.0 * part).min(1.0);
            } else {
                (self.controls, self.logs) = before;
                part *= 0.5;
            }
        }
        // rounding leaves a few of the last digits
        if off <= 100.0 * MET { Ok(()) } else { Err(ScriptError::Rotation { off }) }
    }

    /// Step of the inner controls in a flat space, by Thomas' algorithm.
    fn flat_step(&self, residual: &[Vec3]) -> Vec<Vec3> {
        let mut step = residual.to_vec();
        let mut upper = vec![0.0; step.len()];
        for i in 0..step.len() {
            let [before, here, after, _] = basis(&self.knots, i + 4, self.knots[i + 4])[0];
            // the controls beside the outermost keys do not move
            let (above, moved) = if i == 0 { (0.0, Vec3::ZERO) } else { (upper[i - 1], step[i - 1]) };
            let pivot = here - before * above;
            upper[i] = after / pivot;
            step[i] = (step[i] - moved * before) / pivot;
        }
        for i in (0..step.len().saturating_sub(1)).rev() {
            let next = step[i + 1];
            step[i] -= next * upper[i];
        }
        step
    }

    /// The times (s) and orientations that it goes through.
    pub fn given(&self) -> (&[Real], &[Quat]) {
        (&self.given.0, &self.given.1)
    }

    /// First and last time (s).
    pub fn times(&self) -> [Real; 2] {
        [self.knots[3], self.knots[self.controls.len()]]
    }

    /// Orientation, angular velocity and angular acceleration at time `t` (s). Before the first and after the last key the
    /// body rests.
    pub fn evaluate(&self, t: Real) -> Turning {
        let [first, last] = self.times();
        let n = self.controls.len();
        let resting = t < first || t > last;
        let t = t.clamp(first, last);
        let i = self.knots.partition_point(|k| *k <= t).clamp(4, n) - 1;
        let [value, rate, second] = basis(&self.knots, i, t);
        // sums from the back: what lies before the span has reached one, what lies behind is zero
        let mut q = self.controls[i - 3];
        let (mut velocity, mut acceleration) = (Vec3::ZERO, Vec3::ZERO);
        for k in 1..4 {
            let sum = |b: &[Real; 4]| b[k..].iter().sum::<Real>();
            let w = self.logs[i - 3 + k];
            let axis = q * w;
            acceleration += axis * sum(&second) + velocity.cross(axis) * sum(&rate);
            velocity += axis * sum(&rate);
            q *= exp(w * sum(&value));
        }
        if resting {
            (velocity, acceleration) = (Vec3::ZERO, Vec3::ZERO);
        }
        Turning { orientation: q.normalize(), velocity, acceleration }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tumbling() -> (Vec<Real>, Vec<Quat>) {
        let times = vec![0.0, 0.4, 1.0, 1.3, 2.5, 3.0];
        let keys = (0..6)
            .map(|i| {
                let x = Real::from(i);
                let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
                Quat::from_rotation_x(0.5 * (1.3 * x).sin())
                    * Quat::from_rotation_y(0.6 * x)
                    * Quat::from_rotation_z(0.4 * x.cos())
                    * sign
            })
            .collect();
        (times, keys)
    }

    #[test]
    fn goes_through_its_keys() {
        let (times, keys) = tumbling();
        let spline = RotationSpline::through(&times, &keys).unwrap();
        for (t, q) in times.iter().zip(&keys) {
            assert!(log(spline.evaluate(*t).orientation.conjugate() * *q).length() < 1e-11);
        }
    }

    #[test]
    fn velocity_and_acceleration_are_derivatives_and_continuous() {
        let (times, keys) = tumbling();
        let spline = RotationSpline::through(&times, &keys).unwrap();
        let d = 1e-5;
        for k in 0..60 {
            let t = 0.05 * Real::from(k) + 0.01;
            let [a, b, c] = [t - d, t, t + d].map(|t| spline.evaluate(t));
            let v = log(c.orientation * a.orientation.conjugate()) / (2.0 * d);
            assert!((b.velocity - v).length() < 1e-6, "{t}");
            let slope = (c.velocity - a.velocity) / (2.0 * d);
            // across a knot the acceleration has a kink
            let kink = times.iter().any(|k| (t - k).abs() < 2.0 * d);
            assert!(kink || (b.acceleration - slope).length() < 1e-5, "{t}");
        }
        for t in &times[1..5] {
            let (left, right) = (spline.evaluate(t - 1e-9), spline.evaluate(t + 1e-9));
            assert!((left.acceleration - right.acceleration).length() < 1e-5, "{t}");
            assert!((left.velocity - right.velocity).length() < 1e-6, "{t}");
        }
    }

    #[test]
    fn a_constant_spin_has_no_angular_acceleration() {
        // M-14
        let times = [0.0, 0.3, 1.0, 1.1, 2.0];
        let spin = Vec3::new(0.5, -1.0, 0.7);
        let keys = times.map(|t| exp(spin * t));
        let spline = RotationSpline::through(&times, &keys).unwrap();
        for k in 0..20 {
            let now = spline.evaluate(0.1 * Real::from(k));
            assert!((now.velocity - spin).length() < 1e-10 && now.acceleration.length() < 1e-8, "{now:?}");
        }
    }

    #[test]
    fn turns_with_its_frame() {
        let (times, keys) = tumbling();
        let base = Quat::from_rotation_z(0.8) * Quat::from_rotation_x(2.0);
        let turned: Vec<Quat> = keys.iter().map(|q| base * *q).collect();
        let (a, b) =
            (RotationSpline::through(&times, &keys).unwrap(), RotationSpline::through(&times, &turned).unwrap());
        for t in [0.2, 1.1, 2.7] {
            assert!((base * a.evaluate(t).velocity - b.evaluate(t).velocity).length() < 1e-10);
        }
    }

    /// Turns by a quarter or a half about random axes of the frame, as people type them.
    fn typed(random: u64, angles: &[Real]) -> (Vec<Real>, Vec<Quat>) {
        let mut seed = random;
        let mut below = move |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % n
        };
        let keys = 2 + below(7);
        let mut times = vec![0.0];
        let mut orientations = vec![Quat::IDENTITY];
        for _ in 1..keys {
            let axis = Vec3::AXES[below(3) as usize] * if below(2) == 0 { 1.0 } else { -1.0 };
            let turn = Quat::from_axis_angle(axis, angles[below(angles.len() as u64) as usize]);
            times.push(times[times.len() - 1] + 0.25 * (1 + below(4)) as Real);
            orientations.push(turn * orientations[orientations.len() - 1]);
        }
        (times, orientations)
    }

    #[test]
    fn takes_every_list_of_quarter_and_half_turns() {
        use std::f64::consts::{FRAC_PI_2, PI};
        let mut added = 0;
        for seed in 0..200 {
            for angles in [&[FRAC_PI_2][..], &[PI][..], &[FRAC_PI_2, PI, 0.3, 0.0][..]] {
                let (times, keys) = typed(seed, angles);
                let spline = RotationSpline::through(&times, &keys).unwrap_or_else(|e| panic!("{seed}: {e}: {keys:?}"));
                for (t, q) in times.iter().zip(&keys) {
                    assert!(log(spline.evaluate(*t).orientation.conjugate() * *q).length() < 1e-10, "{seed}");
                }
                assert_eq!(spline.given(), (&times[..], &keys[..]));
                // no turn is much faster than its interval asks for
                let steps = times.windows(2).zip(keys.windows(2));
                let asked =
                    steps.map(|(t, q)| log(q[0].conjugate() * q[1]).length() / (t[1] - t[0])).fold(0.0, Real::max);
                let [first, last] = spline.times();
                let fastest = (0..=400)
                    .map(|k| spline.evaluate(first + (last - first) * Real::from(k) / 400.0).velocity.length())
                    .fold(0.0, Real::max);
                assert!(fastest <= 4.0 * asked + 1e-9, "{seed}: {fastest} rad/s where {asked} would do");
                added += usize::from(spline.knots.len() > times.len() + 6);
            }
        }
        // the control: some lists have no curve that is found without keys in between
        assert!(added > 20, "{added}");
    }

    #[test]
    fn a_half_turn_goes_the_way_that_its_axis_is_written() {
        for axis in [Vec3::X, Vec3::NEG_Z, Vec3::new(0.6, -0.8, 0.0)] {
            // a whole turn in two halves
            let keys = [0.0, 1.0, 2.0].map(|k| Quat::from_axis_angle(axis, k * std::f64::consts::PI));
            let spline = RotationSpline::through(&[0.0, 1.0, 2.0], &keys).unwrap();
            for k in 0..20 {
                let now = spline.evaluate(0.1 * Real::from(k) + 0.01);
                assert!((now.velocity - axis * std::f64::consts::PI).length() < 1e-9, "{now:?}");
            }
        }
    }

    #[test]
    fn faults_are_named() {
        assert!(RotationSpline::through(&[0.0], &[Quat::IDENTITY]).is_err());
        assert!(RotationSpline::through(&[0.0, 0.0], &[Quat::IDENTITY; 2]).is_err());
        let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        assert!(RotationSpline::through(&[0.0, 1.0], &[Quat::IDENTITY, zero]).is_err());
    }
}
