use drystone_core::{BodyPair, PairRecord};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Pairs by the earliest time at which they can meet.
///
/// # Source
/// B-11; Mirtich and Canny 1995, section 3.
#[derive(Debug, Clone, Default)]
pub(crate) struct ImpactQueue {
    pairs: Vec<BodyPair>,
    /// Which of the bodies move by impulses.
    moves: Vec<[bool; 2]>,
    /// The time of each pair (s); a heap entry with another time is out of date.
    due: Vec<f64>,
    heap: BinaryHeap<Reverse<Entry>>,
    /// Places of the pairs of each body that moves: where they start, and the places themselves.
    starts: Vec<u32>,
    places: Vec<u32>,
}

/// A time and the place of its pair.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Entry {
    time: f64,
    place: u32,
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.time.total_cmp(&other.time).then(self.place.cmp(&other.place))
    }
}

impl ImpactQueue {
    /// Takes the records of a detection at the time `now`.
    pub(crate) fn restart(&mut self, records: &[PairRecord], now: f64) {
        self.pairs.clear();
        self.moves.clear();
        self.due.clear();
        self.heap.clear();
        for record in records {
            let time = now + record.not_before();
            self.heap.push(Reverse(Entry { time, place: self.pairs.len() as u32 }));
            self.pairs.push(record.pair);
            self.moves.push(record.moves);
            self.due.push(time);
        }
        self.list_by_body();
    }

    fn list_by_body(&mut self) {
        let last = self.pairs.iter().map(|p| p.a.at().max(p.b.at())).max().unwrap_or(0);
        self.starts.clear();
        self.starts.resize(last + 3, 0);
        let ends = |pair: &BodyPair, moves: &[bool; 2]| {
            [(pair.a, moves[0]), (pair.b, moves[1])].into_iter().filter(|(_, m)| *m).map(|(b, _)| b.at())
        };
        for (pair, moves) in self.pairs.iter().zip(&self.moves) {
            ends(pair, moves).for_each(|body| self.starts[body + 2] += 1);
        }
        for k in 2..self.starts.len() {
            self.starts[k] += self.starts[k - 1];
        }
        self.places.clear();
        self.places.resize(self.starts[last + 2] as usize, 0);
        for (place, (pair, moves)) in self.pairs.iter().zip(&self.moves).enumerate() {
            for body in ends(pair, moves) {
                let at = &mut self.starts[body + 1];
                self.places[*at as usize] = place as u32;
                *at += 1;
            }
        }
    }

    /// The pair at a place.
    pub(crate) fn pair(&self, place: u32) -> BodyPair {
        self.pairs[place as usize]
    }

    /// Takes the earliest pair, if it is due before `end`.
    pub(crate) fn pop_before(&mut self, end: f64) -> Option<(u32, f64)> {
        while let Some(Reverse(top)) = self.heap.peek().copied() {
            if top.time >= end {
                return None;
            }
            self.heap.pop();
            if self.due[top.place as usize] == top.time {
                return Some((top.place, top.time));
            }
        }
        None
    }

    /// Gives a pair a new key.
    pub(crate) fn key(&mut self, place: u32, time: f64) {
        self.due[place as usize] = time;
        if time.is_finite() {
            self.heap.push(Reverse(Entry { time, place }));
        }
    }

    /// The places of all pairs that share a body moved by impulses with a pair, that pair first, each once.
    pub(crate) fn beside(&self, place: u32) -> impl Iterator<Item = u32> {
        let (pair, moves) = (self.pairs[place as usize], self.moves[place as usize]);
        let of = move |body: usize, moves: bool| {
            let range = if moves { self.starts[body] as usize..self.starts[body + 1] as usize } else { 0..0 };
            self.places[range].iter().copied()
        };
        let others = of(pair.a.at(), moves[0]).chain(of(pair.b.at(), moves[1])).filter(move |p| *p != place);
        core::iter::once(place).chain(others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::ClosingBound;

    fn record(a: u32, b: u32, time: f64, moves: [bool; 2]) -> PairRecord {
        let bound = ClosingBound { closing: 1.0, bend: 0.0 };
        let pair = BodyPair::ordered(a, b);
        PairRecord {
            pair,
            distance: time,
            bound,
            approach: 1.0,
            thickness: 1.0,
            ways: 0.0,
            moves,
            held: false,
            known: false,
        }
    }

    /// B-11: in the order of their times, and of a pair that was keyed anew only the new one; which others to key anew is its neighbours.
    #[test]
    fn pairs_come_by_time_and_only_by_their_last_one() {
        let mut queue = ImpactQueue::default();
        let both = [true; 2];
        queue.restart(
            &[record(0, 2, 3.0, [false, true]), record(0, 3, 1.0, [false, true]), record(2, 3, 2.0, both)],
            10.0,
        );
        assert_eq!(queue.pop_before(20.0), Some((1, 11.0)));
        queue.key(2, 14.0);
        queue.key(1, 15.0);
        assert_eq!(queue.pop_before(20.0), Some((0, 13.0)));
        assert_eq!(queue.pop_before(13.5), None);
        assert_eq!(queue.pop_before(20.0), Some((2, 14.0)));
        // the floor connects nobody
        assert_eq!(queue.beside(0).collect::<Vec<_>>(), [0, 2]);
        assert_eq!(queue.beside(2).collect::<Vec<_>>(), [2, 0, 1]);
    }
}
