//! Linear algebra for rigid bodies: aliases of glam's double-precision types, poses, twists,
//! symmetric 3x3 matrices, and the few tolerances the workspace shares.
//!
//! Conventions (see `docs/src/notation.md`): SI units, right-handed, quaternions `(x, y, z, w)`, angular
//! velocity in the world frame.

mod basis;
mod bounded;
pub mod elementary;
pub mod lanes;
mod placement;
mod pose;
mod registers;
mod sinc;
mod symmetric;
mod tolerance;
mod twist;

pub use basis::tangent_basis;
pub use bounded::bounded;
pub use placement::Placement;
pub use pose::Pose;
pub use registers::Registers;
pub use sinc::sinc;
pub use symmetric::SymmetricMat3;
pub use tolerance::{DISTANCE_NOISE, UNIT_NOISE};
pub use twist::{Twist, Wrench};

/// The scalar of state, geometry and all research solvers.
pub type Real = f64;
/// A vector of three reals.
pub type Vec3 = glam::DVec3;
/// A vector of two reals.
pub type Vec2 = glam::DVec2;
/// A rotation as a unit quaternion `(x, y, z, w)`.
pub type Quat = glam::DQuat;
/// A 3x3 matrix, column by column.
pub type Mat3 = glam::DMat3;

/// The cross matrix `v^x`, so that `skew(v) * w == v.cross(w)`.
pub fn skew(v: Vec3) -> Mat3 {
    Mat3::from_cols(Vec3::new(0.0, v.z, -v.y), Vec3::new(-v.z, 0.0, v.x), Vec3::new(v.y, -v.x, 0.0))
}

/// The README's Rust blocks, compiled as they stand.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct ReadmeDoctests;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skew_is_the_cross_product() {
        let (a, b) = (Vec3::new(1.0, -2.0, 3.0), Vec3::new(0.5, 4.0, -1.0));
        assert_eq!(skew(a) * b, a.cross(b));
    }
}
