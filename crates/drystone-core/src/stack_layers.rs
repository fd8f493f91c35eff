/// Stack heights of bodies and stack layers of edges (thesis 6.4.2).
///
/// The height of a body is the number of edges on the shortest path to a fixed or scripted body (0 for these), unless the coherence analysis finds heights by
/// who carries whom; a body in a group without such a body has none. Layer `i` holds the bodies of heights `i` and `i + 1` and the
/// edges between them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct StackLayers {
    /// Height of each body; [`Self::NONE`] if it has none.
    pub heights: Vec<u32>,
    /// Layer of each edge slot; [`Self::NONE`] if it has none.
    pub edge_layers: Vec<u32>,
}

impl Clone for StackLayers {
    fn clone(&self) -> Self {
        Self { heights: self.heights.clone(), edge_layers: self.edge_layers.clone() }
    }

    /// Copies into the existing lists: no allocation if they are long enough.
    fn clone_from(&mut self, source: &Self) {
        self.heights.clone_from(&source.heights);
        self.edge_layers.clone_from(&source.edge_layers);
    }
}

impl StackLayers {
    /// The height of a body that no path of contacts connects to a fixed one (L-28).
    pub const NONE: u32 = u32::MAX;
}
