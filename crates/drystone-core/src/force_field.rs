use crate::{Configuration, State};
use drystone_math::Wrench;

/// An external force (C-18): known at any instant from the state alone.
pub trait ForceField: Send + Sync {
    /// Adds the wrenches it exerts (world frame, about the centres of mass), in column order.
    fn accumulate(&self, configuration: &Configuration, state: &State, wrenches: &mut [Wrench]);

    /// Its potential energy (J), where it has one.
    fn potential(&self, _configuration: &Configuration, _state: &State) -> f64 {
        0.0
    }
}
