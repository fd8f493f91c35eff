//! Time controls: the modules that decide when every other module runs.
//!
//! Each drives the [`drystone_core::Kernel`] and nothing else, so each is a page of code that reads like the
//! pseudo-code it comes from:
//!
//! * [`FixedStep`]: equal steps with constrained velocities (B-01, B-15), the scheme of the thesis' chapter 6;
//! * [`SemiImplicit`]: contacts found at a predicted position (B-02);
//! * [`ExplicitEuler`]: positions moved before velocities are constrained (B-14), kept as the negative example;
//! * [`FixedPoint`]: the problem of a step posed where it ends, until the end stays (B-09);
//! * [`Leapfrog`]: a symmetric step with forces and constraints at the midpoint, of order two for mechanisms;
//! * [`ShockPropagation`]: the weighted step of thesis Figures 6.56 and 6.60;
//! * [`LoadPropagation`]: loads passed down where a group rests, one solve for all where it moves;
//! * [`RungeKutta`]: weighted sums of rates of motion, by a tableau;
//! * [`EventDriven`]: the same at the level of accelerations, from collision to collision;
//! * [`Retroactive`]: steps that went into something are taken back ([`Backtracking`]);
//! * [`Impulse`]: free flight from impact to impact;
//! * [`Timewarp`]: each contact group on its own clock;
//! * [`Hybrid`]: chooses between two others, group by group;
//! * [`ImpulseSplit`]: collisions, velocities, contacts, positions;
//! * [`Synchronized`]: all collisions of a frame at its end.

/// A time control of equal steps: how many of them, and its own settings.
macro_rules! in_equal_steps {
    ($(#[$meta:meta])* $Name:ident { $($own:tt)* }) => {
        drystone_core::settings! {
            $(#[$meta])*
            #[derive(Debug, Clone, Copy, PartialEq)]
            pub struct $Name {
                /// equal sub-steps per time step
                sub_steps: u32 = integer(1, 1, 1_000_000),
                $($own)*
            }
        }
    };
}

/// One that can look ahead for contacts.
macro_rules! in_predictive_steps {
    ($(#[$meta:meta])* $Name:ident { $($own:tt)* }) => {
        in_equal_steps! {
            $(#[$meta])*
            $Name {
                /// find contacts that can close within the step in advance; if not, fast bodies penetrate first
                predictive: bool = switch(true),
                $($own)*
            }
        }

        impl $Name {
            /// Detection that looks ahead by a step of `h` seconds, if at all.
            fn look_ahead(&self, h: f64) -> drystone_core::DetectMode {
                crate::ahead(if self.predictive { h } else { 0.0 })
            }
        }
    };
}

mod backtracking;
mod event_driven;
mod explicit_euler;
mod fixed_point;
mod fixed_step;
mod hybrid;
mod impact_queue;
mod impulse;
mod impulse_split;
mod leapfrog;
mod load_propagation;
mod retroactive;
mod runge_kutta;
mod semi_implicit;
mod shock_propagation;
mod step_end;
mod synchronized;
mod tableau;
mod timewarp;

pub use backtracking::{Backtracking, Response, Search};
pub use event_driven::EventDriven;
pub use explicit_euler::ExplicitEuler;
pub use fixed_point::FixedPoint;
pub use fixed_step::{Evaluation, FixedStep};
pub use hybrid::Hybrid;
pub use impulse::{Impulse, ImpulseParameters};
pub use impulse_split::ImpulseSplit;
pub use leapfrog::Leapfrog;
pub use load_propagation::LoadPropagation;
pub use retroactive::Retroactive;
pub use runge_kutta::RungeKutta;
pub use semi_implicit::SemiImplicit;
pub use shock_propagation::ShockPropagation;
pub use synchronized::{ArrivalVelocities, Synchronized};
pub use tableau::{TABLEAUS, Tableau};
pub use timewarp::Timewarp;

// whoever calls this crate needs no other of the workspace: the types of its calls are here
pub use drystone_core as core;

use drystone_core::{DetectMode, FailureKind, Module, StepFailure, TimeControl};

drystone_core::implementations! {
    /// Descriptions of this crate's methods for the scene reader and `drystone list`.
    pub const IMPLEMENTATIONS;
    /// A time control by its name; `None` where there is no such name.
    pub fn by_name -> dyn TimeControl;
    fixed_step::DESCRIPTION => FixedStep::from_settings,
    leapfrog::DESCRIPTION => Leapfrog::from_settings,
    semi_implicit::DESCRIPTION => SemiImplicit::from_settings,
    explicit_euler::DESCRIPTION => ExplicitEuler::from_settings,
    fixed_point::DESCRIPTION => FixedPoint::from_settings,
    shock_propagation::DESCRIPTION => ShockPropagation::from_settings,
    load_propagation::DESCRIPTION => LoadPropagation::from_settings,
    runge_kutta::DESCRIPTION => RungeKutta::from_settings,
    event_driven::DESCRIPTION => EventDriven::from_settings,
    retroactive::DESCRIPTION => Retroactive::from_settings,
    impulse::DESCRIPTION => Impulse::from_settings,
    timewarp::DESCRIPTION => Timewarp::from_settings,
    hybrid::DESCRIPTION => Hybrid::from_settings,
    impulse_split::DESCRIPTION => ImpulseSplit::from_settings,
    synchronized::DESCRIPTION => Synchronized::from_settings,
}

/// Detection that looks ahead by `h` seconds.
pub(crate) fn ahead(h: f64) -> DetectMode {
    DetectMode { look_ahead: h, ..DetectMode::default() }
}

/// The failure of a frame that asks for more steps than it may have, or for steps that the clock does not notice.
pub(crate) fn no_progress(time: f64) -> StepFailure {
    let kind = FailureKind::NoProgress("a frame asks for more or shorter steps than `most_steps` allows");
    StepFailure { time, body: None, module: Module::TimeControl, kind }
}

/// Runs `step(t, h)` for equal steps from `t0` to `t0 + dt`; the last one ends exactly there.
pub(crate) fn equal_steps<E>(
    t0: f64,
    dt: f64,
    count: u32,
    mut step: impl FnMut(f64, f64, f64) -> Result<(), E>,
) -> Result<(), E> {
    let h = dt / f64::from(count);
    for k in 0..count {
        let end = if k + 1 == count { t0 + dt } else { t0 + h * f64::from(k + 1) };
        step(t0 + h * f64::from(k), h, end)?;
    }
    Ok(())
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
    fn every_listed_name_is_built() {
        for d in IMPLEMENTATIONS {
            assert_eq!(by_name(d.name, &Settings::defaults(d)).unwrap().name(), d.name);
        }
    }
}
