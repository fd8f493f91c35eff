//! Two meshes whose surfaces cut each other between their samples.

use crate::gap::Gap;
use crate::segment::closest_points;
use drystone_core::PosedShape;
use drystone_geometry::MeshShape;
use drystone_geometry::bvh::triangle_pairs;
use drystone_geometry::triangle::{closest_between_triangles, closest_on_triangle};
use drystone_math::{Real, Vec3};

/// After this many pairs of triangles that cut each other, the deepest so far is taken.
const MOST_CUTS: usize = 256;

/// A direction may lean behind a face by this sine and still lead out of it.
const LEAN: Real = 1e-9;

/// Separating displacement of two triangles that cut each other, and its place (A's frame).
#[derive(Clone, Copy)]
struct Cut {
    depth: Real,
    normal: Vec3,
    /// A point of both, or between two edges.
    at: Vec3,
    /// The points of each that part last (m); they are the depth apart along the normal.
    on: [Vec3; 2],
}

/// The deepest pair of triangles that cut each other, measured by the shortest way that leads out of both faces, and where they cut
/// (m); `None` if no two do.
pub(crate) fn crossing(
    (a, x): (PosedShape<'_>, &MeshShape),
    (b, y): (PosedShape<'_>, &MeshShape),
) -> Option<(Gap, Vec3)> {
    let rel = b.pose.relative_to(&a.pose);
    let mut deepest: Option<Cut> = None;
    let mut cuts = 0;
    triangle_pairs(x.balls(), y.balls(), &rel, 0.0, |s, t| {
        let (p, q) = (x.mesh().corners(s), y.mesh().corners(t).map(|v| rel.point(v)));
        let (on_p, on_q) = closest_between_triangles(p, q);
        if (on_q - on_p).length_squared() > 0.0 {
            return true;
        }
        let normals = [x.normals().face(s), rel.direction(y.normals().face(t))];
        if let Some(cut) = parted(p, q, normals, on_p)
            && deepest.is_none_or(|d| cut.depth > d.depth)
        {
            deepest = Some(cut);
        }
        cuts += 1;
        cuts < MOST_CUTS
    });
    let cut = deepest.filter(|c| c.depth > 0.0)?;
    let [on_a, on_b] = cut.on.map(|p| a.pose.point(p));
    Some((Gap::smooth(-cut.depth, a.pose.direction(cut.normal), on_a, on_b), a.pose.point(cut.at)))
}

/// Minimum-penetration axis of two triangles that is consistent with both face orientations.
fn parted(p: [Vec3; 3], q: [Vec3; 3], [front, back]: [Vec3; 2], common: Vec3) -> Option<Cut> {
    let foremost = |t: &[Vec3; 3], n: Vec3| {
        let h = t.map(|v| n.dot(v));
        let k = if h[0] >= h[1] && h[0] >= h[2] { 0 } else { 1 + usize::from(h[2] > h[1]) };
        t[k]
    };
    let mut best: Option<Cut> = None;
    // `meet` gives the points that part last, from the foremost corners
    let mut take = |n: Vec3, at: Vec3, meet: &dyn Fn(Vec3, Vec3) -> [Vec3; 2]| {
        if n.dot(front) < -LEAN || n.dot(back) > LEAN {
            return;
        }
        // the second goes along n until it is past the first
        let (x, y) = (foremost(&p, n), foremost(&q, -n));
        let depth = n.dot(x - y);
        if best.is_none_or(|b| depth < b.depth) {
            best = Some(Cut { depth, normal: n, at, on: meet(x, y) });
        }
    };
    take(front, common, &|_, y| [closest_on_triangle(y, p[0], p[1], p[2]).0, y]);
    take(-back, common, &|x, _| [x, closest_on_triangle(x, q[0], q[1], q[2]).0]);
    for i in 0..3 {
        for j in 0..3 {
            let (u, v) = (p[(i + 1) % 3] - p[i], q[(j + 1) % 3] - q[j]);
            let n = u.cross(v);
            if n.length_squared() <= 1e-14 * u.length_squared() * v.length_squared() {
                continue;
            }
            let n = n.normalize();
            let (x, y) = closest_points(p[i], p[(i + 1) % 3], q[j], q[(j + 1) % 3]);
            for n in [n, -n] {
                // the edges, unless an opposite corner is farther out
                let apart = |[x, y]: [Vec3; 2]| n.dot(x - y);
                take(n, (x + y) * 0.5, &|s, t| {
                    let size = (s - t).abs().max_element();
                    if apart([s, t]) - apart([x, y]) <= 1e-12 * size { [x, y] } else { [s, t] }
                });
            }
        }
    }
    best
}
