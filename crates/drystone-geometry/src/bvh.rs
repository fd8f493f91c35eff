//! Bounding volumes of face sets, binary trees of them, and walks through one tree or two.

mod distance;
mod swept_rectangle;
mod tree;
mod volume;

pub use distance::{DistanceInterval, DistanceOrder, tree_distance};
pub use swept_rectangle::SweptRectangle;
pub use tree::{BoundingTree, Branch, triangle_pairs};
pub use volume::{AxisBox, BoundingBall, BoundingVolume, KDop, OrientedBox};
