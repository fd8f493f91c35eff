//! Stopping by the size of a step.
use crate::parameters::parameters;

parameters! {
    /// Tests on the change of x from one iteration to the next, in the infinity norm; they stop an iterative method beside its residual test and its cap.
    ///
    /// Both are off by default, for both can be fooled: a method that crawls makes small steps far from any solution, and the partial sums
    /// of 1 / k make ever smaller ones on their way to infinity. Where a residual is measured and a tolerance for it is set, a solver stopped by its
    /// step alone therefore reports [`LcpStatus::Stagnated`](crate::LcpStatus::Stagnated).
    ///
    /// # Source
    /// Erleben 2005, Definitions 6.1.6 and 6.1.7, (6.35), (6.39)-(6.41), and Example 6.1.5, by which they are fooled; the norm as recommended there (F-19).
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct StepTest {
        /// stops when no variable changes by this much (0: off)
        absolute ["threshold"]: f64 = not_negative(0.0),
        /// stops when no variable changes by this fraction of the largest (0: off)
        relative ["relative_threshold"]: f64 = not_negative(0.0),
    }
}

impl StepTest {
    /// Returns true if a step of this size to an x of this size ends the iteration by either test.
    pub fn is_met(&self, change: f64, size: f64) -> bool {
        change < self.absolute || (size > 0.0 && change < self.relative * size)
    }

    /// The same from two iterates.
    pub fn is_met_between(&self, before: &[f64], after: &[f64]) -> bool {
        self.is_met(largest_change(before, after), largest_magnitude(after))
    }

    /// Returns true if any test is on.
    pub fn is_on(&self) -> bool {
        self.absolute > 0.0 || self.relative > 0.0
    }
}

/// |x|, infinity norm: cheap, and without overflow.
pub(crate) fn largest_magnitude(x: &[f64]) -> f64 {
    x.iter().fold(0.0_f64, |m, v| m.max(v.abs()))
}

/// |y - x|, infinity norm.
pub(crate) fn largest_change(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0_f64, |m, (x, y)| m.max((y - x).abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_harmonic_series_passes_though_it_diverges() {
        // Example 6.1.5; the relative test is fooled as well, and sooner.
        let (absolute, relative) =
            (StepTest { absolute: 1e-4, relative: 0.0 }, StepTest { absolute: 0.0, relative: 1e-4 });
        let (mut x, mut first, mut second) = (0.0, None, None);
        for k in 1..20_000 {
            let next = x + 1.0 / f64::from(k);
            if absolute.is_met_between(&[x], &[next]) {
                first = first.or(Some((k, next)));
            }
            if relative.is_met_between(&[x], &[next]) {
                second = second.or(Some((k, next)));
            }
            x = next;
        }
        let ((k, at), (earlier, _)) = (first.unwrap(), second.unwrap());
        assert!((10_000..=10_001).contains(&k) && earlier < k && x > at + 0.5, "{k} {earlier} {at} {x}");
    }

    #[test]
    fn the_relative_test_needs_an_x_that_is_not_zero() {
        let test = StepTest { absolute: 0.0, relative: 0.5 };
        assert!(!test.is_met_between(&[1.0, 0.0], &[0.0, 0.0]));
        assert!(!test.is_met_between(&[0.0], &[0.0]));
        assert!(test.is_met_between(&[1.0, 1.0], &[1.1, 1.2]));
        assert!(!StepTest::default().is_on() && !StepTest::default().is_met(0.0, 1.0));
    }
}
