//! The order of edges in memory.

use drystone_core::{ContactGraph, Measured, StackLayers};

/// Edges are put in order if at least one in this many stands before the edge of the preceding pair.
const SOME: usize = 8;
/// The order is checked only after one edge in this many has been made since the last check.
const SOME_NEW: u64 = 16;
/// Fewer edges than this fit into a processor's nearest cache in any order.
const MANY: usize = 256;

/// Puts the edges into the order of their pairs if they have got out of it. Passes over them then read memory from front to back, which takes a fraction of the time
/// that jumps take. Everything that holds slots is updated; to be called between frames, when nothing else holds any.
///
/// `to` is scratch: the new place of each slot. `seen` is the number of edges that had been made at the last check. Returns whether edges were moved.
pub(super) fn sort_edges(graph: &mut ContactGraph, (to, seen): (&mut Vec<u32>, &mut u64)) -> bool {
    let ContactGraph { order, edges, measured, free, groups, layers, made, knows_moving, .. } = graph;
    // grows with the memory of the edges
    to.clear();
    to.reserve(edges.capacity());
    if order.len() < MANY || made.abs_diff(*seen) * SOME_NEW < order.len() as u64 {
        return false;
    }
    *seen = *made;
    if order.windows(2).filter(|w| w[1].slot < w[0].slot).count() * SOME < order.len() {
        return false;
    }
    *knows_moving = false;
    to.resize(edges.len(), u32::MAX);
    for (place, entry) in (0..).zip(order.iter_mut()) {
        to[entry.slot as usize] = place;
        entry.slot = place;
    }
    free.clear();
    let unused = order.len() as u32..edges.len() as u32;
    for (to, place) in to.iter_mut().filter(|to| **to == u32::MAX).zip(unused.clone()) {
        *to = place;
    }
    free.extend(unused.rev());
    for slot in &mut groups.edges {
        *slot = to[*slot as usize];
    }
    let of_slots = &mut layers.edge_layers;
    if !of_slots.is_empty() {
        of_slots.resize(edges.len(), StackLayers::NONE);
    }
    measured.resize(edges.len(), Measured::default());
    for slot in 0..edges.len() {
        while to[slot] as usize != slot {
            let there = to[slot] as usize;
            edges.swap(slot, there);
            measured.swap(slot, there);
            if !of_slots.is_empty() {
                of_slots.swap(slot, there);
            }
            to.swap(slot, there);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::{BodyIndex, BodyPair, EdgeEntry, PairMaterial};

    #[test]
    fn edges_stand_in_the_order_of_their_pairs_and_slots_go_with_them() {
        const COUNT: u32 = 1000;
        let mut graph = ContactGraph::default();
        let pair = |i: u32| BodyPair::new(BodyIndex(i), BodyIndex(i + 1)).unwrap();
        // 7919 is prime: every number below the count occurs once; every fifth edge is removed again
        let slots: Vec<(u32, u32)> = (0..COUNT).map(|slot| (slot * 7919 % COUNT, slot)).collect();
        // freed only after all are made, or the next one would take its place
        let mut gone = Vec::new();
        for &(i, slot) in &slots {
            assert_eq!(graph.allocate(pair(i), PairMaterial::default()), slot);
            if i % 5 == 0 {
                gone.push(slot);
            } else {
                graph.order.push(EdgeEntry { pair: pair(i), slot });
            }
        }
        graph.free = gone;
        graph.order.sort_unstable();
        graph.groups.edges.extend(graph.order.iter().map(|e| e.slot));
        let (mut to, mut seen, before) = (Vec::new(), 0, graph.clone());
        assert!(sort_edges(&mut graph, (&mut to, &mut seen)));
        assert_eq!(graph.order.len(), before.order.len());
        for (place, (now, then)) in (0..).zip(graph.order.iter().zip(&before.order)) {
            assert_eq!((now.pair, now.slot), (then.pair, place));
            assert_eq!(graph.edges[place as usize].pair, now.pair);
            assert_eq!(graph.groups.edges[place as usize], place);
        }
        graph.free.sort_unstable();
        assert!(graph.free.iter().copied().eq(COUNT * 4 / 5..COUNT));
        // edges in order are left alone
        let kept = graph.order.clone();
        assert!(!sort_edges(&mut graph, (&mut to, &mut 0)));
        assert_eq!(graph.order, kept);
    }
}
