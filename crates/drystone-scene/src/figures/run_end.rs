use drystone_core::{Configuration, ContactGraph, State};

/// Final data of a run.
#[derive(Clone, Copy)]
pub struct RunEnd<'a> {
    /// Data that stay constant.
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
