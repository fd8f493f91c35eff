use crate::buckets::Buckets;
use drystone_core::{BodyIndex, Configuration, ContactGraph, StackLayers};

/// The layer of a contact or joint between bodies of the given heights: the one in which the higher body is free.
///
/// # Source
/// L-13; Erleben 2005, Figure 6.51: the smaller height, and one less between equals.
pub fn edge_layer(height_a: u32, height_b: u32) -> u32 {
    if height_a == StackLayers::NONE || height_b == StackLayers::NONE {
        return StackLayers::NONE;
    }
    height_a.max(height_b).saturating_sub(1)
}

/// The layer of a joint or another link; [`StackLayers::NONE`] if its bodies have no height.
pub fn joint_layer(configuration: &Configuration, layers: &StackLayers, joint: u32) -> u32 {
    let bodies = configuration.link_bodies(joint as usize).unwrap_or_default();
    let [a, b] = bodies.map(|b| b.map_or(0, |b| layers.heights[b.at()]));
    edge_layer(a, b)
}

/// Number of stack layers of a group: the greatest height in it, or one if no path leads to a fixed body (L-28). Bodies without a path do not count beside
/// others that have one; only the analysis' `one_group` puts such bodies together.
pub fn layer_count(graph: &ContactGraph, group: usize) -> usize {
    let bodies = graph.groups.group_bodies(group);
    let heights = bodies.iter().map(|b| graph.layers.heights[b.at()]).filter(|h| *h != StackLayers::NONE);
    heights.max().map_or(bodies.len().min(1), |h| h as usize)
}

/// One layer of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackLayer<'a> {
    /// Bodies that move in this layer, ascending: those of height `i + 1`. All others on the layer's edges and joints are
    /// lower, and fixated.
    pub free: &'a [BodyIndex],
    /// Slots of the layer's edges, by pair.
    pub edges: &'a [u32],
    /// The layer's joints, ascending.
    pub joints: &'a [u32],
}

/// A group's stack layers from the bottom up, in buffers that are kept.
///
/// A body belongs to the layer in which it is free and, fixated, to those above that hold its edges. A group that no
/// path connects to a fixed body is one layer, all of it free; so are bodies without a path in a group with others, in its bottom layer.
///
/// # Source
/// L-14; Erleben 2005, Figure 6.52.
#[derive(Debug, Clone, Default)]
pub struct GroupLayers {
    bodies: Buckets<BodyIndex>,
    edges: Buckets<u32>,
    joints: Buckets<u32>,
    count: usize,
}

impl GroupLayers {
    /// Arranges a group whose heights are known ([`drystone_core::CoherenceAnalysis::stack_layers`]).
    pub fn arrange(&mut self, configuration: &Configuration, graph: &ContactGraph, group: usize) {
        self.count = layer_count(graph, group);
        // bodies without a height move with the bottom layer
        let place = |layer: u32| if layer == StackLayers::NONE { 0 } else { layer };
        let (groups, layers) = (&graph.groups, &graph.layers);
        let bodies = groups.group_bodies(group).iter().map(|b| {
            let height = layers.heights[b.at()];
            (place(if height == StackLayers::NONE { height } else { height - 1 }), *b)
        });
        self.bodies.fill(bodies, self.count, BodyIndex(0));
        let edges = groups.group_edges(group).iter().map(|e| (place(layers.edge_layers[*e as usize]), *e));
        self.edges.fill(edges, self.count, 0);
        let joints = groups.group_joints(group).iter().map(|j| (place(joint_layer(configuration, layers, *j)), *j));
        self.joints.fill(joints, self.count, 0);
    }

    /// Number of layers.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns true if no group was arranged.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// A layer, zero being the bottom; gravity-aware heights may leave layers without bodies.
    pub fn layer(&self, i: usize) -> StackLayer<'_> {
        StackLayer { free: self.bodies.get(i), edges: self.edges.get(i), joints: self.joints.get(i) }
    }

    /// The layers, bottom up.
    pub fn iter(&self) -> impl Iterator<Item = StackLayer<'_>> {
        (0..self.count).map(|i| self.layer(i))
    }
}
