//! How far a ball must move to leave a closed non-convex mesh, against brute force over directions and triangles.

use drystone_core::{NarrowPhase, PosedShape};
use drystone_geometry::triangle::closest_on_triangle;
use drystone_geometry::{MeshShape, Shape, TriangleMesh};
use drystone_math::{Pose, Real, Vec3};
use drystone_narrow_phase::{Combined, ExactMesh};
use drystone_testkit::Random;

/// A box whose vertices are pulled in and out: a star with grooves.
fn star() -> TriangleMesh {
    let m = TriangleMesh::cuboid(Vec3::new(1.0, 0.8, 0.6), 4);
    let pulled = |(i, p): (usize, &Vec3)| *p * if i % 3 == 0 { 1.4 } else { 0.8 };
    TriangleMesh::new(m.vertices().iter().enumerate().map(pulled).collect(), m.triangles().to_vec()).unwrap()
}

/// Distance from the surface, by checking all triangles.
fn from_surface(mesh: &TriangleMesh, p: Vec3) -> Real {
    (0..mesh.triangles().len()).fold(Real::INFINITY, |least, t| {
        let [a, b, c] = mesh.corners(t);
        least.min((closest_on_triangle(p, a, b, c).0 - p).length())
    })
}

/// Whether a point is inside, by the solid angles of all triangles.
fn is_inside(mesh: &TriangleMesh, p: Vec3) -> bool {
    let angle = |t: usize| {
        let [a, b, c] = mesh.corners(t).map(|q| q - p);
        let (x, y, z) = (a.length(), b.length(), c.length());
        2.0 * a.dot(b.cross(c)).atan2(x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y)
    };
    (0..mesh.triangles().len()).map(angle).sum::<Real>() > core::f64::consts::TAU
}

/// The shortest way out among many directions, which is at most slightly longer than the shortest of all.
fn brute_force(mesh: &TriangleMesh, center: Vec3, radius: Real) -> Real {
    let directions = 1500;
    let mut best = Real::INFINITY;
    for i in 0..directions {
        let y = 1.0 - 2.0 * (Real::from(i) + 0.5) / Real::from(directions);
        let w = 2.399_963_229_728_653 * Real::from(i);
        let r = (1.0 - y * y).sqrt();
        let way = Vec3::new(r * w.cos(), y, r * w.sin());
        let mut length = 0.0;
        while length < best {
            let at = center + way * length;
            let far = from_surface(mesh, at);
            let overlap = radius - if is_inside(mesh, at) { -far } else { far };
            if overlap <= 1e-6 {
                best = length;
            }
            length += overlap.max(1e-6);
        }
    }
    best
}

#[test]
fn a_ball_leaves_a_star_by_the_shortest_way() {
    let mesh = star();
    let shape = Shape::mesh(MeshShape::new(mesh.clone(), None).unwrap());
    let mut random = Random::new(71);
    let (mut asked, mut worst) = (0, 0.0_f64);
    while asked < 40 {
        let radius = random.range(0.02, 0.5);
        let ball = Shape::sphere(radius).unwrap();
        let pose = Pose::new(random.vector(1.0), random.rotation());
        let center = random.vector(1.2);
        let (a, b) = (
            PosedShape { shape: &shape, pose },
            PosedShape { shape: &ball, pose: Pose::from_position(pose.point(center)) },
        );
        for n in [&ExactMesh as &dyn NarrowPhase, &Combined] {
            let p = n.query(a, b, Real::INFINITY, &mut [0; 4], &mut Vec::new()).unwrap();
            if p.distance >= -1e-3 {
                continue;
            }
            let least = brute_force(&mesh, center, radius);
            worst = worst.max(-p.distance / least);
            assert!(-p.distance < 1.015 * least + 1e-6, "{p:?}: brute force says {least}");
            // and it does lead out, to where the ball just touches
            let free = center + pose.local_direction(p.normal) * -p.distance;
            assert!(!is_inside(&mesh, free) && (from_surface(&mesh, free) - radius).abs() < 1e-6, "{p:?}");
            assert!((p.witness_a + p.normal * p.distance - p.witness_b).length() < 1e-9);
            assert!(from_surface(&mesh, pose.local_point(p.witness_a)) < 1e-9, "{p:?}");
            assert!(((p.witness_b - b.pose.position).length() - radius).abs() < 1e-6, "{p:?}");
            let swapped = n.query(b, a, Real::INFINITY, &mut [0; 4], &mut Vec::new()).unwrap();
            assert!(
                (swapped.distance - p.distance).abs() < 1e-9 * least && (swapped.normal + p.normal).length() < 1e-6
            );
            asked += 1;
        }
    }
    println!("{asked} balls, at most {worst} of the least way");
}
