//! Random quantities, the same on every machine.

use drystone::lcp::SplitMix64;
use drystone::math::elementary::{cos, exp, ln, powf, sin};
use drystone::math::{Quat, Real, Vec3};

/// A source of random quantities with a seed.
#[derive(Debug, Clone)]
pub(super) struct Draw(SplitMix64);

impl Draw {
    /// Starts from a seed.
    pub(super) fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// A number in `[low, high)`.
    pub(super) fn uniform(&mut self, low: Real, high: Real) -> Real {
        self.0.range(low, high)
    }

    /// A positive number in `[low, high)` whose logarithm is uniform.
    pub(super) fn log_uniform(&mut self, low: Real, high: Real) -> Real {
        exp(self.0.range(ln(low), ln(high)))
    }

    /// A whole number from `low` to `high`, both included.
    pub(super) fn whole(&mut self, low: usize, high: usize) -> usize {
        low + self.0.below(high.saturating_sub(low) + 1)
    }

    /// True with the given probability.
    pub(super) fn chance(&mut self, probability: Real) -> bool {
        self.0.unit() < probability
    }

    /// One of several values.
    pub(super) fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.0.below(values.len())]
    }

    /// A density (kg/m^3) from `10^low` to `10^high`.
    pub(super) fn density(&mut self, low: Real, high: Real) -> Real {
        powf(10.0, self.uniform(low, high))
    }

    /// A point of the cube from -1 to 1.
    pub(super) fn cube(&mut self) -> Vec3 {
        let [x, y, z] = [(); 3].map(|()| self.uniform(-1.0, 1.0));
        Vec3::new(x, y, z)
    }

    /// A direction, uniform over the sphere.
    pub(super) fn direction(&mut self) -> Vec3 {
        let (y, angle) = (self.uniform(-1.0, 1.0), self.uniform(0.0, core::f64::consts::TAU));
        let radius = (1.0 - y * y).max(0.0).sqrt();
        Vec3::new(radius * cos(angle), y, radius * sin(angle)).normalize()
    }

    /// A rotation, uniform over all rotations.
    ///
    /// # Source
    /// Shoemake: Uniform random rotations, Graphics Gems III, 1992.
    pub(super) fn rotation(&mut self) -> Quat {
        let [u, a, b] = [(); 3].map(|()| self.uniform(0.0, 1.0));
        let (a, b) = (core::f64::consts::TAU * a, core::f64::consts::TAU * b);
        let (p, q) = ((1.0 - u).sqrt(), u.sqrt());
        Quat::from_xyzw(p * sin(a), p * cos(a), q * sin(b), q * cos(b)).normalize()
    }
}
