use crate::box_tree::{CHANGED, INNER, MOVED};
use crate::pair_sort::merge;
use crate::{BoxTree, PairSort, TreeSettings, TreeUpdate};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{BodyIndex, BodyPair, BroadPhase, BroadPhaseInput, MOST_PAIRS, Moving, ProxyFilter};
use drystone_math::Real;

/// A dynamic tree of bounding boxes, and the pairs of leaves that overlap.
///
/// The list of overlapping leaves changes only where leaves were made anew, and a pair's exact boxes are asked only where
/// one of them changed since the last call. So a call costs little where little moves, and not much more than a new tree
/// where all does. Where it is said who moves, pairs of others are set aside, and not gone over while the same ones move.
///
/// # Source
/// van den Bergen, "Efficient collision detection of complex deformable models using AABB trees", 1997, and the dynamic tree
/// of Catto's Box2D. Differs in: the refit is one sweep over the nodes in preorder, and wear is cured by a new tree.
#[derive(Debug, Clone, Default)]
pub struct AabbTree {
    tree: BoxTree,
    /// Pairs of overlapping leaves, sorted, but for those that are set aside.
    candidates: Vec<Candidate>,
    /// The ones that are: none of their bodies is in `moving`.
    resting: Vec<Candidate>,
    /// The bodies that were said to move when pairs were parted by that, if they are.
    moving: Vec<BodyIndex>,
    parted: bool,
    kept: Vec<Candidate>,
    added: Vec<BodyPair>,
    filters: Vec<ProxyFilter>,
    pair_sort: PairSort,
}

/// Leaves are larger than boxes: more pairs of them than of boxes may overlap.
const MOST_CANDIDATES: usize = 4 * MOST_PAIRS;

/// A pair of leaves that overlap, in one word that sorts as the pair does: the first body, the second one, and in the last
/// bit whether the pair meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate(u64);

impl Candidate {
    #[inline]
    fn new(pair: BodyPair, meets: bool) -> Self {
        Self((pair.a.at() as u64) << 32 | (pair.b.at() as u64) << 1 | u64::from(meets))
    }

    #[inline]
    fn pair(self) -> BodyPair {
        BodyPair { a: BodyIndex((self.0 >> 32) as u32), b: BodyIndex(self.0 as u32 >> 1) }
    }

    #[inline]
    fn meets(self) -> bool {
        self.0 & 1 == 1
    }
}

/// Which pairs are asked again whether they meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// Those of boxes that changed.
    Changed,
    /// All: bodies meet others than before.
    All,
}

impl AabbTree {
    /// Its entry in the catalogue.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "aabb-tree",
        summary: "dynamic tree of enlarged boxes, refitted; built anew along a Morton curve when worn",
        source: "van den Bergen 1997; Catto, Box2D's dynamic tree",
        parameters: TreeSettings::PARAMETERS,
    };

    /// With leaves larger than their boxes by `margin` times the largest edge, on each side.
    pub fn new(margin: Real) -> Self {
        Self { tree: BoxTree::new(margin), ..Self::default() }
    }

    /// With the given settings.
    pub fn from_settings(settings: &Settings) -> Self {
        Self::new(TreeSettings::from_settings(settings).margin)
    }

    /// The tree as of the last call, for queries.
    pub fn tree(&self) -> &BoxTree {
        &self.tree
    }

    /// All pairs of overlapping leaves: each leaf against those behind it.
    fn find_candidates(&mut self, input: BroadPhaseInput<'_>, pairs: &mut Vec<BodyPair>) {
        self.added.clear();
        for (i, node) in self.tree.nodes.iter().enumerate().filter(|(_, n)| n.body != INNER) {
            self.tree.near(&node.bounds, i as u32 + 1, |body| {
                if self.added.len() <= MOST_CANDIDATES {
                    self.added.push(BodyPair::ordered(node.body.min(body), node.body.max(body)));
                }
            });
        }
        self.pair_sort.sort(&mut self.added, input.boxes.len());
        self.candidates.clear();
        pairs.clear();
        // room for the calls to come, where nothing new may turn up
        self.kept.clear();
        self.kept.reserve(self.added.len());
        pairs.reserve(self.added.len());
        for pair in &self.added {
            let meets = input.overlaps(*pair);
            self.candidates.push(Candidate::new(*pair, meets));
            if meets && pairs.len() <= MOST_PAIRS {
                pairs.push(*pair);
            }
        }
    }

    /// The pairs of leaves that were made anew, sorted.
    fn find_added(&mut self) {
        self.added.clear();
        let (tree, status) = (&self.tree, &self.tree.status);
        for &i in tree.moved() {
            let bounds = tree.nodes[tree.leaf[i as usize] as usize].bounds;
            tree.near(&bounds, 0, |body| {
                // two moved leaves find each other twice
                let twice = body == i || (status[body as usize] & MOVED != 0 && body < i);
                if !twice && self.added.len() <= MOST_CANDIDATES {
                    self.added.push(BodyPair::ordered(i.min(body), i.max(body)));
                }
            });
        }
        self.pair_sort.sort(&mut self.added, status.len());
    }

    /// Replaces the pairs of moved leaves by those that were added, asks again about the others as told, and lists those that meet. One pass without a branch that could be guessed wrong.
    fn sieve(&mut self, input: BroadPhaseInput<'_>, asked: Asked, pairs: &mut Vec<BodyPair>) {
        let most = self.candidates.len() + self.added.len();
        self.kept.resize(most, Candidate(0));
        pairs.resize(most, BodyPair::ordered(0, 1));
        let status = &self.tree.status;
        let all = asked == Asked::All;
        let (mut kept, mut met) = (0, 0);
        let mut keep = |c: Candidate| {
            self.kept[kept] = c;
            kept += 1;
            pairs[met] = c.pair();
            met += usize::from(c.meets());
        };
        let mut old = self.candidates.iter().copied().peekable();
        let mut fresh = self.added.iter().map(|p| Candidate::new(*p, input.overlaps(*p)));
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
        self.kept.truncate(kept);
        pairs.truncate(met);
        core::mem::swap(&mut self.kept, &mut self.candidates);
    }
}

impl AabbTree {
    /// Sets those pairs aside of which no body moves.
    fn part(&mut self, moving: Moving<'_>) {
        if self.parted && self.moving == moving.bodies {
            return;
        }
        self.unite();
        self.moving.clear();
        self.moving.extend_from_slice(moving.bodies);
        self.kept.clear();
        for candidate in &self.candidates {
            let part = if moving.has(candidate.pair()) { &mut self.kept } else { &mut self.resting };
            part.push(*candidate);
        }
        core::mem::swap(&mut self.kept, &mut self.candidates);
        self.tree.status.fill(0);
        self.parted = true;
    }

    /// Takes what was set aside back.
    fn unite(&mut self) {
        self.parted = false;
        let middle = self.candidates.len();
        self.candidates.append(&mut self.resting);
        merge(&mut self.candidates, middle, &mut self.kept);
    }

    /// Lists the pairs of the tree after an update; bodies that meet others than before are asked again.
    fn list(&mut self, input: BroadPhaseInput<'_>, update: TreeUpdate, asked: Asked, pairs: &mut Vec<BodyPair>) {
        if update == TreeUpdate::Renewed {
            return self.find_candidates(input, pairs);
        }
        self.added.clear();
        if update == TreeUpdate::Refitted {
            self.find_added();
        }
        self.sieve(input, asked, pairs);
    }

    /// Adds the pairs with bodies beside the tree, where nobody or a given body moves, and sees to it that there is an end.
    fn complete(&mut self, input: BroadPhaseInput<'_>, moving: Option<Moving<'_>>, pairs: &mut Vec<BodyPair>) {
        if self.added.len() > MOST_CANDIDATES {
            // the candidates are not whole: there are too many pairs, and the next call begins anew
            pairs.resize(pairs.len().max(MOST_PAIRS + 1), BodyPair::ordered(0, 1));
            self.tree.forget();
        }
        let middle = pairs.len();
        if unbounded_pairs(input, self.tree.unbounded(), moving, pairs) {
            // those of one body are in order
            if self.tree.unbounded().len() > 1 {
                self.pair_sort.sort(&mut pairs[middle..], input.boxes.len());
            }
            merge(pairs, middle, &mut self.added);
        }
    }
}

impl BroadPhase for AabbTree {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn find_pairs(&mut self, input: BroadPhaseInput<'_>, pairs: &mut Vec<BodyPair>) {
        self.unite();
        let update = self.tree.update(input.boxes);
        let asked = if self.filters == input.filters { Asked::Changed } else { Asked::All };
        self.list(input, update, asked, pairs);
        if asked == Asked::All {
            self.filters.clear();
            self.filters.extend_from_slice(input.filters);
        }
        self.complete(input, None, pairs);
    }

    fn find_moving_pairs(&mut self, input: BroadPhaseInput<'_>, moving: Moving<'_>, pairs: &mut Vec<BodyPair>) {
        if self.tree.len() != input.boxes.len() || self.filters.len() != input.filters.len() {
            self.find_pairs(input, pairs);
            pairs.retain(|pair| moving.has(*pair));
            return;
        }
        self.part(moving);
        let update = self.tree.update_some(input.boxes, moving.bodies.iter().map(|b| b.at()));
        let mut asked = Asked::Changed;
        for &BodyIndex(i) in moving.bodies {
            let (known, given) = (&mut self.filters[i as usize], input.filters[i as usize]);
            if *known != given {
                (*known, asked) = (given, Asked::All);
            }
        }
        self.list(input, update, asked, pairs);
        if update == TreeUpdate::Renewed {
            // all pairs of the tree were found
            self.resting.clear();
            self.parted = false;
            pairs.retain(|pair| moving.has(*pair));
        }
        self.complete(input, Some(moving), pairs);
    }
}

/// Appends the pairs that hold a body of the ascending list `unbounded`, and one that moves where it is said which do; says whether there are any. Void boxes need
/// not be in it. Those of one body come in order.
pub(crate) fn unbounded_pairs(
    input: BroadPhaseInput<'_>,
    unbounded: &[u32],
    moving: Option<Moving<'_>>,
    pairs: &mut Vec<BodyPair>,
) -> bool {
    let before = pairs.len();
    for (k, &i) in unbounded.iter().enumerate() {
        let mut look = |j: u32| {
            // pairs within the list are found by their first body
            if j == i || (j < i && unbounded[..k].binary_search(&j).is_ok()) {
                return;
            }
            let pair = BodyPair::ordered(i.min(j), i.max(j));
            if pairs.len() <= MOST_PAIRS && input.overlaps(pair) {
                pairs.push(pair);
            }
        };
        match moving.filter(|moving| !moving.is[i as usize]) {
            Some(moving) => moving.bodies.iter().for_each(|j| look(j.0)),
            None => (0..input.boxes.len() as u32).for_each(look),
        }
    }
    pairs.len() > before
}

/// The exact question about a pair.
pub(crate) trait Exact {
    /// Whether the boxes overlap and the filters admit the pair.
    fn overlaps(&self, pair: BodyPair) -> bool;
}

impl Exact for BroadPhaseInput<'_> {
    #[inline]
    fn overlaps(&self, pair: BodyPair) -> bool {
        let (i, j) = (pair.a.at(), pair.b.at());
        self.boxes[i].overlaps(&self.boxes[j]) && self.filters[i].admits(&self.filters[j])
    }
}
