//! A seeded source of random choices and numbers, both ordinary and hostile.

use drystone::prelude::*;

/// Splitmix64.
pub(crate) struct Random(pub(crate) u64);

/// Numbers that are likely to break arithmetic.
const HOSTILE: [f64; 16] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    -1e308,
    1e200,
    -1e155,
    1e20,
    1e9,
    -1e6,
    -1.0,
    0.0,
    -0.0,
    f64::MIN_POSITIVE,
    5e-324,
    1e-30,
];

impl Random {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        all.get(self.below(all.len())).copied()
    }

    /// From 0 to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        self.below(1 << 30) as f64 / f64::from(1 << 30)
    }

    /// Mostly from -2 to 2, occasionally hostile.
    pub(crate) fn number(&mut self) -> f64 {
        if self.one_in(25) { HOSTILE[self.below(HOSTILE.len())] } else { 4.0 * self.unit() - 2.0 }
    }

    /// Mostly from 0 to 2, occasionally hostile.
    pub(crate) fn size(&mut self) -> f64 {
        if self.one_in(25) { HOSTILE[self.below(HOSTILE.len())] } else { 2.0 * self.unit() }
    }

    pub(crate) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }

    pub(crate) fn quaternion(&mut self) -> Quat {
        Quat::from_xyzw(self.number(), self.number(), self.number(), self.number())
    }

    pub(crate) fn twist(&mut self) -> Twist {
        Twist::new(self.vector(), self.vector())
    }
}
