use crate::edge_update::FEW;
use crate::sorted_list::exchange;
use drystone_core::{ContactGraph, EdgeEntry, FrameView, Moving, make_room, piece_length, run_each};

/// The edges with contacts, in the order of the graph.
#[derive(Debug, Clone, Default)]
pub(crate) struct TouchingEdges {
    entries: Vec<EdgeEntry>,
    /// By slot: whether an edge has contacts; used if several threads look.
    has_contacts: Vec<bool>,
    /// The entries with a moving body, while these are known; and what they were before.
    moving: Vec<EdgeEntry>,
    moved: Vec<EdgeEntry>,
    knows_moving: bool,
}

impl TouchingEdges {
    /// The list.
    pub(crate) fn entries(&self) -> &[EdgeEntry] {
        &self.entries
    }

    /// Those with a moving body, before and after the last call of [`Self::list_moving`].
    pub(crate) fn moving(&self) -> [&[EdgeEntry]; 2] {
        [&self.moved, &self.moving]
    }

    /// Lists the edges with contacts. Returns whether they are those of the call before.
    pub(crate) fn list(&mut self, frame: FrameView<'_>, graph: &ContactGraph) -> bool {
        let edges = &graph.edges;
        self.knows_moving = false;
        // its memory grows with that of the edges
        self.has_contacts.clear();
        self.has_contacts.reserve(edges.capacity());
        let length = piece_length(frame.executor, edges.len(), FEW);
        let shared = length < edges.len();
        if shared {
            self.has_contacts.resize(edges.len(), false);
            let pieces = edges.chunks(length).zip(self.has_contacts.chunks_mut(length));
            run_each(frame.executor, pieces, |(edges, has)| {
                for (edge, has) in edges.iter().zip(has) {
                    *has = !edge.manifold.points.is_empty();
                }
            });
        }
        let has_contacts = |slot: u32| {
            if shared { self.has_contacts[slot as usize] } else { !edges[slot as usize].manifold.points.is_empty() }
        };
        self.entries.reserve(graph.order.len().saturating_sub(self.entries.len()));
        let (mut place, mut known) = (0, true);
        for entry in graph.order.iter().filter(|e| has_contacts(e.slot)) {
            match self.entries.get_mut(place) {
                Some(before) if before == entry => {}
                Some(before) => (*before, known) = (*entry, false),
                None => {
                    self.entries.push(*entry);
                    known = false;
                }
            }
            place += 1;
        }
        known &= place == self.entries.len();
        self.entries.truncate(place);
        known
    }

    /// Lists anew the edges with contacts of which a body moves. Returns whether they are those of the call before.
    pub(crate) fn list_moving(&mut self, moving: Moving<'_>, graph: &ContactGraph) -> bool {
        if !self.knows_moving {
            self.knows_moving = true;
            self.moving.clear();
            self.moving.extend(self.entries.iter().filter(|entry| moving.has(entry.pair)));
        }
        core::mem::swap(&mut self.moving, &mut self.moved);
        let has_contacts = |entry: &&EdgeEntry| !graph.edges[entry.slot as usize].manifold.points.is_empty();
        // its memory grows with that of the edges
        make_room(&mut self.moving, graph.moving.capacity());
        self.moving.extend(graph.moving.iter().filter(has_contacts));
        exchange(&mut self.entries, &self.moved, &self.moving);
        self.moved == self.moving
    }
}
