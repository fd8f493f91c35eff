use drystone_core::{Configuration, ContactGraph, State};

/// What a run leaves behind.
#[derive(Clone, Copy)]
pub struct RunEnd<'a> {
    /// What does not change.
    pub configuration: &'a Configuration,
    /// The final state.
    pub state: &'a State,
    /// The contact graph with the last multipliers.
    pub graph: &'a ContactGraph,
    /// Names of the bodies.
    pub names: &'a [String],
    /// Names of the joints.
    pub joint_names: &'a [String],
}
