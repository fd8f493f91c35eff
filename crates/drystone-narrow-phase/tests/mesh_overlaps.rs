//! Two closed meshes that overlap: their depth up to two copies on one spot, and the work that it takes.

use drystone_core::{ContactSeed, NarrowPhase, PosedShape, Proximity};
use drystone_geometry::{MeshShape, Shape, TriangleMesh};
use drystone_math::{Pose, Real, Vec3};
use drystone_narrow_phase::Combined;
use drystone_testkit::Random;

/// Height of the bumps on a ball of radius 1 m: it is not its own hull.
const BUMP: Real = 0.02;

/// A bumpy ball of some 2 n^2 triangles.
fn bumpy_ball(n: u32) -> Shape {
    let at = |i: u32, j: u32| 1 + (i - 1) * n + j % n;
    let mut points = vec![Vec3::Y];
    for (i, j) in (1..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let theta = core::f64::consts::PI * Real::from(i) / Real::from(n);
        let phi = core::f64::consts::TAU * Real::from(j) / Real::from(n);
        let out = Vec3::new(theta.sin() * phi.cos(), theta.cos(), theta.sin() * phi.sin());
        points.push(out * (1.0 + BUMP * (5.0 * theta).sin() * (4.0 * phi).sin()));
    }
    points.push(Vec3::NEG_Y);
    let last = points.len() as u32 - 1;
    let caps = (0..n).flat_map(|j| [[0, at(1, j + 1), at(1, j)], [last, at(n - 1, j), at(n - 1, j + 1)]]);
    let rings = (1..n - 1).flat_map(|i| (0..n).map(move |j| (i, j)));
    let sides = rings
        .flat_map(|(i, j)| [[at(i, j), at(i, j + 1), at(i + 1, j)], [at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)]]);
    let mesh = TriangleMesh::new(points, caps.chain(sides).collect()).unwrap();
    let mesh = MeshShape::new(mesh, None).unwrap();
    assert!(mesh.report().is_solid() && !mesh.is_convex());
    Shape::mesh(mesh)
}

fn ask(a: (&Shape, Pose), b: (&Shape, Pose)) -> (Proximity, Vec<ContactSeed>) {
    let posed = |(shape, pose)| PosedShape { shape, pose };
    let mut seeds = Vec::new();
    (Combined.query(posed(a), posed(b), 0.005, &mut [0; 4], &mut seeds).unwrap(), seeds)
}

/// Depth and normal are those of the balls without bumps, to the size of these, at any distance between the middles.
#[test]
fn overlaps_are_as_deep_as_those_of_the_balls() {
    let balls = [12, 24, 40].map(bumpy_ball);
    let mut r = Random::new(4711);
    for k in 0..120 {
        let [a, b] = [k % 3, k / 3 % 3].map(|i| &balls[i]);
        let apart = r.range(0.0, 1.9);
        let way = r.direction();
        let start = Pose::new(r.direction() * 3.0, r.rotation());
        let there = Pose::new(start.position + way * apart, r.rotation());
        let (p, seeds) = ask((a, start), (b, there));
        // a ball of twelve parts about is flatter than a round one by a thirtieth
        assert!((p.distance + 2.0 - apart).abs() < 2.5 * BUMP + 0.1, "{k}: {apart} {p:?}");
        assert!(apart < 0.3 || p.normal.dot(way) > 0.8, "{k}: {apart} {way} {p:?}");
        // nothing pulls them further in
        assert!(apart > 1.2 || seeds.iter().all(|s| s.normal.dot(p.normal) > 0.0), "{k}: {apart}");
    }
}

/// No sample of either of two copies on one spot lies in the other: the balls inside tell the depth. The control: their surfaces alone touch and no more.
#[test]
fn two_copies_on_one_spot_report_their_penetration() {
    let mut r = Random::new(99);
    for shape in [12, 31].map(bumpy_ball) {
        let Shape::Mesh(mesh) = &shape else { unreachable!("a mesh") };
        let least = mesh.samples().points().iter().map(|p| mesh.distance(*p, 1.0).unwrap().distance);
        assert!(least.fold(0.0, Real::min) > -1e-12);
        for _ in 0..10 {
            let pose = Pose::new(r.direction() * 5.0, r.rotation());
            let (p, seeds) = ask((&shape, pose), (&shape, pose));
            assert!(p.distance < -1.85 && !seeds.is_empty(), "{p:?}");
        }
    }
}

/// However fine the meshes, an overlap takes a bounded number of distances and contacts; a touch takes no more than grows with the square root of the triangles.
#[test]
fn work_does_not_grow_with_the_triangles() {
    let (coarse, fine) = (bumpy_ball(18), bumpy_ball(72));
    let mut r = Random::new(5);
    let mut touching = [0, 0];
    for _ in 0..12 {
        let way = r.direction();
        let (from, to) = (r.rotation(), r.rotation());
        let query =
            |shape: &Shape, apart: Real| ask((shape, Pose::new(Vec3::ZERO, from)), (shape, Pose::new(way * apart, to)));
        for apart in [0.0, 0.2, 0.7, 1.0, 1.5, 1.8] {
            let (p, seeds) = query(&fine, apart);
            assert!(p.iterations < 2000 && seeds.len() < 400, "{apart}: {} {}", p.iterations, seeds.len());
        }
        for (sum, shape) in touching.iter_mut().zip([&coarse, &fine]) {
            // just above the touch of this pair
            let mut apart = 2.1;
            for _ in 0..8 {
                apart -= query(shape, apart).0.distance - 0.002;
            }
            *sum += query(shape, apart).0.iterations;
        }
    }
    // sixteen times the triangles: triangles within a given distance of a touch of round surfaces are as many as their square root
    assert!(touching[1] < 4 * touching[0], "{touching:?}");
}
