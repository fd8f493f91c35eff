use drystone_core::{ContactGraph, State};

/// All that a world needs to go on from an instant with the same bits: state and contact graph.
///
/// Bodies, joints and forces themselves are not part of it; a snapshot fits the world it was taken of, as long as no
/// body or joint was added or removed.
#[derive(Debug, Clone)]
pub struct Snapshot {
    pub(crate) state: State,
    pub(crate) graph: ContactGraph,
    pub(crate) edits: u64,
}
