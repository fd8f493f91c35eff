use drystone_math::elementary::{rotation_about, sin_cos};
use drystone_math::{Quat, Real, Vec3};

/// A small seeded generator of pseudorandom numbers (SplitMix64), so that a failing case can be identified by its seed.
///
/// # Source
/// Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator that always produces the same numbers for the same seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A whole number below `n`, or zero if `n` is zero.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.bits() % n as u64) as usize }
    }

    /// A number in `[0, 1)`.
    pub fn unit(&mut self) -> Real {
        (self.bits() >> 11) as Real / (1_u64 << 53) as Real
    }

    /// A number in `[lo, hi)`.
    pub fn range(&mut self, lo: Real, hi: Real) -> Real {
        lo + (hi - lo) * self.unit()
    }

    /// A vector in the cube `[-r, r)^3`.
    pub fn vector(&mut self, r: Real) -> Vec3 {
        Vec3::new(self.range(-r, r), self.range(-r, r), self.range(-r, r))
    }

    /// A unit vector, uniform on the sphere.
    pub fn direction(&mut self) -> Vec3 {
        let z = self.range(-1.0, 1.0);
        let (s, c) = sin_cos(self.range(0.0, core::f64::consts::TAU));
        let r = (1.0 - z * z).sqrt();
        Vec3::new(r * c, r * s, z)
    }

    /// A rotation about a random axis by a random angle.
    pub fn rotation(&mut self) -> Quat {
        rotation_about(self.direction(), self.range(0.0, core::f64::consts::TAU))
    }
}
