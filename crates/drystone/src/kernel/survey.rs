//! The state of edges after a detection, found in one pass over them.

use super::data::FEW_EDGES;
use drystone_core::{ContactGraph, Edge, Executor, Moving, Penetration, piece_length, run_each};
use drystone_math::Real;
use std::sync::{Mutex, PoisonError};

/// Status of each edge: one byte, whereas the edge itself has hundreds.
#[derive(Default)]
pub(crate) struct Survey {
    /// The marks, by slot.
    marks: Vec<Mark>,
    /// True if one of them is [`Mark::Coming`], for an edge that the last detection examined.
    has_coming: bool,
    /// Totals over the edges that are left out.
    rest: Option<Found>,
}

/// Totals over a piece of the edges.
#[derive(Clone, Copy, Default)]
struct Found {
    contacts: u32,
    deepest: Option<Penetration>,
    has_coming: bool,
}

impl Found {
    /// Adds an edge whose boxes overlap and whose contacts are this far apart (m).
    #[inline]
    fn add(&mut self, edge: &Edge, separation: Real, mark: Mark) {
        self.has_coming |= mark == Mark::Coming;
        self.contacts += edge.manifold.points.len() as u32;
        if separation < 0.0 {
            self.deepest = the_deeper(self.deepest, Some(Penetration { pair: edge.pair, depth: -separation }));
        }
    }

    /// The totals of two pieces together.
    fn and(self, other: Self) -> Self {
        Self {
            contacts: self.contacts + other.contacts,
            deepest: the_deeper(self.deepest, other.deepest),
            has_coming: self.has_coming || other.has_coming,
        }
    }
}

/// The state of an edge.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Mark {
    /// The boxes do not overlap, or there is no edge.
    #[default]
    Apart,
    /// The boxes overlap, and there is no contact.
    Near,
    /// There are contacts, but further apart than what counts as touching.
    Coming,
    /// The bodies touch.
    Touching,
}

impl Mark {
    /// The mark of an edge whose boxes overlap and whose contacts are this far apart (m). Touching contacts are at most `within` (m) apart if that is given;
    /// otherwise the narrow phase decides.
    #[inline]
    fn of(edge: &Edge, separation: Real, within: Option<Real>) -> Self {
        let touches = edge.touching && within.is_none_or(|within| separation <= within);
        match (touches, edge.manifold.points.is_empty()) {
            (true, _) => Self::Touching,
            (false, false) => Self::Coming,
            (false, true) => Self::Near,
        }
    }
}

/// A survey in progress, piece by piece and in any order.
pub(super) struct Look {
    /// As in [`Mark::of`].
    within: Option<Real>,
    found: Mutex<Found>,
}

impl Look {
    /// A survey that has not examined anything yet.
    pub(super) fn new(within: Option<Real>) -> Self {
        Self { within, found: Mutex::default() }
    }

    /// Examines some edges and sets their marks.
    pub(super) fn at(&self, edges: &[Edge], marks: &mut [Mark]) {
        let mut here = Found::default();
        for (edge, mark) in edges.iter().zip(marks) {
            *mark = Mark::Apart;
            if edge.overlapping {
                let separation = edge.manifold.least_separation();
                *mark = Mark::of(edge, separation, self.within);
                here.add(edge, separation, *mark);
            }
        }
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        *found = found.and(here);
    }
}

impl Survey {
    /// Makes room for the marks of these edges.
    pub(super) fn begin(&mut self, graph: &ContactGraph) {
        // grows with the memory of the edges
        self.marks.reserve(graph.edges.capacity().saturating_sub(self.marks.len()));
        self.marks.resize(graph.edges.len(), Mark::Apart);
    }

    /// Examines resting pairs with all others again.
    pub(super) fn take_rest_up(&mut self) {
        self.rest = None;
    }

    /// Leaves out resting pairs, with the results of an examination of all edges.
    pub(super) fn leave_rest_out(&mut self, graph: &ContactGraph, moving: Moving<'_>) {
        if self.rest.is_some() {
            return;
        }
        let mut rest = Found::default();
        for entry in graph.order.iter().filter(|entry| !moving.has(entry.pair)) {
            let (edge, mark) = (&graph.edges[entry.slot as usize], self.marks[entry.slot as usize]);
            if mark != Mark::Apart {
                rest.add(edge, edge.manifold.least_separation(), mark);
            }
        }
        self.rest = Some(rest);
    }

    /// The marks, by slot, for a survey to write to.
    pub(super) fn marks(&mut self) -> &mut [Mark] {
        &mut self.marks
    }

    /// Examines all edges.
    pub(super) fn look(&mut self, graph: &ContactGraph, look: &Look, executor: &dyn Executor) {
        let length = piece_length(executor, graph.edges.len(), FEW_EDGES);
        let pieces = graph.edges.chunks(length).zip(self.marks.chunks_mut(length));
        run_each(executor, pieces, |(edges, marks)| look.at(edges, marks));
    }

    /// To be called when all edges that are not left out have been examined. Returns the number of contacts and the deepest overlap, the first by pair among equals.
    pub(super) fn end(&mut self, look: Look) -> (u32, Option<Penetration>) {
        let found = look.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.has_coming = found.has_coming;
        let Found { contacts, deepest, .. } = found.and(self.rest.unwrap_or_default());
        (contacts, deepest)
    }

    /// Returns true if [`ContactGraph::moving_edges`] have contacts that do not touch yet.
    pub(super) fn has_coming(&self, graph: &ContactGraph) -> bool {
        self.has_coming || (!graph.knows_moving && self.rest.is_some_and(|rest| rest.has_coming))
    }

    /// The state of the edge in a slot.
    pub(super) fn mark(&self, slot: u32) -> Mark {
        self.marks[slot as usize]
    }
}

/// The deeper of two overlaps, the first by pair if they are equal.
fn the_deeper(one: Option<Penetration>, other: Option<Penetration>) -> Option<Penetration> {
    match (one, other) {
        (Some(p), Some(q)) if q.depth > p.depth || (q.depth == p.depth && q.pair < p.pair) => Some(q),
        (None, Some(q)) => Some(q),
        _ => one,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::{
        BodyIndex, BodyPair, ContactPoint, EdgeEntry, FeatureKey, NormalOwner, OneThread, PairMaterial,
    };
    use drystone_math::{Pose, Vec3};

    #[test]
    fn the_deepest_is_the_first_by_pair_among_equals_wherever_edges_stand() {
        let mut graph = ContactGraph::default();
        let pair = |i: u32| BodyPair::new(BodyIndex(i), BodyIndex(i + 1)).unwrap();
        let contact = |separation| ContactPoint {
            separation,
            ..ContactPoint::from_world(
                &Pose::IDENTITY,
                &Pose::IDENTITY,
                Vec3::ZERO,
                Vec3::Y,
                0.0,
                FeatureKey(1),
                NormalOwner::A,
            )
        };
        for (i, separation) in [(3, Some(-0.2)), (1, Some(-0.2)), (0, Some(0.1)), (2, Some(-0.1)), (4, None)] {
            let slot = graph.allocate(pair(i), PairMaterial::default());
            graph.order.push(EdgeEntry { pair: pair(i), slot });
            let edge = &mut graph.edges[slot as usize];
            edge.touching = separation.is_some();
            edge.manifold.points.extend(separation.map(contact));
        }
        graph.order.sort_unstable();
        // a free slot holds what was there before
        graph.edges[3].overlapping = false;
        let mut survey = Survey::default();
        let take = |survey: &mut Survey, within| {
            let look = Look::new(within);
            survey.begin(&graph);
            survey.look(&graph, &look, &OneThread);
            survey.end(look)
        };
        let (contacts, deepest) = take(&mut survey, Some(0.01));
        assert_eq!((contacts, deepest), (3, Some(Penetration { pair: pair(1), depth: 0.2 })));
        let marks = [Mark::Touching, Mark::Touching, Mark::Coming, Mark::Apart, Mark::Near];
        assert!((0..5).map(|slot| survey.mark(slot)).eq(marks));
        take(&mut survey, None);
        assert!(survey.mark(2) == Mark::Touching, "where nothing is looked ahead the narrow phase says it");
    }
}
