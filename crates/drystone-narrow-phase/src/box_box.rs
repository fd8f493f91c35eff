//! Two boxes: the separating-axis test, exact distance, least depth, and the two methods of thesis 6.3.

mod distance;
mod frame;
mod improved;
mod least_depth;
mod old;
mod query;

use drystone_core::Feature;
use drystone_math::Vec3;

pub(crate) use improved::query as improved;
pub(crate) use least_depth::query as least_depth;
pub(crate) use old::query as old;

/// The feature of a box at a point of its surface whose coordinates are plus, minus or nothing of the half extents.
pub(crate) fn feature_at(corner: Vec3) -> Feature {
    on_sides(corner.to_array().map(|c| c != 0.0), corner)
}

/// The feature of the box with half extents `h` that carries the surface point `q` (both in the box's frame).
#[inline]
pub(crate) fn feature_of(q: Vec3, h: Vec3) -> Feature {
    on_sides([0, 1, 2].map(|k| q[k].abs() >= h[k]), q)
}

/// The feature at a point that is on a side of the box across some of its axes.
#[inline(always)]
fn on_sides(on: [bool; 3], at: Vec3) -> Feature {
    let bits = |set: [bool; 3]| set.into_iter().zip(0..).fold(0_u32, |bits, (set, k)| bits | u32::from(set) << k);
    let (on, minus) = (bits(on), bits(at.to_array().map(|c| c < 0.0)));
    let side = |k: u32| minus >> k & 1;
    match on.count_ones() {
        3 => Feature::Vertex(minus),
        2 => {
            let axis = (!on).trailing_zeros();
            Feature::Edge(4 * axis + side((axis + 1) % 3) + 2 * side((axis + 2) % 3))
        }
        1 => {
            let axis = on.trailing_zeros();
            Feature::Face(2 * axis + side(axis))
        }
        _ => Feature::Surface,
    }
}
