use crate::outward_box::OutwardBox;

/// A node of the tree, in 32 bytes. Nodes are in preorder: the left child follows its parent, the right one follows the
/// left one's subtree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) bounds: OutwardBox,
    /// The body of a leaf, or [`INNER`].
    pub(crate) body: u32,
    /// Index of the next subtree: the place to go on if this one is of no interest.
    pub(crate) skip: u32,
}

/// Marks an inner node.
pub(crate) const INNER: u32 = u32::MAX;

/// Marks a body whose box has changed since the last update.
pub(crate) const CHANGED: u8 = 1;

/// Marks a body whose leaf was rebuilt.
pub(crate) const MOVED: u8 = 2;

/// Up to this many boxes are not worth a second thread.
pub(crate) const FEW: usize = 1024;
