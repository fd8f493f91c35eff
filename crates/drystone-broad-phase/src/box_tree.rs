use crate::leaf_renewal::{LeafRenewal, around_children};
use crate::outward_box::{OutwardBox, is_void};
use crate::radix;
use crate::tree_node::{CHANGED, FEW, INNER, MOVED, Node};
use drystone_core::{Executor, OneThread, piece_length, run_each, settings};
use drystone_geometry::Aabb;
use drystone_math::{Real, Vec3};
use std::sync::atomic::{AtomicBool, Ordering};

/// Marks a body whose box became bounded or ceased to be.
const MISPLACED: u8 = 4;

/// Average number of rebuilds of each leaf after which the whole tree is rebuilt.
const WORN: usize = 2;

/// Kind of work that an update of the tree did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeUpdate {
    /// Every box still lies in its leaf; boxes that did not change at all are not even looked up.
    Unchanged,
    /// Some leaves were rebuilt and the tree above them refitted; see [`BoxTree::moved`].
    Refitted,
    /// So many leaves were rebuilt that it is best to look at all of them; the tree was refitted or rebuilt.
    Renewed,
}

/// A dynamic tree of bounding boxes: its leaves are somewhat larger than the bodies' boxes, so that small motion costs
/// nothing.
///
/// When a body's box leaves its leaf, the leaf is rebuilt and grown along that motion. The tree is rebuilt along a Morton curve when a
/// quarter of the bodies have leapt far out of their leaves at once, or when twice as many leaves as there are have been rebuilt in
/// total. Boxes that reach to infinity are kept in a list outside the tree; empty boxes and those with NaN are left out.
///
/// # Cost
/// Update: O(n), a comparison for each unchanged box and some nanoseconds for each changed one; O(n log n) if it rebuilds. Queries: O(log n + answers) if the boxes
/// are spread out.
#[derive(Debug, Clone)]
pub struct BoxTree {
    margin: Real,
    pub(crate) nodes: Vec<Node>,
    /// The leaf of each body; [`INNER`] for those outside the tree.
    pub(crate) leaf: Vec<u32>,
    /// The parent of each node; [`INNER`] for the root.
    parent: Vec<u32>,
    unbounded: Vec<u32>,
    moved: Vec<u32>,
    /// The boxes of the last update.
    last: Vec<Aabb>,
    /// [`CHANGED`] and [`MOVED`] of each body.
    pub(crate) status: Vec<u8>,
    /// By node: the smallest corner of the body's box when its leaf was built.
    made_at: Vec<Vec3>,
    /// Scratch: the nodes above the subtrees that several threads renew.
    tops: Vec<u32>,
    wear: usize,
    codes: Vec<u64>,
    room: Vec<u64>,
    ranges: Vec<Range>,
}

/// A range of the Morton order that has yet to become a subtree.
#[derive(Debug, Clone, Copy)]
struct Range {
    begin: u32,
    end: u32,
    parent: u32,
}

settings! {
    /// Settings of a tree of boxes.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct TreeSettings {
        /// margin of a leaf around its body's box, as a multiple of its largest edge
        margin: Real = real(0.1, 0.0, 10.0),
    }
}

impl Default for BoxTree {
    fn default() -> Self {
        Self::new(TreeSettings::default().margin)
    }
}

impl BoxTree {
    /// A tree whose leaves are larger than their bodies' boxes by `margin` times the largest edge, on each side.
    pub fn new(margin: Real) -> Self {
        Self {
            margin,
            nodes: Vec::new(),
            leaf: Vec::new(),
            parent: Vec::new(),
            unbounded: Vec::new(),
            moved: Vec::new(),
            last: Vec::new(),
            status: Vec::new(),
            made_at: Vec::new(),
            tops: Vec::new(),
            wear: 0,
            codes: Vec::new(),
            room: Vec::new(),
            ranges: Vec::new(),
        }
    }

    /// The bodies whose leaves the last update rebuilt, ascending, if it returned [`TreeUpdate::Refitted`].
    pub fn moved(&self) -> &[u32] {
        &self.moved
    }

    /// The bodies outside the tree, ascending: those with infinite boxes. Empty boxes are in neither.
    pub fn unbounded(&self) -> &[u32] {
        &self.unbounded
    }

    /// Number of bodies in the last update.
    pub(crate) fn len(&self) -> usize {
        self.leaf.len()
    }

    /// Makes the next update rebuild the tree.
    pub(crate) fn forget(&mut self) {
        self.leaf.clear();
    }

    /// Brings the tree up to date with the bodies' boxes.
    pub fn update(&mut self, boxes: &[Aabb]) -> TreeUpdate {
        self.update_on(boxes, &OneThread)
    }

    /// The same, on several threads.
    pub(crate) fn update_on(&mut self, boxes: &[Aabb], executor: &dyn Executor) -> TreeUpdate {
        self.moved.clear();
        if boxes.len() != self.leaf.len() {
            return self.build(boxes, executor);
        }
        let Self { nodes, leaf, last, status, moved, .. } = self;
        let nodes = nodes.as_slice();
        let misplaced = AtomicBool::new(false);
        let length = piece_length(executor, boxes.len(), FEW);
        let pieces = last.chunks_mut(length).zip(status.chunks_mut(length)).zip(leaf.chunks(length));
        run_each(executor, boxes.chunks(length).zip(pieces), |(boxes, ((last, status), leaf))| {
            for ((b, last), (status, leaf)) in boxes.iter().zip(last).zip(status.iter_mut().zip(leaf)) {
                if *b == *last {
                    *status = 0;
                    continue;
                }
                (*last, *status) = (*b, look_at(nodes, *leaf, [last, b]));
                if *status & MISPLACED != 0 {
                    misplaced.store(true, Ordering::Relaxed);
                }
            }
        });
        if misplaced.into_inner() {
            return self.build(boxes, executor);
        }
        moved.extend((0..).zip(&*status).filter(|(_, status)| **status & MOVED != 0).map(|(i, _)| i));
        self.follow(boxes, executor)
    }

    /// The same if there are as many bodies as at the last update, and only the boxes of some, each once, can differ from it. The status of the other bodies is left
    /// as it is.
    ///
    /// # Cost
    /// Linear in their number if they stay in their leaves.
    pub fn update_some(
        &mut self,
        boxes: &[Aabb],
        some: impl Iterator<Item = usize>,
        executor: &dyn Executor,
    ) -> TreeUpdate {
        self.moved.clear();
        for i in some {
            let b = &boxes[i];
            let status = if *b == self.last[i] { 0 } else { look_at(&self.nodes, self.leaf[i], [&self.last[i], b]) };
            (self.last[i], self.status[i]) = (*b, status);
            if status & MISPLACED != 0 {
                return self.build(boxes, executor);
            }
            if status & MOVED != 0 {
                self.moved.push(i as u32);
            }
        }
        self.follow(boxes, executor)
    }

    /// Rebuilds the leaves that their boxes have left.
    fn follow(&mut self, boxes: &[Aabb], executor: &dyn Executor) -> TreeUpdate {
        self.wear += self.moved.len();
        if self.wear > WORN * boxes.len() {
            return self.build(boxes, executor);
        }
        if self.moved.is_empty() {
            return TreeUpdate::Unchanged;
        }
        let leapt = if self.moved.len() * 16 < boxes.len() {
            // few leaves: their paths to the root have fewer nodes than the tree
            self.renew_moved(boxes)
        } else {
            self.renew_all(boxes, MOVED, executor)
        };
        // the old neighbourhoods say nothing any more
        if leapt * 4 > boxes.len() {
            return self.build(boxes, executor);
        }
        if self.moved.len() * 4 > boxes.len() { TreeUpdate::Renewed } else { TreeUpdate::Refitted }
    }

    /// Rebuilds the leaves of bodies with one of the marks `which`, and the bounds of all inner nodes; returns how many
    /// bodies leapt.
    fn renew_all(&mut self, boxes: &[Aabb], which: u8, executor: &dyn Executor) -> usize {
        let Self { margin, nodes, made_at, tops, status, .. } = self;
        LeafRenewal { margin: *margin, boxes, status, which }.renew_all((nodes, made_at), tops, executor)
    }

    /// Rebuilds the moved leaves, and the bounds above each as far as something changes; returns how many bodies leapt.
    fn renew_moved(&mut self, boxes: &[Aabb]) -> usize {
        let Self { margin, nodes, made_at, leaf, parent, moved, status, .. } = self;
        let renewal = LeafRenewal { margin: *margin, boxes, status, which: MOVED };
        let mut leapt = 0;
        for &body in &*moved {
            let i = leaf[body as usize] as usize;
            leapt += renewal.renew(&mut nodes[i], &mut made_at[i]);
        }
        for &body in &*moved {
            let mut i = parent[leaf[body as usize] as usize];
            while i != INNER {
                let bounds = around_children(nodes, i as usize, 0);
                if bounds == nodes[i as usize].bounds {
                    break;
                }
                nodes[i as usize].bounds = bounds;
                i = parent[i as usize];
            }
        }
        leapt
    }

    fn build(&mut self, boxes: &[Aabb], executor: &dyn Executor) -> TreeUpdate {
        self.wear = 0;
        self.nodes.clear();
        self.parent.clear();
        self.last.clear();
        self.last.extend_from_slice(boxes);
        self.status.clear();
        self.status.resize(boxes.len(), CHANGED);
        self.unbounded.clear();
        self.leaf.clear();
        self.leaf.resize(boxes.len(), INNER);
        self.sort_by_morton_code(boxes);

        // preorder: the left part of a range is taken next, the right one waits
        self.ranges.clear();
        if !self.codes.is_empty() {
            self.ranges.push(Range { begin: 0, end: self.codes.len() as u32, parent: INNER });
        }
        while let Some(Range { begin, end, parent }) = self.ranges.pop() {
            let node = self.nodes.len() as u32;
            self.parent.push(parent);
            // a subtree of m leaves has 2 m - 1 nodes
            let skip = node + 2 * (end - begin) - 1;
            if end - begin == 1 {
                let body = self.codes[begin as usize] as u32;
                self.nodes.push(Node { bounds: OutwardBox::EMPTY, body, skip });
                self.leaf[body as usize] = node;
                continue;
            }
            self.nodes.push(Node { bounds: OutwardBox::EMPTY, body: INNER, skip });
            let middle = split(&self.codes, begin, end);
            self.ranges.push(Range { begin: middle, end, parent: node });
            self.ranges.push(Range { begin, end: middle, parent: node });
        }
        self.made_at.resize(self.nodes.len(), Vec3::ZERO);
        for (exact, leaf) in boxes.iter().zip(&self.leaf).filter(|(_, leaf)| **leaf != INNER) {
            self.made_at[*leaf as usize] = exact.min;
        }
        self.renew_all(boxes, CHANGED, executor);
        TreeUpdate::Renewed
    }

    /// Fills `codes` with the bounded bodies along the Morton curve: the code above the body's index.
    fn sort_by_morton_code(&mut self, boxes: &[Aabb]) {
        let (mut lo, mut hi) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        self.codes.clear();
        for (i, b) in boxes.iter().enumerate() {
            if is_bounded(b) {
                let c = middle(b);
                (lo, hi) = (lo.min(c), hi.max(c));
                self.codes.push(i as u64);
            } else if !is_void(b) {
                self.unbounded.push(i as u32);
            }
        }
        // 2^10 cells on the longest side; a scene without extent has one cell
        let size = (hi - lo).max_element();
        let scale = if size > 0.0 && size.is_finite() { 1023.0 / size } else { 0.0 };
        for code in &mut self.codes {
            let cell = (middle(&boxes[*code as usize]) - lo) * scale;
            let bits = spread(cell.x) << 2 | spread(cell.y) << 1 | spread(cell.z);
            *code |= bits << 32;
        }
        // bodies with the same code ascend already
        radix::sort(&mut self.codes, &mut self.room, |code| code >> 32);
    }
}

/// The marks of a body whose box has changed from the first to the second.
#[inline]
fn look_at(nodes: &[Node], leaf: u32, [last, b]: [&Aabb; 2]) -> u8 {
    // the tree holds bounded boxes, a list the unbounded ones, and nothing the void ones
    if (leaf == INNER) == is_bounded(b) || is_void(last) != is_void(b) {
        CHANGED | MISPLACED
    } else if leaf != INNER && !nodes[leaf as usize].bounds.contains(b) {
        CHANGED | MOVED
    } else {
        CHANGED
    }
}

/// Returns true if a box has a place in the tree.
fn is_bounded(b: &Aabb) -> bool {
    b.min.is_finite() && b.max.is_finite()
}

/// The centre, without overflow.
fn middle(b: &Aabb) -> Vec3 {
    b.min * 0.5 + b.max * 0.5
}

/// Ten bits of a cell number, spread with two zeros before each.
fn spread(cell: Real) -> u64 {
    let mut x = cell as u64 & 0x3ff;
    x = (x | x << 16) & 0x0300_00ff;
    x = (x | x << 8) & 0x0300_f00f;
    x = (x | x << 4) & 0x030c_30c3;
    (x | x << 2) & 0x0924_9249
}

/// Split position of a sorted range: at the highest bit in which its codes differ, or in the middle if all are the
/// same.
fn split(codes: &[u64], begin: u32, end: u32) -> u32 {
    let code = |i: u32| (codes[i as usize] >> 32) as u32;
    let (first, last) = (code(begin), code(end - 1));
    if first == last {
        return begin + (end - begin) / 2;
    }
    let bit = 1_u32 << (first ^ last).ilog2();
    let range = &codes[begin as usize..end as usize];
    begin + range.partition_point(|c| ((c >> 32) as u32) & bit == 0) as u32
}
