//! Integrators of `y' = f(t, y)` for motion that is known as a formula: verification of scripts (M-12), torque-free rotation.

mod adams_moulton;
mod runge_kutta;

pub use adams_moulton::{AdamsMoulton, MultistepRun};
pub use runge_kutta::{AdaptiveRungeKutta4, RungeKuttaStep};

use drystone_math::Real;

/// `y + s k`, entry by entry.
fn plus<const N: usize>(y: &[Real; N], s: Real, k: &[Real; N]) -> [Real; N] {
    core::array::from_fn(|i| y[i] + s * k[i])
}

/// The largest difference of two entries.
fn distance<const N: usize>(a: &[Real; N], b: &[Real; N]) -> Real {
    a.iter().zip(b).fold(0.0, |m: Real, (a, b)| m.max((a - b).abs()))
}

/// Returns true if all entries are finite.
fn is_finite<const N: usize>(y: &[Real; N]) -> bool {
    y.iter().all(|y| y.is_finite())
}
