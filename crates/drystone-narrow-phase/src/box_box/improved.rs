use super::frame::BoxPair;
use super::query::{LEVEL, apart, facing_edges, far_by_last, on_face, placed, placed_on_face};
use super::side_by_side::alone;
use crate::gap::Gap;
use crate::segment::closest_points;
use drystone_geometry::Cuboid;
use drystone_math::{Pose, Real, Vec3};

/// An edge axis must beat the best face by this fraction of its depth, and by this fraction of the boxes' size.
const EDGE_MARGIN: (Real, Real) = (0.02, 1e-5);

/// B's face must beat A's by this fraction of the size, so that equal ones do not take turns.
const FACE_MARGIN: Real = 1e-9;

/// Two boxes, by the improved method of thesis 6.3 as in the text: separating axes, and if the boxes overlap the face of
/// least depth, unless an edge pair is clearly shallower and all four of its ends lie outside the other box.
///
/// If an end of the edge lies inside, the face taken instead may be far deeper than the edge pair: for two edges that cross near
/// their ends with no overlap, the reported depth is that to a far face. Along such a longer way the boxes part before its end:
/// the witnesses lie on both boxes, the depth apart along the normal, but beside each other.
///
/// # Source
/// Thesis 6.3 (K-11). Differs in: rotation noise is not truncated in the matrices; a margin in favour of faces does the
/// same for tilts up to 1e-5 and keeps the boxes where they are. If the boxes are apart, the exact closest points are
/// found.
pub(crate) fn query(a: &Cuboid, pose_a: &Pose, b: &Cuboid, pose_b: &Pose, envelope: Real, cache: &mut u32) -> Gap {
    let pair = alone([a, b], [pose_a, pose_b], *cache, FACE_MARGIN);
    let (p, separations) = (pair.pair(0), pair.separations());
    if separations.last(0) > envelope {
        return far_by_last(&p, (separations, 0), (pose_a, pose_b), *cache);
    }
    let best = match apart(&p, (separations, 0), (pose_a, pose_b), envelope, cache) {
        Ok(gap) => return gap,
        Err(best) => best,
    };
    let (face, s) = best.face;
    // an edge pair only if it is clearly shallower and ends outside
    let clearly = |s_edges: Real| s_edges > s + EDGE_MARGIN.1 * p.size() && s_edges > s * (1.0 - EDGE_MARGIN.0);
    if let Some((edges, s)) = best.edges.filter(|e| clearly(e.1))
        && let Some((on_a, on_b)) = crossing(&p, edges)
    {
        return placed(&p, pose_a, (s, p.direction(edges), on_a, on_b));
    }
    let n = p.direction(face);
    let (on_a, on_b, _) = on_face(&p, face, n, s, LEVEL);
    placed_on_face(&p, pose_a, face, (s, n, on_a, on_b))
}

/// The closest points of the two edges of an edge axis, if all four ends lie outside the other box.
fn crossing(p: &BoxPair, axis: usize) -> Option<(Vec3, Vec3)> {
    let [a0, a1, b0, b1] = facing_edges(p, axis, p.direction(axis));
    let inside = |q: Vec3, h: Vec3| q.abs().cmplt(h).all();
    let in_b = |q: Vec3| p.direction_in_b(q - p.t);
    if inside(b0, p.ha) || inside(b1, p.ha) || inside(in_b(a0), p.hb) || inside(in_b(a1), p.hb) {
        return None;
    }
    Some(closest_points(a0, a1, b0, b1))
}
