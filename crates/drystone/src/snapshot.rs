use drystone_core::{ContactGraph, State};
use drystone_math::Real;

/// All that a world needs to go on from an instant with the same bits: state and contact graph.
///
/// Bodies, joints and forces themselves are not part of it; a snapshot fits the world it was taken of, as long as no
/// body or joint was added or removed.
#[derive(Debug, Clone)]
pub struct Snapshot {
    pub(crate) state: State,
    pub(crate) graph: ContactGraph,
    /// What joints remember beyond the state of their bodies, in the order of the joints.
    pub(crate) joint_memory: Vec<Real>,
    pub(crate) edits: u64,
}
