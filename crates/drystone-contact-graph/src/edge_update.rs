use crate::is_obsolete;
use drystone_core::{BodyPair, ContactGraph, Edge, EdgeEntry, EventCounts, FrameView};
use drystone_math::Real;

/// Brings the list of edges up to date with the pairs of the broad phase, by merging two sorted lists.
///
/// # Source
/// H-04, H-05, H-06; Erleben 2005, Figure 5.3.
#[derive(Debug, Clone, Default)]
pub(crate) struct EdgeUpdate {
    order: Vec<EdgeEntry>,
}

impl EdgeUpdate {
    pub(crate) fn run(&mut self, frame: FrameView<'_>, pairs: &[BodyPair], factor: Real, graph: &mut ContactGraph) {
        graph.events = EventCounts::default();
        // logical rules: an ignored pair is not there (H-06)
        let mut pairs = pairs.iter().copied().filter(|p| !frame.configuration.ignores(*p)).peekable();
        // as long as pairs are those of before the list stays as it is
        let mut same = 0;
        while let Some(entry) = graph.order.get(same)
            && pairs.next_if_eq(&entry.pair).is_some()
        {
            persist(&mut graph.edges[entry.slot as usize], &mut graph.events);
            same += 1;
        }
        self.order.clear();
        // the first change after a long rest finds room
        self.order.reserve(graph.order.capacity());
        self.order.extend_from_slice(&graph.order[same..]);
        graph.order.truncate(same);
        for old in &self.order {
            while let Some(new) = pairs.next_if(|p| *p < old.pair) {
                create(frame, new, graph);
            }
            if pairs.next_if_eq(&old.pair).is_some() {
                persist(&mut graph.edges[old.slot as usize], &mut graph.events);
                graph.order.push(*old);
            } else {
                vanish(frame, *old, factor, graph);
            }
        }
        for new in pairs {
            create(frame, new, graph);
        }
    }
}

fn create(frame: FrameView<'_>, pair: BodyPair, graph: &mut ContactGraph) {
    let c = frame.configuration;
    let material = c.materials.pair(c.body(pair.a).material, c.body(pair.b).material);
    let slot = graph.allocate(pair, material);
    graph.order.push(EdgeEntry { pair, slot });
    graph.events.new_proximity += 1;
}

#[inline]
fn persist(edge: &mut Edge, events: &mut EventCounts) {
    events.new_proximity += u64::from(!edge.overlapping);
    edge.overlapping = true;
    edge.was_touching = edge.touching;
}

/// The boxes do not overlap, or the bodies are known to be apart all the same; the edge goes when they are far apart and it was marked as vanished before.
fn vanish(frame: FrameView<'_>, entry: EdgeEntry, factor: Real, graph: &mut ContactGraph) {
    let edge = &mut graph.edges[entry.slot as usize];
    edge.was_touching = edge.touching;
    if edge.overlapping {
        graph.events.vanishing_proximity += 1;
        graph.events.vanishing_touching += u64::from(edge.touching);
        edge.overlapping = false;
        edge.touching = false;
        edge.tested_at = None;
        edge.seeds.clear();
        edge.manifold.points.clear();
        graph.order.push(entry);
        return;
    }
    let gone = match (frame.boxes.get(entry.pair.a.at()), frame.boxes.get(entry.pair.b.at())) {
        (Some(a), Some(b)) => a.overlaps(b) || is_obsolete(a, b, factor),
        _ => true,
    };
    if gone {
        graph.free.push(entry.slot);
    } else {
        graph.order.push(entry);
    }
}
