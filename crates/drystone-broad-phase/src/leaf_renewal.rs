use crate::outward_box::OutwardBox;
use crate::tree_node::{FEW, INNER, Node};
use drystone_core::{Executor, run_each};
use drystone_geometry::Aabb;
use drystone_math::{Real, Vec3};
use std::sync::atomic::{AtomicUsize, Ordering};

/// About how many pieces the tree is cut into for several threads.
const PIECES: usize = 16;

/// A body that moved by more than this times its largest edge leapt.
const LEAP: Real = 2.0;

/// Rebuilds leaves of the tree.
#[derive(Clone, Copy)]
pub(crate) struct LeafRenewal<'a> {
    /// Leaf margin, relative to the longest edge of the box.
    pub(crate) margin: Real,
    /// By body.
    pub(crate) boxes: &'a [Aabb],
    /// By body: its marks.
    pub(crate) status: &'a [u8],
    /// The leaves of bodies with one of these marks are rebuilt.
    pub(crate) which: u8,
}

impl LeafRenewal<'_> {
    /// Rebuilds those leaves and the bounds of all inner nodes: subtrees in parallel, then the nodes above them. `made_at` is where each leaf was built, `tops` is
    /// scratch; returns how many bodies leapt.
    pub(crate) fn renew_all(
        self,
        (nodes, made_at): (&mut [Node], &mut [Vec3]),
        tops: &mut Vec<u32>,
        executor: &dyn Executor,
    ) -> usize {
        tops.clear();
        let shared = executor.threads() > 1 && nodes.len() >= 2 * FEW;
        let most = if shared { nodes.len() / PIECES } else { nodes.len() };
        let leapt = AtomicUsize::new(0);
        let (mut first, mut rest) = (0, (&mut *nodes, made_at));
        let pieces = core::iter::from_fn(|| {
            loop {
                let count = rest.0.first()?.skip as usize - first;
                let whole = count <= most;
                let taken = if whole { count } else { 1 };
                let (nodes, other_nodes) = core::mem::take(&mut rest.0).split_at_mut(taken);
                let (made_at, others) = core::mem::take(&mut rest.1).split_at_mut(taken);
                rest = (other_nodes, others);
                let begin = first;
                first += taken;
                if whole {
                    return Some((nodes, made_at, begin));
                }
                tops.push(begin as u32);
            }
        });
        run_each(executor, pieces, |(nodes, made_at, begin)| {
            leapt.fetch_add(self.renew_subtree(nodes, made_at, begin), Ordering::Relaxed);
        });
        for &top in tops.iter().rev() {
            nodes[top as usize].bounds = around_children(nodes, top as usize, 0);
        }
        leapt.into_inner()
    }

    /// The same for one subtree, whose root has the number `begin`: children come after their parents.
    fn renew_subtree(self, nodes: &mut [Node], made_at: &mut [Vec3], begin: usize) -> usize {
        let mut leapt = 0;
        for i in (0..nodes.len()).rev() {
            if nodes[i].body == INNER {
                nodes[i].bounds = around_children(nodes, i, begin);
            } else if self.status[nodes[i].body as usize] & self.which != 0 {
                leapt += self.renew(&mut nodes[i], &mut made_at[i]);
            }
        }
        leapt
    }

    /// Rebuilds a leaf; returns one if its body leapt, otherwise zero.
    pub(crate) fn renew(self, leaf: &mut Node, made_at: &mut Vec3) -> usize {
        let exact = &self.boxes[leaf.body as usize];
        let motion = exact.min - core::mem::replace(made_at, exact.min);
        let edge = exact.largest_edge().max(0.0);
        let mut fat = exact.grown(self.margin * edge);
        // a body that moves on moves into its leaf; a teleport says nothing about the future
        let leapt = motion.length() > LEAP * edge;
        if !leapt {
            fat = fat.swept(motion);
        }
        leaf.bounds = OutwardBox::around(&fat);
        usize::from(leapt)
    }
}

/// The bounds of an inner node, from the slice of nodes that begins at number `begin`.
#[inline]
pub(crate) fn around_children(nodes: &[Node], inner: usize, begin: usize) -> OutwardBox {
    let left = &nodes[inner + 1];
    left.bounds.union(&nodes[left.skip as usize - begin].bounds)
}
