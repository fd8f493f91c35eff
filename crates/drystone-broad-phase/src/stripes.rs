use crate::PairSort;
use crate::candidate::{Candidate, Sieve};
use crate::tree_node::FEW;
use drystone_core::{BodyPair, Executor, OneThread, piece_length, run_each};
use std::sync::atomic::{AtomicUsize, Ordering};

/// If there are several stripes, there are from this many to twice as many.
const STRIPES: usize = 16;

/// Leaves whose neighbours one thread looks up, or pairs that it sorts or sieves, in the time that a second thread takes
/// to start: some 50 µs.
const FEW_LEAVES: usize = 256;
const FEW_PAIRS: usize = 4096;

/// Pairs that a piece finds before it checks how many there are in total.
const UNSEEN: usize = 1 << 16;

/// Pairs found piece by piece, then sorted and merged stripe by stripe: a stripe holds the pairs whose first bodies lie in one range of the list of bodies. On
/// one thread there is one piece and one stripe.
///
/// The result depends neither on the piece in which a pair is found, since each stripe is sorted, nor on the number of stripes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stripes {
    /// Present number of stripes, and the width of each, as a power of two.
    count: usize,
    shift: u32,
    list: Vec<Stripe>,
    /// At least one after the first search.
    pieces: Vec<Found>,
}

/// Data of a stripe besides the pairs already known.
#[derive(Debug, Clone, Default)]
struct Stripe {
    /// The pairs found, sorted; if there is only one stripe they stay in the piece.
    added: Vec<BodyPair>,
    pair_sort: PairSort,
    /// Number of pairs that went into the sieve, that were kept, and that overlap.
    sieved: usize,
    kept: usize,
    met: usize,
}

/// Results of a piece of a search.
#[derive(Debug, Clone, Default)]
struct Found {
    pairs: Vec<BodyPair>,
    /// The same stripe by stripe, if there are several, and where each ends.
    parted: Vec<BodyPair>,
    ends: Vec<u32>,
}

impl Stripes {
    /// Prepares for this many bodies, with nothing found.
    pub(crate) fn clear(&mut self, bodies: usize, executor: &dyn Executor) {
        (self.count, self.shift) = (1, 0);
        if executor.threads() > 1 && bodies >= FEW {
            self.shift = (bodies / STRIPES).ilog2();
            self.count = ((bodies - 1) >> self.shift) + 1;
        }
        if self.list.len() < self.count {
            self.list.resize_with(self.count, Stripe::default);
        }
        for stripe in &mut self.list {
            stripe.added.clear();
        }
        for piece in &mut self.pieces {
            piece.pairs.clear();
        }
    }

    /// Finds pairs among this many bodies, each once: those that `look` appends for each of the items. It gives up if there are far more than `most`; returns whether there are
    /// more than that.
    pub(crate) fn find<T: Sync>(
        &mut self,
        bodies: usize,
        items: &[T],
        (most, executor): (usize, &dyn Executor),
        look: impl Fn(usize, &T, &mut Vec<BodyPair>) + Sync,
    ) -> bool {
        self.clear(bodies, executor);
        let Self { count, shift, list: stripes, pieces } = self;
        let (count, shift) = (*count, *shift);
        let length = if count == 1 { items.len().max(1) } else { piece_length(executor, items.len(), FEW_LEAVES) };
        let used = items.len().div_ceil(length).max(1);
        if pieces.len() < used {
            pieces.resize_with(used, Found::default);
        }
        let pieces = &mut pieces[..used];
        let total = AtomicUsize::new(0);
        let parts = pieces.iter_mut().zip(items.chunks(length)).zip((0..).step_by(length));
        run_each(executor, parts, |((piece, items), first)| {
            let mut seen = 0;
            for (i, item) in (first..).zip(items) {
                look(i, item, &mut piece.pairs);
                let unseen = piece.pairs.len() - seen;
                if unseen > UNSEEN {
                    seen += unseen;
                    if total.fetch_add(unseen, Ordering::Relaxed) > most {
                        break;
                    }
                }
            }
            total.fetch_add(piece.pairs.len() - seen, Ordering::Relaxed);
            if count > 1 {
                piece.part(count, shift);
            }
        });
        let total = total.into_inner();
        if count == 1 {
            stripes[0].pair_sort.sort(&mut pieces[0].pairs, bodies);
        } else {
            let pieces = &*pieces;
            run_each(worth(executor, total), stripes[..count].iter_mut().enumerate(), |(k, stripe)| {
                for piece in pieces {
                    stripe.added.extend_from_slice(piece.of(k));
                }
                stripe.pair_sort.sort(&mut stripe.added, bodies);
            });
        }
        total > most
    }

    /// Sieves all stripes: replaces `kept` by the pairs kept of the candidates and of those found, and `pairs` by those that meet; all
    /// ascend.
    pub(crate) fn sieve(
        &mut self,
        sieve: Sieve<'_>,
        candidates: &[Candidate],
        (kept, pairs): (&mut Vec<Candidate>, &mut Vec<BodyPair>),
    ) {
        let Self { count, shift, list: stripes, pieces } = self;
        let stripes = &mut stripes[..*count];
        let alone = pieces.first().filter(|_| stripes.len() == 1);
        let added = alone.map_or_else(|| stripes.iter().map(|s| s.added.len()).sum(), |piece| piece.pairs.len());
        let most = candidates.len() + added;
        kept.resize(most, Candidate::FIRST);
        pairs.resize(most, BodyPair::ordered(0, 1));
        let mut rest = (candidates, kept.as_mut_slice(), pairs.as_mut_slice());
        let last = stripes.len() - 1;
        let parts = stripes.iter_mut().enumerate().map(|(k, stripe)| {
            let Stripe { added, sieved, kept, met, .. } = stripe;
            let added = alone.map_or(added.as_slice(), |piece| &piece.pairs);
            let known =
                if k == last { rest.0.len() } else { rest.0.partition_point(|c| c.pair().a.at() >> *shift <= k) };
            *sieved = known + added.len();
            let (candidates, others) = rest.0.split_at(known);
            let (into, kept_later) = core::mem::take(&mut rest.1).split_at_mut(*sieved);
            let (pairs, pairs_later) = core::mem::take(&mut rest.2).split_at_mut(*sieved);
            rest = (others, kept_later, pairs_later);
            (candidates, added, (into, pairs), (kept, met))
        });
        run_each(worth(sieve.input.executor, most), parts, |(candidates, added, room, (kept, met))| {
            (*kept, *met) = sieve.run(candidates, added, room);
        });
        // how much of its room each stripe used
        let (mut from, mut left, mut met) = (0, 0, 0);
        for stripe in &*stripes {
            kept.copy_within(from..from + stripe.kept, left);
            pairs.copy_within(from..from + stripe.met, met);
            (from, left, met) = (from + stripe.sieved, left + stripe.kept, met + stripe.met);
        }
        kept.truncate(left);
        pairs.truncate(met);
    }
}

impl Found {
    /// Sorts the pairs found by stripe.
    fn part(&mut self, count: usize, shift: u32) {
        let Self { pairs, parted, ends } = self;
        ends.clear();
        ends.resize(count, 0);
        for pair in &*pairs {
            ends[pair.a.at() >> shift] += 1;
        }
        let mut begin = 0;
        for end in &mut *ends {
            begin += core::mem::replace(end, begin);
        }
        parted.resize(pairs.len(), BodyPair::ordered(0, 1));
        for pair in &*pairs {
            // each begin moves to its end
            let at = &mut ends[pair.a.at() >> shift];
            parted[*at as usize] = *pair;
            *at += 1;
        }
    }

    /// The pairs found in a stripe.
    fn of(&self, stripe: usize) -> &[BodyPair] {
        if self.pairs.is_empty() {
            return &[];
        }
        let begin = stripe.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.parted[begin as usize..self.ends[stripe] as usize]
    }
}

/// An executor with as many threads as this many pairs are worth.
fn worth(executor: &dyn Executor, pairs: usize) -> &dyn Executor {
    if pairs < FEW_PAIRS { &OneThread } else { executor }
}
