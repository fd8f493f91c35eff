//! Lists of contacts: points that are kept beside what a detection finds, and the deepest contact.

use drystone_core::{BodyPair, ContactGraph, ContactPoint, Edge, EdgeAction, Penetration, PointMemory};
use drystone_math::{Pose, Real};

/// A contact point of the edge in a slot, with what is remembered of it.
pub(super) type Aside = (u32, ContactPoint, PointMemory);

/// Copies the points of edges whose contacts are about to be determined anew.
pub(super) fn set_aside(graph: &ContactGraph, slots: impl Iterator<Item = u32>, aside: &mut Vec<Aside>) {
    for slot in slots {
        let edge = &graph.edges[slot as usize];
        if edge.action == EdgeAction::Test && edge.overlapping {
            aside.extend(edge.manifold.points.iter().map(|p| (slot, *p, edge.manifold.memory(p.key))));
        }
    }
}

/// Adds the points that were set aside to those that were found, unless they are among them.
pub(super) fn put_beside(graph: &mut ContactGraph, frames: &[Pose], aside: &mut Vec<Aside>) {
    for (slot, old, memory) in aside.drain(..) {
        let edge = &mut graph.edges[slot as usize];
        if edge.manifold.points.iter().all(|p| p.key != old.key) {
            // one that is far behind a surface there is beside it, or the pair would be as deep
            let deepest = edge.manifold.least_separation().min(0.0);
            let separation = old.world(&frames[edge.pair.a.at()], &frames[edge.pair.b.at()]).2.max(deepest);
            edge.manifold.points.push(ContactPoint { separation, ..old });
            if memory != PointMemory::none(old.key) {
                *edge.manifold.memory_mut(old.key) = memory;
            }
        }
    }
}

/// The deepest overlap by a measure of separation (m), the first by pair among equals.
pub(super) fn deepest(graph: &ContactGraph, separation: impl Fn(&Edge) -> Real) -> Option<Penetration> {
    let near = graph.iter().filter(|e| e.overlapping);
    near.fold(None, |deepest, edge| deeper(deepest, edge.pair, -separation(edge)))
}

/// The deeper of two overlaps, the first if they are equal.
pub(super) fn deeper(deepest: Option<Penetration>, pair: BodyPair, depth: Real) -> Option<Penetration> {
    if depth > deepest.map_or(0.0, |d| d.depth) { Some(Penetration { pair, depth }) } else { deepest }
}
