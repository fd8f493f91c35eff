use crate::exact::Exact;
use crate::tree_node::{CHANGED, MOVED};
use drystone_core::{BodyIndex, BodyPair, BroadPhaseInput};

/// A pair of leaves that overlap, in one word that sorts as the pair does: the first body, the second body, and in the
/// last bit whether their boxes meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Candidate(u64);

impl Candidate {
    /// Before all others.
    pub(crate) const FIRST: Self = Self(0);

    #[inline]
    pub(crate) fn new(pair: BodyPair, meets: bool) -> Self {
        Self((pair.a.at() as u64) << 32 | (pair.b.at() as u64) << 1 | u64::from(meets))
    }

    #[inline]
    pub(crate) fn pair(self) -> BodyPair {
        BodyPair { a: BodyIndex((self.0 >> 32) as u32), b: BodyIndex(self.0 as u32 >> 1) }
    }

    #[inline]
    fn meets(self) -> bool {
        self.0 & 1 == 1
    }
}

/// Which pairs are tested again for meeting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Those of boxes that changed.
    Changed,
    /// All: which bodies may meet has changed.
    All,
}

/// Filter that decides which former pairs of leaves are kept.
#[derive(Clone, Copy)]
pub(crate) struct Sieve<'a> {
    pub(crate) input: BroadPhaseInput<'a>,
    /// By body: its marks.
    pub(crate) status: &'a [u8],
    pub(crate) asked: Asked,
}

impl Sieve<'_> {
    /// Replaces the pairs of moved leaves by those that were added, tests the others again as told, and lists those that meet. Both lists ascend, and there must be
    /// room for all. Returns how many were kept and how many of them meet. One pass without branches to mispredict.
    pub(crate) fn run(
        self,
        candidates: &[Candidate],
        added: &[BodyPair],
        (into, pairs): (&mut [Candidate], &mut [BodyPair]),
    ) -> (usize, usize) {
        let Self { input, status, asked } = self;
        let all = asked == Asked::All;
        let (mut kept, mut met) = (0, 0);
        let mut keep = |c: Candidate| {
            into[kept] = c;
            kept += 1;
            pairs[met] = c.pair();
            met += usize::from(c.meets());
        };
        let mut old = candidates.iter().copied().peekable();
        let mut fresh = added.iter().map(|p| Candidate::new(*p, input.overlaps(*p)));
        loop {
            let next = fresh.next();
            let limit = next.unwrap_or(Candidate(u64::MAX));
            while let Some(c) = old.next_if(|c| *c < limit) {
                let pair = c.pair();
                let s = status[pair.a.at()] | status[pair.b.at()];
                if s & MOVED != 0 {
                    continue;
                }
                keep(if all || s & CHANGED != 0 { Candidate::new(pair, input.overlaps(pair)) } else { c });
            }
            let Some(next) = next else { break };
            keep(next);
        }
        (kept, met)
    }
}
