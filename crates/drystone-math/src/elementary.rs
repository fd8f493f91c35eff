//! Elementary functions with the same bits on every machine.
//!
//! `sin`, `cos`, `exp`, … of the standard library come from the platform and may differ in the last bit from one to the next; glam uses
//! them for its rotations. A step uses these functions instead: the crate `libm`, compiled in, built on IEEE 754 operations alone. The
//! operations that IEEE 754 itself rounds (`sqrt`, `mul_add`, `floor`, …) are the same everywhere and need no replacement.
//! `cargo xtask tidy` finds calls of the platform's functions in library crates.

use crate::{Quat, Real, Vec3};

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($($argument:ident),+) = $function:path;)*) => {
        $($(#[$doc])*
        #[inline]
        #[must_use]
        pub fn $name($($argument: Real),+) -> Real {
            $function($($argument),+)
        })*
    };
}

functions! {
    /// Sine of an angle (rad).
    sin(x) = libm::sin;
    /// Cosine of an angle (rad).
    cos(x) = libm::cos;
    /// Tangent of an angle (rad).
    tan(x) = libm::tan;
    /// The angle (rad) of the point (x, y), from -pi to pi.
    atan2(y, x) = libm::atan2;
    /// The angle (rad) whose sine is x, from -pi/2 to pi/2; no number outside of [-1, 1].
    asin(x) = libm::asin;
    /// The angle (rad) whose cosine is x, from 0 to pi; no number outside of [-1, 1].
    acos(x) = libm::acos;
    /// e to the power of x.
    exp(x) = libm::exp;
    /// e to the power of x, less one: exact for small x too.
    expm1(x) = libm::expm1;
    /// Natural logarithm.
    ln(x) = libm::log;
    /// x to the power of y.
    powf(x, y) = libm::pow;
    /// Cube root.
    cbrt(x) = libm::cbrt;
    /// Length of (x, y), without overflow on the way.
    hypot(x, y) = libm::hypot;
}

/// Sine and cosine of an angle (rad).
#[inline]
#[must_use]
pub fn sin_cos(x: Real) -> (Real, Real) {
    libm::sincos(x)
}

/// The rotation by an angle (rad) about an axis of unit length.
#[must_use]
pub fn rotation_about(axis: Vec3, angle: Real) -> Quat {
    let (s, c) = sin_cos(0.5 * angle);
    let v = axis * s;
    Quat::from_xyzw(v.x, v.y, v.z, c)
}

/// The rotation about the direction of a vector by its length (rad); the identity for zero.
#[must_use]
pub fn rotation_by(vector: Vec3) -> Quat {
    let angle = vector.length();
    if angle == 0.0 { Quat::IDENTITY } else { rotation_about(vector / angle, angle) }
}

/// The vector that [`rotation_by`] takes, of length 2 pi at most; zero for a rotation of less than 2e-8 rad.
#[must_use]
pub fn rotation_vector(rotation: Quat) -> Vec3 {
    let v = rotation.xyz();
    let sine = v.length();
    if sine < 1e-8 { Vec3::ZERO } else { v * (2.0 * atan2(sine, rotation.w) / sine) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits that libm gives on x86-64; wasm32 gives the same (`cargo xtask wasm-bits`).
    #[test]
    fn bits_do_not_change() {
        let found = [
            sin(1.1),
            cos(1.1),
            tan(1.1),
            atan2(0.3, -0.7),
            acos(0.2),
            exp(1.7),
            ln(1.7),
            powf(1.7, 0.2),
            cbrt(1.7),
            hypot(0.3, 0.7),
        ];
        let mut hash = 0_u64;
        for value in found {
            hash = hash.rotate_left(7) ^ value.to_bits();
        }
        assert_eq!(hash, 0xf574_a2e8_7de2_ed27, "{hash:#018x}");
    }

    #[test]
    fn they_agree_with_the_platform_to_rounding() {
        for i in 1..400 {
            let x = 0.01 * Real::from(i);
            let pairs = [
                (sin(x), x.sin()),
                (cos(x), x.cos()),
                (tan(x), x.tan()),
                (atan2(x, 1.3), x.atan2(1.3)),
                (acos(x / 4.0), (x / 4.0).acos()),
                (asin(x / 4.0), (x / 4.0).asin()),
                (exp(x), x.exp()),
                (ln(x), x.ln()),
                (powf(x, 0.2), x.powf(0.2)),
                (cbrt(x), x.cbrt()),
                (hypot(x, 0.3), x.hypot(0.3)),
                (sin_cos(x).0, x.sin()),
                (sin_cos(x).1, x.cos()),
            ];
            for (k, (ours, platform)) in pairs.into_iter().enumerate() {
                assert!((ours - platform).abs() <= 4e-16 * platform.abs().max(0.1), "{k} of {x}: {ours} {platform}");
            }
        }
    }

    #[test]
    fn rotations_are_those_of_their_vectors() {
        for v in [Vec3::new(0.1, -0.7, 2.0), Vec3::new(0.0, 1e-3, 0.0), Vec3::X * 3.1] {
            let q = rotation_by(v);
            assert!((q.length() - 1.0).abs() < 1e-15);
            assert!((rotation_vector(q) - v).length() < 1e-14, "{v}");
            // v itself stays; a vector across it turns by the length of v
            assert!((q * v - v).length() < 1e-14);
            let across = v.normalize().any_orthonormal_vector();
            assert!(((q * across).dot(across) - v.length().cos()).abs() < 1e-14);
        }
        // the smallest rotation with a non-zero vector: the sine of its half angle is 1e-8
        let least = rotation_vector(Quat::from_xyzw(1e-8, 0.0, 0.0, 1.0));
        assert!(
            (least.x - 2e-8).abs() < 1e-22 && rotation_vector(Quat::from_xyzw(0.99e-8, 0.0, 0.0, 1.0)) == Vec3::ZERO
        );
        assert_eq!((rotation_by(Vec3::ZERO), rotation_vector(Quat::IDENTITY)), (Quat::IDENTITY, Vec3::ZERO));
    }
}
