use drystone_math::{Mat3, Real, Vec3};

/// Range of a ball joint: an implicit function C of its coordinates, above zero inside, zero on the boundary, below
/// zero outside.
///
/// The coordinates q (rad) are all zero at the initial state. The axis of B has swung by an angle of `|(q_0, q_1)|` away from the axis of A, towards the joint's second axis by
/// q_0 and towards the product of both by q_1 (the rotation vector of the swing, turned by a quarter); about its own axis B has turned by q_2, from -pi to pi.
///
/// # Source
/// G-19; thesis (4.199)-(4.204).
pub trait Region: Send + Sync {
    /// C and its derivatives at q. Near zero, C should grow about like an angle, with a gradient of about one: a boundary nearer than 0.02, or reached within 0.1 s,
    /// makes a row.
    fn at(&self, q: Vec3) -> RegionValue;
}

/// The value of an implicit function and its first two derivatives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RegionValue {
    /// C.
    pub value: Real,
    /// dC/dq.
    pub gradient: Vec3,
    /// d^2C/dq^2, symmetric.
    pub hessian: Mat3,
}

/// An elliptic cone: `C = (1 - (q_0 / a)^2 - (q_1 / b)^2) min(a, b) / 2`, whatever the twist.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EllipticCone {
    /// Largest swings a and b (rad), above zero and below pi.
    pub half_angles: [Real; 2],
}

impl Region for EllipticCone {
    fn at(&self, q: Vec3) -> RegionValue {
        let [a, b] = self.half_angles;
        let scale = 0.5 * a.min(b);
        let (x, y) = (q.x / a, q.y / b);
        let bend = Vec3::new(1.0 / (a * a), 1.0 / (b * b), 0.0) * (-2.0 * scale);
        RegionValue { value: scale * (1.0 - x * x - y * y), gradient: bend * q, hessian: Mat3::from_diagonal(bend) }
    }
}
