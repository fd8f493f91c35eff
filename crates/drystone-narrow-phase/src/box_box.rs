//! Two boxes: the separating-axis test, exact distance, least depth, and the two methods of thesis 6.3.

mod answers;
mod coordinate;
mod crossing;
mod deepest;
mod distance;
mod frame;
mod improved;
mod least_depth;
mod old;
mod pairings;
mod query;
mod segments;
mod separations;
mod side_by_side;

use drystone_core::Feature;
use drystone_math::Vec3;

pub(crate) use improved::query as improved;
pub(crate) use least_depth::query as least_depth;
pub(crate) use old::query as old;
pub(crate) use side_by_side::SideBySide;

/// The feature of a box at a surface point whose coordinates are each plus, minus or zero times the half extents.
#[inline(always)]
pub(crate) fn feature_at(corner: Vec3) -> Feature {
    on_sides([corner.x != 0.0, corner.y != 0.0, corner.z != 0.0], corner)
}

/// The feature of the box with half extents `h` that carries the surface point `q` (both in the box's frame).
#[inline(always)]
pub(crate) fn feature_of(q: Vec3, h: Vec3) -> Feature {
    on_sides([q.x.abs() >= h.x, q.y.abs() >= h.y, q.z.abs() >= h.z], q)
}

/// The features as a table, so that the look-up needs no branch. The index has a bit for each axis across whose sides the point lies and, three
/// bits further on, a bit for each negative coordinate.
static FEATURES: [Feature; 64] = {
    let mut features = [Feature::Surface; 64];
    let mut bits = 0;
    while bits < 64 {
        features[bits as usize] = on_sides_of(bits & 7, bits >> 3);
        bits += 1;
    }
    features
};

const fn on_sides_of(on: u32, minus: u32) -> Feature {
    match on.count_ones() {
        3 => Feature::Vertex(minus),
        2 => {
            let axis = (!on).trailing_zeros();
            Feature::Edge(4 * axis + (minus >> ((axis + 1) % 3) & 1) + 2 * (minus >> ((axis + 2) % 3) & 1))
        }
        1 => {
            let axis = on.trailing_zeros();
            Feature::Face(2 * axis + (minus >> axis & 1))
        }
        _ => Feature::Surface,
    }
}

/// The feature at a point that lies on the box's sides across some of its axes.
#[inline(always)]
fn on_sides(on: [bool; 3], at: Vec3) -> Feature {
    let bits = |[x, y, z]: [bool; 3]| usize::from(x) | usize::from(y) << 1 | usize::from(z) << 2;
    FEATURES[bits(on) | bits([at.x < 0.0, at.y < 0.0, at.z < 0.0]) << 3]
}
