use crate::{BodyPair, Configuration, ContactGraph, Executor, Moving, State};
use drystone_geometry::Aabb;
use drystone_math::Pose;

/// View of the world that a coherence analysis is given.
#[derive(Clone, Copy)]
pub struct FrameView<'a> {
    /// Data that stay constant during a step.
    pub configuration: &'a Configuration,
    /// The state that detection looks at.
    pub state: &'a State,
    /// Body frames in the world, in column order.
    pub frames: &'a [Pose],
    /// World boxes, in column order.
    pub boxes: &'a [Aabb],
    /// The bodies that move, if they are known and the analysis [`leaves_rest`](CoherenceAnalysis::leaves_rest): two detections in a row found all others at
    /// rest, where they are, and this one is like them.
    pub moving: Option<Moving<'a>>,
    /// Threads for work that is independent pair by pair.
    pub executor: &'a dyn Executor,
}

/// Spatial-temporal coherence analysis: three hooks between the stages of collision detection (A-11, H-14, H-39).
pub trait CoherenceAnalysis: Send {
    /// The name in scene files.
    fn name(&self) -> &'static str;

    /// True if its treatment of a pair or a group depends on which bodies are sleepy. A group at rest may then change
    /// by itself, and is analysed in each step.
    fn watches_sleep(&self) -> bool {
        true
    }

    /// True if [`Self::after_contact_determination`] leaves contacts and marks of edges as they are: the state of an
    /// edge can then be read earlier, while the edge is at hand.
    fn keeps_contacts(&self) -> bool {
        false
    }

    /// True if it can use the set of moving bodies ([`FrameView::moving`]). It is then given only the pairs that
    /// contain one of them, leaves edges between two other bodies as they are, and lists the edges that it looks at in
    /// [`ContactGraph::moving`]. A group in which no body moves, and which touches nothing that does, stays what it is.
    /// Asked only of an analysis that [`keeps_contacts`](Self::keeps_contacts).
    fn leaves_rest(&self) -> bool {
        false
    }

    /// Brings the edges up to date with the sorted pairs of the broad phase and gives each its [`crate::EdgeAction`].
    fn after_broad_phase(&mut self, frame: FrameView<'_>, pairs: &[BodyPair], graph: &mut ContactGraph);

    /// Notes which pairs touch, from the results of the narrow phase.
    fn after_narrow_phase(&mut self, frame: FrameView<'_>, graph: &mut ContactGraph);

    /// Forms the contact groups and says which are awake.
    fn after_contact_determination(&mut self, frame: FrameView<'_>, graph: &mut ContactGraph);

    /// Computes stack heights and layers of the groups, for paradigms that ask for them.
    fn stack_layers(&mut self, frame: FrameView<'_>, graph: &mut ContactGraph);
}
