use core::ops::{Add, Mul, Sub};
use drystone_math::{Real, Vec2, Vec3};

/// Value that a spline can run through: a number or a vector.
pub trait Point: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Real, Output = Self> {
    /// Returns true if every component is finite.
    fn finite(&self) -> bool;
}

impl Point for Real {
    fn finite(&self) -> bool {
        self.is_finite()
    }
}
impl Point for Vec2 {
    fn finite(&self) -> bool {
        self.is_finite()
    }
}
impl Point for Vec3 {
    fn finite(&self) -> bool {
        self.is_finite()
    }
}
