use super::distance::{beside_face, closest};
use super::frame::BoxPair;
use super::{feature_at, feature_of};
use crate::gap::Gap;
use crate::segment::closest_points;
use drystone_core::Feature;
use drystone_geometry::Cuboid;
use drystone_math::{Pose, Real, Vec3};

/// An edge axis must beat the best face by this part of its depth, and by this part of the boxes' size.
const EDGE_MARGIN: (Real, Real) = (0.02, 1e-5);

/// B's face must beat A's by this part of the size, so that equal ones do not take turns.
const FACE_MARGIN: Real = 1e-9;

/// Boxes closer than this part of their size leave no direction in the difference of their closest points.
const CLOSE: Real = 1e-5;

/// Cosine below which an edge of the support counts as level when the boxes overlap.
const LEVEL_WHEN_DEEP: Real = 1e-3;

/// Two boxes, by the improved method of thesis 6.3: separating axes, and among the overlapping ones the face of
/// least depth, unless an edge pair is clearly shallower and all four of its ends lie outside the other box.
///
/// `cache` is the axis that separated them last, plus one. Apart by more than the envelope, the distance is the
/// separation along an axis, a lower bound.
///
/// # Source
/// Thesis 6.3 (K-11). Differs in: rotation noise is not truncated in the matrices; a margin in favour of faces does
/// the same for tilts up to 1e-5 and keeps the boxes where they are. Apart, the exact closest points are found.
pub(crate) fn query(a: &Cuboid, pose_a: &Pose, b: &Cuboid, pose_b: &Pose, envelope: Real, cache: &mut u32) -> Gap {
    let p = BoxPair::new(a, pose_a, b, pose_b);
    let far = |axis: usize, s: Real| {
        let n = pose_a.direction(p.direction(axis));
        Gap::smooth(s, n, pose_a.position, pose_b.position)
    };

    // the axis that separated them the last time
    if (1..=15).contains(cache) {
        let axis = *cache as usize - 1;
        let s = p.separation(axis);
        if s > envelope {
            return far(axis, s);
        }
    }

    // the six faces, then the nine edge pairs
    let (face_a, s_a) = largest(p.faces_a());
    let (face_b, s_b) = largest(p.faces_b());
    let (face, s_face) = if s_b > s_a + FACE_MARGIN * p.size() { (3 + face_b, s_b) } else { (face_a, s_a) };
    if s_face > envelope {
        *cache = face as u32 + 1;
        return far(face, s_face);
    }
    let floor = if s_face > 0.0 { s_face } else { s_face * (1.0 - EDGE_MARGIN.0) };
    let (s_edge, edge) = p.best_edges(floor);
    if let Some(edge) = edge
        && s_edge > envelope
    {
        *cache = edge as u32 + 1;
        return far(edge, s_edge);
    }

    // apart by an axis: the closest points
    let s = s_face.max(s_edge);
    if s > 0.0 {
        let axis = edge.filter(|_| s_edge > s_face).unwrap_or(face);
        let (on_a, on_b) = closest(&p, axis, s);
        let d = on_b - on_a;
        let distance = d.length();
        let n = d / distance;
        if distance > CLOSE * p.size() || (distance > 0.0 && p.separation_along(n) >= s) {
            return placed(&p, pose_a, (distance, n, on_a, on_b));
        }
        // so close that the direction of the difference is noise: the axis knows better
    }

    // overlapping: an edge pair only where it is clearly shallower and ends outside
    if let Some(edge) = edge
        && s_edge > s_face + EDGE_MARGIN.1 * p.size()
        && let Some((on_a, on_b)) = crossing(&p, edge)
    {
        return placed(&p, pose_a, (s_edge, p.direction(edge), on_a, on_b));
    }
    let n = p.direction(face);
    let (on_a, on_b) = if face < 3 {
        let (on_a, on_b, _) = beside_face(&p, face, n, s_face, LEVEL_WHEN_DEEP);
        (on_a, on_b)
    } else {
        let (on_b, on_a, _) = beside_face(&p.flipped(), face - 3, -p.direction_in_b(n), s_face, LEVEL_WHEN_DEEP);
        (p.point_in_a(on_a), p.point_in_a(on_b))
    };
    let gap = placed(&p, pose_a, (s_face, n, on_a, on_b));
    if face < 3 {
        Gap { feature_a: face_feature(face, n), ..gap }
    } else {
        Gap { feature_b: face_feature(face - 3, -p.direction_in_b(n)), ..gap }
    }
}

fn largest(v: Vec3) -> (usize, Real) {
    let k = if v.x >= v.y && v.x >= v.z { 0 } else { 1 + usize::from(v.z > v.y) };
    (k, v[k])
}

fn face_feature(axis: usize, n: Vec3) -> Feature {
    let mut at = Vec3::ZERO;
    at[axis] = n[axis];
    feature_at(at)
}

/// From A's frame to the world, with the features that carry the points.
fn placed(p: &BoxPair, pose_a: &Pose, (distance, n, on_a, on_b): (Real, Vec3, Vec3, Vec3)) -> Gap {
    let snap = |q: Vec3, h: Vec3| feature_of(q * (1.0 + 1e-12), h);
    let local_b = p.direction_in_b(on_b - p.t);
    Gap {
        feature_a: snap(on_a, p.ha),
        feature_b: snap(local_b, p.hb),
        ..Gap::smooth(distance, pose_a.direction(n), pose_a.point(on_a), pose_a.point(on_b))
    }
}

/// The closest points of the two edges of an edge axis, where all four ends lie outside the other box.
fn crossing(p: &BoxPair, axis: usize) -> Option<(Vec3, Vec3)> {
    let (i, j) = ((axis - 6) / 3, (axis - 6) % 3);
    let n = p.direction(axis);
    let c = p.direction_in_b(n);
    let (mut a0, mut b0) = (Vec3::ZERO, Vec3::ZERO);
    for k in 0..3 {
        a0[k] = p.ha[k].copysign(n[k]);
        b0[k] = -p.hb[k].copysign(c[k]);
    }
    let (mut a1, mut b1) = (a0, b0);
    a1[i] = -a1[i];
    b1[j] = -b1[j];
    let (b0_in_a, b1_in_a) = (p.point_in_a(b0), p.point_in_a(b1));
    let inside = |q: Vec3, h: Vec3| q.abs().cmplt(h).all();
    let in_b = |q: Vec3| p.direction_in_b(q - p.t);
    if inside(b0_in_a, p.ha) || inside(b1_in_a, p.ha) || inside(in_b(a0), p.hb) || inside(in_b(a1), p.hb) {
        return None;
    }
    Some(closest_points(a0, a1, b0_in_a, b1_in_a))
}
