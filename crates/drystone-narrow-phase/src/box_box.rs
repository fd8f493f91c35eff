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
    let minus = |k: usize| u32::from(corner[k] < 0.0);
    let on = [corner.x != 0.0, corner.y != 0.0, corner.z != 0.0];
    match on.iter().filter(|&&o| o).count() {
        3 => Feature::Vertex(minus(0) | minus(1) << 1 | minus(2) << 2),
        2 => {
            let axis = if on[0] { 2 - usize::from(on[2]) } else { 0 };
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            Feature::Edge(4 * axis as u32 + minus(u) + 2 * minus(v))
        }
        1 => {
            let axis = usize::from(on[1]) + 2 * usize::from(on[2]);
            Feature::Face(2 * axis as u32 + minus(axis))
        }
        _ => Feature::Surface,
    }
}

/// The feature of the box with half extents `h` that carries the surface point `q` (both in the box's frame).
pub(crate) fn feature_of(q: Vec3, h: Vec3) -> Feature {
    let keep = |k: usize| if q[k].abs() >= h[k] { q[k] } else { 0.0 };
    feature_at(Vec3::new(keep(0), keep(1), keep(2)))
}
