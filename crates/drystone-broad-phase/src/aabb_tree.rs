use crate::{BoxTree, PairSort, TreeUpdate};
use drystone_core::catalogue::{Implementation, Parameter, Settings};
use drystone_core::{BodyPair, BroadPhase, BroadPhaseInput};
use drystone_geometry::Aabb;
use drystone_math::Real;

/// A dynamic tree of bounding boxes, and the pairs of leaves that overlap.
///
/// The list of overlapping leaves changes only where leaves were made anew; in every call it is sieved by the exact
/// boxes. So a call costs little where little moves beyond its leaf, and not much more than a new tree where all does.
///
/// # Source
/// van den Bergen, "Efficient collision detection of complex deformable models using AABB trees", 1997, and the dynamic tree
/// of Catto's Box2D. Differs in: the refit is one sweep over the nodes in preorder, and wear is cured by a new tree.
#[derive(Debug, Clone, Default)]
pub struct AabbTree {
    tree: BoxTree,
    /// Pairs of overlapping leaves, sorted.
    candidates: Vec<BodyPair>,
    kept: Vec<BodyPair>,
    added: Vec<BodyPair>,
    is_moved: Vec<bool>,
    pair_sort: PairSort,
}

impl AabbTree {
    /// Its entry in the catalogue.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "aabb-tree",
        summary: "dynamic tree of enlarged boxes, refitted; built anew along a Morton curve when worn",
        source: "van den Bergen 1997; Catto, Box2D's dynamic tree",
        parameters: &[Parameter::real(
            "margin",
            0.1,
            0.0,
            10.0,
            "how much larger a leaf is than its box, in largest edges",
        )],
    };

    /// With leaves larger than their boxes by `margin` times the largest edge, on each side.
    pub fn new(margin: Real) -> Self {
        Self { tree: BoxTree::new(margin), ..Self::default() }
    }

    /// With the given settings.
    pub fn from_settings(settings: &Settings) -> Self {
        Self::new(settings.real("margin"))
    }

    /// The tree as of the last call, for queries.
    pub fn tree(&self) -> &BoxTree {
        &self.tree
    }

    /// All pairs of overlapping leaves: each leaf against those behind it.
    fn find_candidates(&mut self, bodies: usize) {
        self.candidates.clear();
        for (i, node) in self.tree.nodes.iter().enumerate().filter(|(_, n)| n.body != crate::box_tree::INNER) {
            self.tree.near(&node.bounds, i as u32 + 1, |body| {
                self.candidates.push(BodyPair::ordered(node.body.min(body), node.body.max(body)));
            });
        }
        self.pair_sort.sort(&mut self.candidates, bodies);
    }

    /// Replaces the pairs of moved leaves.
    fn renew_candidates(&mut self, bodies: usize) {
        self.is_moved.clear();
        self.is_moved.resize(bodies, false);
        for i in self.tree.moved() {
            self.is_moved[*i as usize] = true;
        }
        self.added.clear();
        for &i in self.tree.moved() {
            let bounds = self.tree.nodes[self.tree.leaf[i as usize] as usize].bounds;
            self.tree.near(&bounds, 0, |body| {
                // two moved leaves find each other twice
                if body != i && !(self.is_moved[body as usize] && body < i) {
                    self.added.push(BodyPair::ordered(i.min(body), i.max(body)));
                }
            });
        }
        self.pair_sort.sort(&mut self.added, bodies);
        self.kept.clear();
        let mut added = self.added.iter().copied().peekable();
        for old in self.candidates.iter().filter(|p| !self.is_moved[p.a.at()] && !self.is_moved[p.b.at()]) {
            while let Some(new) = added.next_if(|new| new < old) {
                self.kept.push(new);
            }
            self.kept.push(*old);
        }
        self.kept.extend(added);
        core::mem::swap(&mut self.kept, &mut self.candidates);
    }
}

impl BroadPhase for AabbTree {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn find_pairs(&mut self, input: BroadPhaseInput<'_>, pairs: &mut Vec<BodyPair>) {
        pairs.clear();
        let n = input.boxes.len();
        match self.tree.update(input.boxes) {
            TreeUpdate::Unchanged => {}
            TreeUpdate::Refitted => self.renew_candidates(n),
            TreeUpdate::Rebuilt => self.find_candidates(n),
        }
        pairs.extend(self.candidates.iter().copied().filter(|p| input.overlaps(*p)));
        if unbounded_pairs(input, self.tree.unbounded(), pairs) {
            self.pair_sort.sort(pairs, n);
        }
    }
}

/// Appends the pairs that hold a body of the ascending list `unbounded`; says whether there are any. Void boxes need
/// not be in it.
pub(crate) fn unbounded_pairs(input: BroadPhaseInput<'_>, unbounded: &[u32], pairs: &mut Vec<BodyPair>) -> bool {
    let before = pairs.len();
    for (k, &i) in unbounded.iter().enumerate() {
        for j in 0..input.boxes.len() as u32 {
            // pairs within the list are found by their first body
            if j == i || (j < i && unbounded[..k].binary_search(&j).is_ok()) {
                continue;
            }
            let pair = BodyPair::ordered(i.min(j), i.max(j));
            if input.overlaps(pair) {
                pairs.push(pair);
            }
        }
    }
    pairs.len() > before
}

/// Whether a box can overlap only infinite ones, whose pairs [`unbounded_pairs`] finds: [`Aabb::EMPTY`], which is how a
/// passive body is left out at a constant price (H-07, I-12), or what is not a number.
pub(crate) fn is_void(b: &Aabb) -> bool {
    (0..3)
        .any(|k| b.min[k].is_nan() || b.max[k].is_nan() || b.min[k] == Real::INFINITY || b.max[k] == Real::NEG_INFINITY)
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
