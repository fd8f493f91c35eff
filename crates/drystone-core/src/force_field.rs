use crate::{BodyIndex, Configuration, ConstraintRow, State};
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

    /// The bodies that it links by rows of the constraint problem: it then acts through [`Self::rows`] in a world with inertia, and through
    /// [`Self::accumulate`] in one without. `None`, the default, stands for a field that acts by wrenches alone.
    ///
    /// Linked bodies are in one contact group. `None` among the two is the world frame; one of them at least must be a body.
    fn linked_bodies(&self) -> Option<[Option<BodyIndex>; 2]> {
        None
    }

    /// Appends the soft rows that stand for the force, over whatever step they are solved with; as [`crate::ConstraintSource::rows`].
    fn rows(&self, _configuration: &Configuration, _state: &State, _rows: &mut Vec<ConstraintRow>) {}

    /// Its potential energy (J), where it has one.
    fn potential(&self, _configuration: &Configuration, _state: &State) -> f64 {
        0.0
    }
}
