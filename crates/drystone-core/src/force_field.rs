use crate::{BodyIndex, Configuration, State};
use drystone_math::Wrench;

/// An external force (C-18): known at any instant from the state alone.
pub trait ForceField: Send + Sync {
    /// Adds the wrenches it exerts (world frame, about the centres of mass), in column order.
    fn accumulate(&self, configuration: &Configuration, state: &State, wrenches: &mut [Wrench]);

    /// Told that a body is being taken out of the columns: names of the bodies after it move up ([`BodyIndex::without`]). Gives
    /// whether the field still acts; one that does not, since the body was the one it acted on, is dropped.
    ///
    /// A field that names bodies by their columns must follow them here; the default is right for those that name none.
    fn remove_body(&mut self, _removed: BodyIndex) -> bool {
        true
    }

    /// Its potential energy (J), where it has one.
    fn potential(&self, _configuration: &Configuration, _state: &State) -> f64 {
        0.0
    }
}
