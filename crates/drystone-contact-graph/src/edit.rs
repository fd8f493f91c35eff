use drystone_core::{BodyIndex, BodyPair, ContactGraph, Gone};

/// Takes bodies out of the graph: their edges go, and the bodies after them move up.
///
/// To be called together with [`drystone_core::State::remove`]. Groups and layers are empty until the next detection.
pub fn remove_bodies(graph: &mut ContactGraph, gone: &Gone) {
    graph.paths.remove(gone);
    let mut order = core::mem::take(&mut graph.order);
    order.retain_mut(|entry| {
        let (Some(a), Some(b)) = (gone.without_body(entry.pair.a), gone.without_body(entry.pair.b)) else {
            graph.release(entry.slot);
            return false;
        };
        // taking out places keeps the order of all others
        entry.pair = BodyPair { a, b };
        graph.edges[entry.slot as usize].pair = entry.pair;
        true
    });
    graph.order = order;
    // the list of what may move has the former numbers
    graph.knows_moving = false;
    graph.groups.clear();
    graph.layers.heights.clear();
    graph.layers.edge_layers.clear();
}

/// Makes the next detection test every pair of the body anew: its shape, material or kind was edited.
pub fn forget_body(graph: &mut ContactGraph, body: BodyIndex) {
    for entry in graph.order.iter().filter(|e| e.pair.a == body || e.pair.b == body) {
        let edge = &mut graph.edges[entry.slot as usize];
        edge.is_tested = false;
        edge.cache = Default::default();
    }
}
