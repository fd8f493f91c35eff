/// Stack heights of bodies and stack layers of edges (thesis 6.4.2).
///
/// The height of a body is the number of edges on the shortest path to a fixed body (0 for the fixed ones);
/// a body in a group without a fixed one has none. Layer `i` holds the bodies of heights `i` and `i + 1` and the
/// edges between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StackLayers {
    /// Height of each body; [`Self::NONE`] where it has none.
    pub heights: Vec<u32>,
    /// Layer of each edge slot; [`Self::NONE`] where it has none.
    pub edge_layers: Vec<u32>,
}

impl StackLayers {
    /// The height of a body that no path of contacts connects to a fixed one (L-28).
    pub const NONE: u32 = u32::MAX;
}
