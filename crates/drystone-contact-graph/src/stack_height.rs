use crate::edge_layer;
use crate::links::Links;
use crate::support_height::SupportHeights;
use drystone_core::{ContactGraph, FrameView, StackLayers, choice};

choice! {
    /// Definition of stack height.
    #[derive(Default)]
    pub enum StackHeight {
        /// Edges on the shortest path to a fixed body: the thesis' definition, which has no notion of up and down.
        #[default]
        Shortest = "bfs",
        /// One more than the highest body that carries it, by the contact normals against gravity.
        Gravity = "gravity",
    }
}

/// Computes stack heights and edge layers by a breadth-first traversal from the fixed bodies.
///
/// # Source
/// L-12, L-13, L-14, L-15, O-64; Erleben 2005, Figures 6.50 and 6.51, equation (6.77). Differs in: all groups are done at once, because fixed bodies insulate
/// them from each other; scripted bodies count as fixed; joints to these are paths too, and bodies that joints tie to each other have one height, as if they
/// were one.
#[derive(Debug, Clone, Default)]
pub(crate) struct LayerFinder {
    kind: StackHeight,
    links: Links,
    queue: Vec<u32>,
    heights: Vec<u32>,
    support: SupportHeights,
}

impl LayerFinder {
    pub(crate) fn new(kind: StackHeight) -> Self {
        Self { kind, ..Self::default() }
    }

    pub(crate) fn run(&mut self, frame: FrameView<'_>, graph: &mut ContactGraph) {
        self.links.collect(frame.configuration, graph);
        self.shortest(frame);
        if self.kind == StackHeight::Gravity {
            self.support.raise(frame, graph, &self.links, &mut self.heights);
        }
        let StackLayers { heights, edge_layers } = &mut graph.layers;
        // the last height is the world's
        heights.clear();
        heights.extend((0..frame.configuration.bodies.len() as u32).map(|b| self.heights[self.links.node(b) as usize]));
        edge_layers.clear();
        edge_layers.resize(graph.edges.len(), StackLayers::NONE);
        for &slot in &graph.groups.edges {
            let pair = graph.edges[slot as usize].pair;
            edge_layers[slot as usize] = edge_layer(heights[pair.a.at()], heights[pair.b.at()]);
        }
    }

    fn shortest(&mut self, frame: FrameView<'_>) {
        let n = frame.configuration.bodies.len();
        self.heights.clear();
        self.queue.clear();
        for (i, body) in frame.configuration.bodies.iter().enumerate() {
            self.heights.push(if body.is_dynamic() { StackLayers::NONE } else { 0 });
            if !body.is_dynamic() {
                self.queue.push(i as u32);
            }
        }
        self.heights.push(0);
        self.queue.push(n as u32);
        let mut head = 0;
        while let Some(&a) = self.queue.get(head) {
            head += 1;
            for link in self.links.of(a) {
                let b = link.to as usize;
                if self.heights[b] == StackLayers::NONE {
                    self.heights[b] = self.heights[a as usize] + 1;
                    self.queue.push(link.to);
                }
            }
        }
    }
}
