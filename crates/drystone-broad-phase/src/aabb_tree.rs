use crate::candidate::{Asked, Candidate, Sieve};
use crate::exact::Exact;
use crate::pair_sort::merge;
use crate::stripes::Stripes;
use crate::tree_node::{INNER, MOVED, Node};
use crate::{BoxTree, PairSort, TreeSettings, TreeUpdate};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{BodyIndex, BodyPair, BroadPhase, BroadPhaseInput, MOST_PAIRS, Moving, ProxyFilter};
use drystone_math::Real;

/// A dynamic tree of bounding boxes, and the pairs of leaves that overlap.
///
/// The list of overlapping leaves changes only where leaves were rebuilt, and a pair's exact boxes are compared only if
/// one of them has changed since the last call. So a call costs little if little moves, and not much more than a new tree
/// if everything does. If the input says which bodies move, pairs of the others are set aside and not visited again while
/// the same bodies move.
///
/// # Source
/// van den Bergen, "Efficient collision detection of complex deformable models using AABB trees", 1997, and the dynamic tree
/// of Catto's Box2D. Differs in: the refit is one sweep over the nodes in preorder, and wear is cured by a new tree.
#[derive(Debug, Clone, Default)]
pub struct AabbTree {
    tree: BoxTree,
    /// Pairs of overlapping leaves, sorted, without those set aside.
    candidates: Vec<Candidate>,
    /// Pairs set aside: none of their bodies is in `moving`.
    resting: Vec<Candidate>,
    /// The bodies said to move when pairs were set aside, if any are.
    moving: Vec<BodyIndex>,
    parted: bool,
    kept: Vec<Candidate>,
    /// Pairs of leaves found in the present call, and whether there are too many to list.
    stripes: Stripes,
    crowded: bool,
    filters: Vec<ProxyFilter>,
    pair_sort: PairSort,
    room: Vec<BodyPair>,
}

/// Leaves are larger than boxes, so more pairs of leaves than of boxes may overlap.
const MOST_CANDIDATES: usize = 4 * MOST_PAIRS;

impl AabbTree {
    /// Its entry in the catalogue.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "aabb-tree",
        summary: "dynamic tree of enlarged boxes, refitted; rebuilt along a Morton curve when degraded",
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
    fn find_all(&mut self, input: BroadPhaseInput<'_>) {
        let tree = &self.tree;
        let look = |i: usize, node: &Node, pairs: &mut Vec<BodyPair>| {
            if node.body != INNER {
                tree.near(&node.bounds, i as u32 + 1, |body| {
                    pairs.push(BodyPair::ordered(node.body.min(body), node.body.max(body)));
                });
            }
        };
        let most = (MOST_CANDIDATES, input.executor);
        self.crowded = self.stripes.find(input.boxes.len(), &tree.nodes, most, look);
        self.candidates.clear();
    }

    /// The pairs of leaves that were rebuilt.
    fn find_added(&mut self, input: BroadPhaseInput<'_>) {
        let (tree, status) = (&self.tree, &self.tree.status);
        let look = |_, &i: &u32, pairs: &mut Vec<BodyPair>| {
            let bounds = tree.nodes[tree.leaf[i as usize] as usize].bounds;
            tree.near(&bounds, 0, |body| {
                // two moved leaves find each other twice
                let twice = body == i || (status[body as usize] & MOVED != 0 && body < i);
                if !twice {
                    pairs.push(BodyPair::ordered(i.min(body), i.max(body)));
                }
            });
        };
        let most = (MOST_CANDIDATES, input.executor);
        self.crowded = self.stripes.find(input.boxes.len(), tree.moved(), most, look);
    }
}

impl AabbTree {
    /// Sets aside the pairs of which no body moves.
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

    /// Takes back the pairs set aside.
    fn unite(&mut self) {
        self.parted = false;
        let middle = self.candidates.len();
        self.candidates.append(&mut self.resting);
        merge(&mut self.candidates, middle, &mut self.kept);
    }

    /// Lists the pairs of the tree after an update; pairs are asked again as `asked` says.
    fn list(&mut self, input: BroadPhaseInput<'_>, update: TreeUpdate, asked: Asked, pairs: &mut Vec<BodyPair>) {
        self.crowded = false;
        match update {
            TreeUpdate::Unchanged => self.stripes.clear(input.boxes.len(), input.executor),
            TreeUpdate::Refitted => self.find_added(input),
            TreeUpdate::Renewed => self.find_all(input),
        }
        let Self { tree, candidates, kept, stripes, .. } = self;
        stripes.sieve(Sieve { input, status: &tree.status, asked }, candidates, (kept, pairs));
        core::mem::swap(kept, candidates);
        if update == TreeUpdate::Renewed {
            // room for later calls, in which nothing new may turn up
            kept.clear();
            kept.reserve(candidates.len());
        }
    }

    /// Adds the pairs with bodies outside the tree, all of them or those with a moving body, and reports if there are too
    /// many.
    fn complete(&mut self, input: BroadPhaseInput<'_>, moving: Option<Moving<'_>>, pairs: &mut Vec<BodyPair>) {
        if self.crowded {
            // the candidates are incomplete: there are too many pairs, and the next call begins anew
            pairs.resize(pairs.len().max(MOST_PAIRS + 1), BodyPair::ordered(0, 1));
            self.tree.forget();
        }
        let middle = pairs.len();
        if unbounded_pairs(input, self.tree.unbounded(), moving, pairs) {
            // the pairs of a single body are in order
            if self.tree.unbounded().len() > 1 {
                self.pair_sort.sort(&mut pairs[middle..], input.boxes.len());
            }
            merge(pairs, middle, &mut self.room);
        }
    }
}

impl BroadPhase for AabbTree {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn find_pairs(&mut self, input: BroadPhaseInput<'_>, pairs: &mut Vec<BodyPair>) {
        self.unite();
        let update = self.tree.update_on(input.boxes, input.executor);
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
        let update = self.tree.update_some(input.boxes, moving.bodies.iter().map(|b| b.at()), input.executor);
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

/// Appends the pairs with a body of the ascending list `unbounded`, and a moving one if the input says which move; returns whether there are any. Void boxes need
/// not be in the list. The pairs of a single body come in order.
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
