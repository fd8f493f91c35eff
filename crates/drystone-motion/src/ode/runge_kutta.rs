use super::{distance, is_finite, plus};
use drystone_math::Real;
use drystone_math::elementary::powf;

/// A step of the classical Runge-Kutta method, and the motion within it.
///
/// # Source
/// C-04, C-05; Baraff 1995 (4), (5).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RungeKuttaStep<const N: usize> {
    /// y at the start.
    pub start: [Real; N],
    /// Slope at the start: k1.
    pub first: [Real; N],
    /// Slope of the chord to the end: the weighted mean of the four stages, k5.
    pub mean: [Real; N],
    /// Length of the step (s).
    pub duration: Real,
}

impl<const N: usize> RungeKuttaStep<N> {
    /// The step of `duration` seconds from `y` at the time `t`.
    pub fn new(f: &impl Fn(Real, &[Real; N]) -> [Real; N], t: Real, y: &[Real; N], duration: Real) -> Self {
        let h = duration;
        let k1 = f(t, y);
        let k2 = f(t + 0.5 * h, &plus(y, 0.5 * h, &k1));
        let k3 = f(t + 0.5 * h, &plus(y, 0.5 * h, &k2));
        let k4 = f(t + h, &plus(y, h, &k3));
        let mean = core::array::from_fn(|i| (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]) / 6.0);
        Self { start: *y, first: k1, mean, duration }
    }

    /// y at the end, to order four.
    pub fn end(&self) -> [Real; N] {
        plus(&self.start, self.duration, &self.mean)
    }

    /// The dense approximation, `h` seconds from the start: `y + h ((1 - h / D) k1 + (h / D) k5)`.
    ///
    /// A parabola: it leaves the start with the right slope and arrives at the end. In between it is of order two, enough to
    /// bracket the time of an event.
    pub fn at(&self, h: Real) -> [Real; N] {
        let part = if self.duration == 0.0 { 1.0 } else { h / self.duration };
        core::array::from_fn(|i| self.start[i] + h * ((1.0 - part) * self.first[i] + part * self.mean[i]))
    }
}

/// The classical Runge-Kutta method with steps of its own choice, by step doubling.
///
/// Each step is taken whole and in two halves; a fifteenth of their difference is the error of the halves, whose result is used.
///
/// # Source
/// C-06; thesis section 3.4 uses it to verify scripted motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdaptiveRungeKutta4 {
    /// Largest estimated error of an entry in a step, above zero.
    pub tolerance: Real,
    /// Steps are not cut below this fraction of the whole interval.
    pub shortest: Real,
}

impl AdaptiveRungeKutta4 {
    /// With the given tolerance, above zero; steps are not shorter than a millionth of the interval.
    pub fn new(tolerance: Real) -> Self {
        Self { tolerance, shortest: 1e-6 }
    }

    /// y at the time `to`, from `y` at `from`; `visit` sees the time and y after every step.
    pub fn integrate<const N: usize>(
        &self,
        f: &impl Fn(Real, &[Real; N]) -> [Real; N],
        from: Real,
        to: Real,
        y: &[Real; N],
        mut visit: impl FnMut(Real, &[Real; N]),
    ) -> [Real; N] {
        let (whole, mut y, mut done, mut part) = (to - from, *y, 0.0, 0.01_f64);
        while done < 1.0 && is_finite(&y) {
            part = part.min(1.0 - done).max(self.shortest.min(1.0 - done));
            let (t, h) = (from + whole * done, whole * part);
            let long = RungeKuttaStep::new(f, t, &y, h).end();
            let half = RungeKuttaStep::new(f, t, &y, 0.5 * h).end();
            let short = RungeKuttaStep::new(f, t + 0.5 * h, &half, 0.5 * h).end();
            let error = distance(&long, &short) / 15.0;
            if error <= self.tolerance || part <= self.shortest || !error.is_finite() {
                // the halves with their leading error taken out
                y = core::array::from_fn(|i| short[i] + (short[i] - long[i]) / 15.0);
                done = if part == 1.0 - done { 1.0 } else { done + part };
                visit(from + whole * done, &y);
            }
            let factor = if error > 0.0 { 0.9 * powf(self.tolerance / error, 0.2) } else { 4.0 };
            part *= factor.clamp(0.1, 4.0);
        }
        y
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pendulum: far from linear, without explicit time.
    fn pendulum(_: Real, y: &[Real; 2]) -> [Real; 2] {
        [y[1], -9.81 * y[0].sin()]
    }

    /// C-05.
    #[test]
    fn the_dense_approximation_has_the_slope_of_the_start_and_meets_the_end() {
        let step = RungeKuttaStep::new(&pendulum, 0.0, &[1.0, 0.5], 0.1);
        assert_eq!(step.at(0.0), step.start);
        assert!(distance(&step.at(0.1), &step.end()) < 1e-15);
        let d = 1e-7;
        for (i, k) in step.first.iter().enumerate() {
            let slope = (step.at(d)[i] - step.at(0.0)[i]) / d;
            assert!((slope - k).abs() < 1e-5, "{slope} {k}");
        }
        // in between its error falls with the cube of the step: order two
        let error = |h: Real| {
            let step = RungeKuttaStep::new(&pendulum, 0.0, &[1.0, 0.5], h);
            let exact = AdaptiveRungeKutta4::new(1e-13).integrate(&pendulum, 0.0, 0.5 * h, &[1.0, 0.5], |_, _| {});
            distance(&step.at(0.5 * h), &exact)
        };
        let ratio = error(0.1) / error(0.05);
        assert!((6.5..9.5).contains(&ratio), "{ratio}");
    }

    /// C-04, C-06.
    #[test]
    fn a_step_is_of_order_four_and_the_adaptive_one_keeps_its_tolerance() {
        let exact = AdaptiveRungeKutta4::new(1e-14).integrate(&pendulum, 0.0, 1.0, &[1.0, 0.5], |_, _| {});
        let error = |steps: u32| {
            let h = 1.0 / Real::from(steps);
            let end = (0..steps).fold([1.0, 0.5], |y, _| RungeKuttaStep::new(&pendulum, 0.0, &y, h).end());
            distance(&end, &exact)
        };
        let order = (error(20) / error(40)).log2();
        assert!((order - 4.0).abs() < 0.2, "{order}");
        for tolerance in [1e-6, 1e-9] {
            let mut steps = 0;
            let end =
                AdaptiveRungeKutta4::new(tolerance).integrate(&pendulum, 0.0, 1.0, &[1.0, 0.5], |_, _| steps += 1);
            assert!(distance(&end, &exact) < 20.0 * tolerance, "{tolerance}: {steps} steps");
            assert!(steps < 200);
        }
    }
}
