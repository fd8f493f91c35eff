use crate::is_obsolete;
use crate::sorted_list::exchange;
use drystone_core::{BodyPair, ContactGraph, Edge, EdgeEntry, EventCounts, FrameView, Moving};
use drystone_math::Real;

/// This many edges are not worth a second thread.
pub(crate) const FEW: usize = 6144;

/// Status of the edge in a slot while edges and pairs are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// There is none, or it is not looked at.
    Free,
    /// Its pair is among those of the broad phase; the edge has yet to be updated.
    Persists,
    /// It is new, or its pair is no longer among those.
    Known,
}

/// Brings the list of edges up to date with the pairs of the broad phase, by merging two sorted lists. Existing edges are not read here: that is done where
/// they are read anyway.
///
/// # Source
/// H-04, H-05, H-06; Erleben 2005, Figure 5.3.
#[derive(Debug, Clone, Default)]
pub(crate) struct EdgeUpdate {
    /// The list that is being made, or only its end that differs from the old one.
    merged: Vec<EdgeEntry>,
    /// By slot.
    pub(crate) fates: Vec<Fate>,
}

impl EdgeUpdate {
    pub(crate) fn run(&mut self, frame: FrameView<'_>, pairs: &[BodyPair], factor: Real, graph: &mut ContactGraph) {
        self.begin(graph);
        graph.knows_moving = false;
        // logical rules: an ignored pair is not there (H-06)
        let mut pairs = pairs.iter().copied().filter(|p| !frame.configuration.ignores(*p));
        // as long as pairs are the same as before, the list stays as it is
        let (mut same, mut first) = (0, pairs.next());
        while let Some(entry) = graph.order.get(same)
            && first == Some(entry.pair)
        {
            self.fates[entry.slot as usize] = Fate::Persists;
            same += 1;
            first = pairs.next();
        }
        // the first change after a long rest finds room
        self.merged.clear();
        self.merged.reserve(graph.order.capacity());
        self.merge(frame, (first, pairs), factor, (graph, same));
        graph.order.truncate(same);
        graph.order.extend_from_slice(&self.merged);
    }

    /// The same for the edges with a moving body, from the pairs with one.
    pub(crate) fn run_moving(
        &mut self,
        frame: FrameView<'_>,
        (moving, pairs): (Moving<'_>, &[BodyPair]),
        factor: Real,
        graph: &mut ContactGraph,
    ) {
        self.begin(graph);
        if !graph.knows_moving {
            graph.knows_moving = true;
            graph.moving.clear();
            graph.moving.extend(graph.order.iter().filter(|entry| moving.has(entry.pair)));
        }
        self.merged.clear();
        let mut pairs = pairs.iter().copied().filter(|p| !frame.configuration.ignores(*p));
        self.merge(frame, (pairs.next(), pairs), factor, (graph, 0));
        exchange(&mut graph.order, &graph.moving, &self.merged);
        graph.moving.clone_from(&self.merged);
    }

    /// Nothing is known of any edge yet.
    fn begin(&mut self, graph: &mut ContactGraph) {
        graph.events = EventCounts::default();
        self.fates.clear();
        self.fates.resize(graph.edges.len(), Fate::Free);
    }

    /// Merges the edges that are looked at, from a place on, with sorted pairs (the first and the others) into the list `merged`.
    fn merge(
        &mut self,
        frame: FrameView<'_>,
        (mut next, mut pairs): (Option<BodyPair>, impl Iterator<Item = BodyPair>),
        factor: Real,
        (graph, from): (&mut ContactGraph, usize),
    ) {
        let Self { merged, fates } = self;
        for k in from..graph.moving_edges().len() {
            let old = graph.moving_edges()[k];
            while let Some(new) = next.filter(|new| *new < old.pair) {
                merged.push(create(frame, new, graph, fates));
                next = pairs.next();
            }
            if next == Some(old.pair) {
                next = pairs.next();
                fates[old.slot as usize] = Fate::Persists;
                merged.push(old);
            } else if vanish(frame, old, factor, graph) {
                fates[old.slot as usize] = Fate::Known;
                merged.push(old);
            } else {
                graph.release(old.slot);
                fates[old.slot as usize] = Fate::Free;
            }
        }
        for new in next.into_iter().chain(pairs) {
            merged.push(create(frame, new, graph, fates));
        }
        // its memory grows with that of the edges
        fates.reserve(graph.edges.capacity().saturating_sub(fates.len()));
    }
}

fn create(frame: FrameView<'_>, pair: BodyPair, graph: &mut ContactGraph, fates: &mut Vec<Fate>) -> EdgeEntry {
    let c = frame.configuration;
    let material = c.materials.pair(c.body(pair.a).material, c.body(pair.b).material);
    let slot = graph.allocate(pair, material);
    graph.events.new_proximity += 1;
    if fates.len() < graph.edges.len() {
        fates.resize(graph.edges.len(), Fate::Free);
    }
    fates[slot as usize] = Fate::Known;
    EdgeEntry { pair, slot }
}

/// Notes that the boxes overlap. Returns whether they did not before.
#[inline]
pub(crate) fn persist(edge: &mut Edge) -> bool {
    edge.was_touching = edge.touching;
    !core::mem::replace(&mut edge.overlapping, true)
}

/// Notes that the boxes do not overlap, or that the bodies are known to be apart all the same. The edge goes when they are far apart and it was marked as
/// vanished before. Returns whether it stays.
fn vanish(frame: FrameView<'_>, entry: EdgeEntry, factor: Real, graph: &mut ContactGraph) -> bool {
    let edge = &mut graph.edges[entry.slot as usize];
    edge.was_touching = edge.touching;
    if edge.overlapping {
        graph.events.vanishing_proximity += 1;
        graph.events.vanishing_touching += u64::from(edge.touching);
        edge.overlapping = false;
        edge.touching = false;
        edge.is_tested = false;
        edge.seeds.clear();
        edge.manifold.points.clear();
        return true;
    }
    match (frame.boxes.get(entry.pair.a.at()), frame.boxes.get(entry.pair.b.at())) {
        (Some(a), Some(b)) => !(a.overlaps(b) || is_obsolete(a, b, factor)),
        _ => false,
    }
}
