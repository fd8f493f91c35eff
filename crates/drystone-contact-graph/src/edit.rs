use drystone_core::{BodyIndex, BodyPair, ContactGraph, EdgeAction};

/// Takes a body out of the graph: its edges go, and the bodies after it move up by one.
///
/// To be called together with [`drystone_core::State::remove`]. Groups and layers are empty until the next detection.
pub fn remove_body(graph: &mut ContactGraph, body: BodyIndex) {
    graph.paths.remove(body);
    let down = |b: BodyIndex| if b > body { BodyIndex(b.0 - 1) } else { b };
    let (edges, free) = (&mut graph.edges, &mut graph.free);
    graph.order.retain_mut(|entry| {
        if entry.pair.a == body || entry.pair.b == body {
            // code that goes through all slots must not look up the body that is gone
            let edge = &mut edges[entry.slot as usize];
            (edge.overlapping, edge.touching, edge.action) = (false, false, EdgeAction::Skip);
            free.push(entry.slot);
            return false;
        }
        // taking out one index keeps the order of all others
        entry.pair = BodyPair { a: down(entry.pair.a), b: down(entry.pair.b) };
        edges[entry.slot as usize].pair = entry.pair;
        true
    });
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
