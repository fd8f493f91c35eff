//! Motion solvers: integrators of position and orientation, external forces, scripted motion.
//!
//! A [`drystone_core::MotionSolver`] splits the motion of free bodies into a *kick* (velocities by forces) and a *drift*
//! (poses by velocities). The integrators here differ in two things: where the gyroscopic torque `-w x I w` is
//! treated, and how an orientation follows an angular velocity.
//!
//! | name | gyroscopic torque | orientation | order (torque-free) |
//! |---|---|---|---|
//! | `semi-implicit-euler` | at the end of the drift, by the midpoint rule; or in the kick, explicit | infinitesimal, finite or partial finite | 1 |
//! | `implicit-gyroscopic` | at the end of the drift, implicit | finite | 1 |
//! | `torque-free-rk4` | in the drift | Runge-Kutta on the quaternion | 4 |
//! | `dormand-prince` | in the drift | embedded Runge-Kutta pair | 5 |
//! | `adams-moulton` | in the drift | multistep, begun anew in each drift | 4 |
//! | `lie-midpoint` | in the drift | products of Cayley rotations | 2, 4 or 6, energy and momentum kept to rounding |
//! | `first-order` | none: a world without inertia | finite | - |
//!
//! `torque-free-rk4`, `dormand-prince`, `adams-moulton` and `lie-midpoint` keep a body's angular momentum in the world frame by construction: it is the constant of the drift.

mod four;
mod rate_matrix;
mod rotation;
mod torque_free;

/// Integrators of ordinary differential equations with a user's own right-hand side.
pub mod ode;

/// Integrators: implementations of [`drystone_core::MotionSolver`].
pub mod integrator;

/// External forces: implementations of [`drystone_core::ForceField`].
pub mod force;

pub mod script;

pub use integrator::{
    AdamsMoultonRotation, Composition, DormandPrince, FirstOrder, GyroscopicTorque, ImplicitGyroscopic, LieMidpoint,
    OrientationUpdate, RungeKutta4, SemiImplicitEuler,
};
pub use rate_matrix::{configuration_rate, configuration_rate_matrix, quaternion_rate, quaternion_rate_matrix};
pub use rotation::{rotate_finite, rotate_infinitesimal, rotate_partial_finite};

// whoever calls this crate needs no other of the workspace: the types of its calls are here
pub use drystone_core as core;
pub use drystone_math as math;

use drystone_core::MotionSolver;

drystone_core::implementations! {
    /// The motion solvers of this crate.
    pub const IMPLEMENTATIONS;
    /// The motion solver of a name, with settings made for its description; `None` where there is none of that name.
    pub fn by_name -> dyn MotionSolver;
    SemiImplicitEuler::DESCRIPTION => SemiImplicitEuler::from_settings,
    ImplicitGyroscopic::DESCRIPTION => ImplicitGyroscopic::from_settings,
    RungeKutta4::DESCRIPTION => RungeKutta4::from_settings,
    DormandPrince::DESCRIPTION => DormandPrince::from_settings,
    AdamsMoultonRotation::DESCRIPTION => AdamsMoultonRotation::from_settings,
    LieMidpoint::DESCRIPTION => LieMidpoint::from_settings,
    FirstOrder::DESCRIPTION => FirstOrder::from_settings,
}

/// The README's Rust blocks, compiled as they stand.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct ReadmeDoctests;

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::catalogue::Settings;

    #[test]
    fn every_description_has_a_constructor() {
        for d in IMPLEMENTATIONS {
            let solver = by_name(d.name, &Settings::defaults(d)).unwrap();
            assert_eq!(solver.name(), d.name);
        }
        assert!(by_name("no such", &Settings::defaults(&IMPLEMENTATIONS[0])).is_none());
    }
}
