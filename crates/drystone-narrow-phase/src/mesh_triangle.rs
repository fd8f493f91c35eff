//! One triangle of a mesh and a convex shape.

use crate::gap::Gap;
use crate::gjk;
use crate::gjk_epa::separation;
use crate::minkowski::Difference;
use crate::segment::closest_points;
use drystone_geometry::triangle::closest_on_triangle;
use drystone_geometry::{MeshShape, Shape};
use drystone_math::{Pose, Real, Vec3};

/// The gap of a mesh's triangle and a convex shape, in the mesh's frame; for overlaps see [`way_out`].
pub(crate) fn triangle_gap(mesh: &MeshShape, triangle: usize, shape: &Shape, pose: &Pose, limit: Real) -> Option<Gap> {
    let t = mesh.mesh().corners(triangle);
    let d = Difference::of_triangle(t, shape, pose)?;
    let mut simplex = gjk::toward(&d, pose.position - t[0]);
    let answer = gjk::distance(&d, &mut simplex, limit + d.radius);
    if answer.distance > 0.0 {
        let found = separation(&d, &answer, &simplex, limit + d.radius);
        let n = found.normal;
        return Some(Gap::smooth(found.distance - d.radius, n, found.on_a, found.on_b - n * d.radius));
    }
    let out = way_out(mesh, triangle, &d);
    // the shortest way out of the triangle itself, if it does not lead into the solid behind it
    let found = separation(&d, &answer, &simplex, Real::INFINITY);
    let (n, distance) = (found.normal, found.distance - d.radius);
    let is_shorter = distance > out.distance && n.dot(mesh.normals().face(triangle)) >= 0.0;
    Some(if is_shorter { Gap::smooth(distance, n, found.on_a, found.on_b - n * d.radius) } else { out })
}

/// Points count as opposite each other up to this fraction of the size.
const OPPOSITE: Real = 1e-9;

/// Steps of the search on the arc between two normals; each leaves 0.62 of the arc.
const ARC_STEPS: u32 = 24;

/// A way for a convex shape out of a triangle, with the side of the triangle that it leaves last; `None` stands for the whole
/// triangle.
#[derive(Clone, Copy)]
struct WayOut {
    normal: Vec3,
    /// Negative depth (m).
    below: Real,
    /// The shape's deepest point (m).
    on_b: Vec3,
    side: Option<usize>,
}

/// The shortest way for a convex shape out of a triangle that it overlaps, among those that lead out of the solid behind
/// it: along its normal, and along the directions between its normal and a neighbour's if their edge is convex.
fn way_out(mesh: &MeshShape, triangle: usize, d: &Difference<'_>) -> Gap {
    let corners = mesh.mesh().corners(triangle);
    let face = mesh.normals().face(triangle);
    let along = |normal: Vec3, from: Vec3, side: Option<usize>| {
        let on_b = d.support(-normal).on_b() - normal * d.radius;
        WayOut { normal, below: normal.dot(on_b - from).min(0.0), on_b, side }
    };
    let mut best = along(face, corners[0], None);
    for side in 0..3 {
        let Some(other) = mesh.topology().across(triangle, side) else { continue };
        let (from, edge) = (corners[side], corners[(side + 1) % 3] - corners[side]);
        let beyond = mesh.normals().face(other);
        if face.cross(beyond).dot(edge) <= 1e-9 * edge.length() {
            continue;
        }
        // golden section on the arc
        let at = |w: Real| along((face * (1.0 - w) + beyond * w).normalize_or(face), from, Some(side));
        let golden = 0.618_033_988_749_894_9;
        let (mut low, mut high) = (0.0, 1.0);
        let mut inner = (at(1.0 - golden), at(golden));
        for _ in 0..ARC_STEPS {
            if inner.0.below >= inner.1.below {
                high = low + golden * (high - low);
                inner = (at(high - golden * (high - low)), inner.0);
            } else {
                low = high - golden * (high - low);
                inner = (inner.1, at(low + golden * (high - low)));
            }
        }
        for way in [inner.0, inner.1, at(1.0)] {
            if way.below > best.below {
                best = way;
            }
        }
    }
    let WayOut { normal: n, below, on_b, side } = best;
    // just before parting they touch at points of both, unless they part sooner along this way: then the shape's deepest point
    // and the part of the triangle that it leaves last lie beside each other
    let by = n * (d.radius - 1.001 * below + 1e-9 * d.size);
    let moved = d.moved(by);
    let answer = gjk::distance(&moved, &mut gjk::toward(&moved, n), Real::INFINITY);
    let met = answer.on_b - by - n * d.radius;
    if answer.distance > 0.0 && (met - answer.on_a - n * below).length() <= OPPOSITE * d.size {
        return Gap::smooth(below, n, answer.on_a, answer.on_a + n * below);
    }
    let on_a = match side {
        None => closest_on_triangle(on_b, corners[0], corners[1], corners[2]).0,
        Some(side) => {
            let end = corners[(side + 1) % 3];
            closest_points(corners[side], end, on_b, on_b).0
        }
    };
    Gap::smooth(below, n, on_a, on_b)
}
