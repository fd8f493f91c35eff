//! Pieces of the columns of edges, for passes over all edges that may have changed.

use super::wiring::EDGES_PER_CHUNK;
use core::ops::Range;
use drystone_core::ContactGraph;

/// Lists the slots of edges in small ascending pieces: all slots, or those of edges with a moving body if the moving bodies are known; `slots` is scratch.
pub(super) fn list_pieces(graph: &ContactGraph, slots: &mut Vec<u32>, into: &mut Vec<Range<usize>>) {
    into.clear();
    let count = graph.edges.len();
    // grows with the memory of the edges
    into.reserve(graph.edges.capacity().div_ceil(EDGES_PER_CHUNK));
    if !graph.knows_moving {
        into.extend((0..count).step_by(EDGES_PER_CHUNK).map(|first| first..count.min(first + EDGES_PER_CHUNK)));
        return;
    }
    slots.clear();
    slots.extend(graph.moving.iter().map(|entry| entry.slot));
    slots.sort_unstable();
    for slot in slots.iter().map(|slot| *slot as usize) {
        match into.last_mut() {
            Some(last) if last.end == slot && last.len() < EDGES_PER_CHUNK => last.end += 1,
            _ => into.push(slot..slot + 1),
        }
    }
}

/// The pieces of a column.
pub(super) struct Pieces<'a, T> {
    rest: &'a mut [T],
    /// The index at which the rest of the column begins.
    from: usize,
    ranges: core::slice::Iter<'a, Range<usize>>,
}

impl<'a, T> Pieces<'a, T> {
    /// Cuts a column at ascending ranges that do not overlap.
    pub(super) fn of(column: &'a mut [T], ranges: &'a [Range<usize>]) -> Self {
        Self { rest: column, from: 0, ranges: ranges.iter() }
    }
}

impl<'a, T> Iterator for Pieces<'a, T> {
    type Item = &'a mut [T];

    fn next(&mut self) -> Option<Self::Item> {
        let range = self.ranges.next()?;
        let (_, rest) = core::mem::take(&mut self.rest).split_at_mut(range.start - self.from);
        let (piece, rest) = rest.split_at_mut(range.len());
        (self.rest, self.from) = (rest, range.end);
        Some(piece)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.ranges.size_hint()
    }
}

impl<T> DoubleEndedIterator for Pieces<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let range = self.ranges.next_back()?;
        let (rest, last) = core::mem::take(&mut self.rest).split_at_mut(range.start - self.from);
        self.rest = rest;
        Some(&mut last[..range.len()])
    }
}

impl<T> ExactSizeIterator for Pieces<'_, T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::{BodyPair, EdgeEntry, PairMaterial};

    #[test]
    fn pieces_hold_each_slot_once_and_only_what_moves_where_that_is_known() {
        let mut graph = ContactGraph::default();
        for i in 0..200 {
            let pair = BodyPair::ordered(i, i + 1);
            let slot = graph.allocate(pair, PairMaterial::default());
            graph.order.push(EdgeEntry { pair, slot });
        }
        let (mut slots, mut ranges) = (Vec::new(), Vec::new());
        for moving in [None, Some(vec![7, 3, 4, 199, 5, 0]), Some((20..180).collect()), Some(vec![])] {
            graph.knows_moving = moving.is_some();
            let mut expected = moving.unwrap_or_else(|| (0..200).collect());
            graph.moving = expected.iter().map(|slot| graph.order[*slot as usize]).collect();
            expected.sort_unstable();
            list_pieces(&graph, &mut slots, &mut ranges);
            let mut column: Vec<u32> = (0..200).collect();
            let pieces: Vec<_> = Pieces::of(&mut column, &ranges).collect();
            assert!(pieces.iter().all(|piece| (1..=EDGES_PER_CHUNK).contains(&piece.len())));
            assert_eq!(pieces.iter().flat_map(|piece| piece.iter().copied()).collect::<Vec<_>>(), expected);
            // they are the same if taken from both ends in turn
            let count = pieces.len();
            let mut column: Vec<u32> = (0..200).collect();
            let mut rest = Pieces::of(&mut column, &ranges);
            let (mut front, mut back) = (Vec::new(), Vec::new());
            while rest.len() > 0 {
                front.extend(rest.next().map(|piece| piece.to_vec()));
                back.extend(rest.next_back().map(|piece| piece.to_vec()));
            }
            assert_eq!(front.len() + back.len(), count);
            back.reverse();
            assert_eq!([front, back].concat().concat(), expected);
        }
    }
}
