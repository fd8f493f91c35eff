use super::{Pseudonormals, TriangleMesh};
use crate::bvh::{AxisBox, BoundingTree};
use drystone_math::{Real, Vec3};

/// Number of triangles from which balls are grown inwards. Twice as many find balls that are larger by a hundredth in bent solids.
const STARTS: usize = 32;

/// Most balls that are kept: enough for a rod that is eight times as long as it is thick.
const MOST_BALLS: usize = 8;

/// Most steps in which a ball shrinks or is moved; five are common.
const MOST_STEPS: usize = 24;

/// A ball that shrinks by less than this fraction has come to an end.
const SETTLED: Real = 1e-6;

/// Large balls inside a watertight mesh, each with its centre and radius (m), the largest first. No centre lies in a larger ball.
///
/// # Source
/// Ma, Bae and Choi 2012, "3D medial axis point approximation using nearest neighbors and the normal field": a ball that touches the surface at a point shrinks until it
/// holds no other point of it. Then the largest is moved along the gradient of the distance.
pub(super) fn inner_balls(
    mesh: &TriangleMesh,
    normals: &Pseudonormals,
    tree: &BoundingTree<AxisBox>,
) -> Vec<(Vec3, Real)> {
    let count = mesh.triangles().len();
    let starts = STARTS.min(count);
    let grown = (0..starts).filter_map(|k| shrink(mesh, normals, tree, k * count / starts));
    let mut balls: Vec<(Vec3, Real)> = grown.collect();
    balls.sort_by(|a, b| b.1.total_cmp(&a.1));
    if let Some(largest) = balls.first_mut() {
        *largest = climb(mesh, normals, tree, *largest);
    }
    let mut kept: Vec<(Vec3, Real)> = Vec::new();
    for (center, radius) in balls {
        let is_apart = kept.iter().all(|(c, r)| (center - *c).length() > *r);
        if is_apart && kept.len() < MOST_BALLS {
            kept.push((center, radius));
        }
    }
    kept
}

/// The largest ball inside that touches the middle of a triangle; `None` if there is none.
fn shrink(
    mesh: &TriangleMesh,
    normals: &Pseudonormals,
    tree: &BoundingTree<AxisBox>,
    triangle: usize,
) -> Option<(Vec3, Real)> {
    let touch = mesh.corners(triangle).into_iter().sum::<Vec3>() / 3.0;
    let inwards = -normals.face(triangle);
    let mut radius = mesh.vertices().iter().fold(0.0, |m: Real, p| m.max((*p - touch).length()));
    for _ in 0..MOST_STEPS {
        let (nearest, _) = tree.closest_point(mesh, touch + inwards * radius, radius)?;
        let to = nearest - touch;
        // the ball through both points
        let smaller = to.length_squared() / (2.0 * inwards.dot(to));
        if !(smaller > 0.0 && smaller < radius * (1.0 - SETTLED)) {
            break;
        }
        radius = smaller;
    }
    let center = touch + inwards * radius;
    let found = normals.distance(mesh, tree, center, Real::INFINITY)?;
    (found.distance < 0.0).then_some((center, -found.distance))
}

/// A larger ball, found by moving the centre away from the nearest point of the surface.
fn climb(
    mesh: &TriangleMesh,
    normals: &Pseudonormals,
    tree: &BoundingTree<AxisBox>,
    (mut center, mut radius): (Vec3, Real),
) -> (Vec3, Real) {
    let mut step = 0.5 * radius;
    let Some(mut gradient) = normals.distance(mesh, tree, center, Real::INFINITY).map(|d| d.gradient) else {
        return (center, radius);
    };
    for _ in 0..MOST_STEPS {
        let next = center - gradient * step;
        match normals.distance(mesh, tree, next, Real::INFINITY) {
            Some(there) if there.distance < -radius => {
                (center, radius, gradient) = (next, -there.distance, there.gradient);
            }
            _ => step *= 0.5,
        }
    }
    (center, radius)
}

#[cfg(test)]
mod tests {
    use super::super::{MapSettings, MeshShape};
    use super::*;

    fn balls(mesh: TriangleMesh) -> Vec<(Vec3, Real)> {
        MeshShape::new(mesh, None::<MapSettings>).unwrap().inner_balls().to_vec()
    }

    /// Balls lie in the box, and the largest has at least 0.6 of its shortest edge as its diameter: a climb may end on a ridge of the distance. Along a rod there are several.
    #[test]
    fn balls_lie_in_a_box_and_fill_its_width() {
        for h in [[0.5, 0.5, 0.5], [2.0, 0.2, 0.3], [0.1, 1.0, 1.0]].map(Vec3::from_array) {
            for parts in [1, 4, 9] {
                let found = balls(TriangleMesh::cuboid(h, parts));
                assert!(found[0].1 > 0.6 * h.min_element(), "{h} {parts} {found:?}");
                for (c, r) in &found {
                    assert!((c.abs() + Vec3::splat(*r) - h).max_element() < 1e-9, "{h} {c} {r}");
                }
                assert!(found.len() > 1 || h.x == h.y, "{h} {parts} {found:?}");
            }
        }
    }
}
