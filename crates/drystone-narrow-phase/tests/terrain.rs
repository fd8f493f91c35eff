//! Meshes against convex shapes on rough ground: the distance within an envelope, the depth of a slight overlap, and enough contacts to lie on.

use drystone_core::{ContactSeed, NarrowPhase, PosedShape, Proximity};
use drystone_geometry::{MeshShape, Shape, TriangleMesh};
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::{Combined, ExactMesh};
use drystone_testkit::Random;

const ENVELOPE: Real = 0.02;

fn ask(n: &dyn NarrowPhase, a: PosedShape<'_>, b: PosedShape<'_>, envelope: Real) -> (Proximity, Vec<ContactSeed>) {
    let mut seeds = Vec::new();
    let p = n.query(a, b, envelope, &mut [0; 4], &mut seeds).unwrap();
    (p, seeds)
}

/// A hull of `count` points on an ellipsoid: more than 64 edges from some 24 points on.
fn hull(count: u32) -> Shape {
    let points: Vec<Vec3> = (0..count)
        .map(|i| {
            let y = 1.0 - 2.0 * (f64::from(i) + 0.5) / f64::from(count);
            let w = 2.399_963_229_728_653 * f64::from(i);
            let r = (1.0 - y * y).sqrt();
            Vec3::new(0.4 * r * w.cos(), 0.3 * y, 0.35 * r * w.sin())
        })
        .collect();
    Shape::convex(&points).unwrap()
}

fn bodies() -> Vec<Shape> {
    vec![
        Shape::sphere(0.3).unwrap(),
        Shape::cuboid(0.4, 0.2, 0.3).unwrap(),
        Shape::capsule(0.15, 0.4).unwrap(),
        Shape::cylinder(0.2, 0.4).unwrap(),
        Shape::cone(0.3, 0.3).unwrap(),
        hull(12),
        hull(60),
    ]
}

/// Rough ground about the origin: squares of 0.25 m, heights that differ by up to `rough` (m).
fn ground(random: &mut Random, rough: Real) -> Shape {
    let n = 13;
    let heights: Vec<Real> = (0..n * n).map(|_| random.range(0.0, rough)).collect();
    let mesh = TriangleMesh::height_field(n, &heights, 0.25, 1.0).unwrap();
    let moved = mesh.vertices().iter().map(|p| *p - Vec3::new(1.5, 0.0, 1.5)).collect();
    Shape::mesh(MeshShape::new(TriangleMesh::new(moved, mesh.triangles().to_vec()).unwrap(), None).unwrap())
}

/// The body above the ground, let down along y until it touches to within `gap` (m), and the normal there.
fn let_down(ground: PosedShape<'_>, shape: &Shape, random: &mut Random, gap: Real) -> Option<(Pose, Proximity)> {
    let across = Vec3::new(random.range(-0.5, 0.5), 0.0, random.range(-0.5, 0.5));
    let mut pose = Pose::new(across + Vec3::Y * 1.5, random.rotation());
    for _ in 0..60 {
        let p = ask(&Combined, ground, PosedShape { shape, pose }, Real::INFINITY).0;
        if p.distance <= gap {
            return Some((pose, p));
        }
        pose.position.y -= p.distance - 0.9 * gap;
    }
    None
}

#[test]
fn the_distance_within_the_envelope_is_the_distance() {
    let mut random = Random::new(5);
    let (mut asked, mut worst) = (0, 0.0);
    for round in 0..40 {
        let floor = ground(&mut random, [0.003, 0.05, 0.2, 0.5][round % 4]);
        let floor = PosedShape { shape: &floor, pose: Pose::new(random.vector(1.0), random.rotation()) };
        let level = PosedShape { pose: Pose::IDENTITY, ..floor };
        for shape in &bodies() {
            let Some((pose, p)) = let_down(level, shape, &mut random, 1e-4) else { continue };
            // back off along the normal, anywhere within the envelope
            let by = p.normal * random.range(0.0, 0.9 * ENVELOPE);
            let body = PosedShape { shape, pose: floor.pose * Pose::new(pose.position + by, pose.orientation) };
            let exact = ask(&Combined, floor, body, Real::INFINITY).0.distance;
            for n in [&Combined as &dyn NarrowPhase, &ExactMesh] {
                for (a, b) in [(floor, body), (body, floor)] {
                    let (p, seeds) = ask(n, a, b, ENVELOPE);
                    let off = (p.distance - exact).abs();
                    worst = Real::max(worst, off);
                    assert!(off < 1e-6, "{} {}: {} for {exact}", n.name(), shape.kind(), p.distance);
                    assert!(!seeds.is_empty() && seeds.iter().all(|s| s.separation >= p.distance - 1e-12));
                    asked += 1;
                }
            }
        }
    }
    println!("{asked} pairs, worst {worst:.1e} m");
    assert!(asked > 900);
}

#[test]
fn a_slight_overlap_is_as_deep_as_it_is_slight() {
    let mut random = Random::new(8);
    let mut asked = 0;
    let mut jump: Real = 0.0;
    for round in 0..60 {
        let floor = ground(&mut random, [0.003, 0.05, 0.2, 0.5][round % 4]);
        let floor = PosedShape { shape: &floor, pose: Pose::IDENTITY };
        for shape in &bodies() {
            let Some((pose, p)) = let_down(floor, shape, &mut random, 1e-7) else { continue };
            for depth in [1e-6, 1e-4, 1e-3, 8e-3] {
                let at = |d: Real| PosedShape {
                    shape,
                    pose: Pose::new(pose.position - p.normal * (d + p.distance), pose.orientation),
                };
                let (q, seeds) = ask(&Combined, floor, at(depth), ENVELOPE);
                assert!(q.distance < 0.0, "{} in by {depth}: {q:?}", shape.kind());
                for s in &seeds {
                    assert!(s.separation > -1.5 * depth - 1e-6, "{} in by {depth}: {s:?}", shape.kind());
                    assert!(
                        s.normal.dot(p.normal) > 0.3 || s.separation > -0.5 * depth,
                        "{}: {s:?} {p:?}",
                        shape.kind()
                    );
                }
                // pulled back by its depth along its normal, the deepest contact has come apart
                let next = ask(&Combined, floor, at(depth + 1e-7), ENVELOPE).0;
                jump = jump.max((next.distance - q.distance).abs());
                assert!((next.distance - q.distance).abs() < 1e-5, "{} jumps: {q:?} {next:?}", shape.kind());
                asked += 1;
            }
        }
    }
    println!("{asked} pairs, greatest jump {jump:.1e} m");
    assert!(asked > 1500);
}

/// Bodies across two rails and flat on flat ground have as many contacts as they need to lie still.
#[test]
fn a_log_on_two_rails_lies_on_both() {
    let rail = TriangleMesh::cuboid(Vec3::new(0.05, 0.1, 2.0), 3);
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for x in [-0.3, 0.3] {
        let first = vertices.len() as u32;
        vertices.extend(rail.vertices().iter().map(|p| *p + Vec3::new(x, -0.1, 0.0)));
        triangles.extend(rail.triangles().iter().map(|t| t.map(|v| v + first)));
    }
    let rails = TriangleMesh::new(vertices, triangles).unwrap();
    let rails = Shape::mesh(MeshShape::new(rails, None).unwrap());
    let rails = PosedShape { shape: &rails, pose: Pose::IDENTITY };
    let lying = Quat::from_rotation_z(core::f64::consts::FRAC_PI_2);
    for (shape, height) in [(Shape::cylinder(0.2, 0.6).unwrap(), 0.2), (Shape::capsule(0.15, 0.5).unwrap(), 0.15)] {
        for gap in [-1e-3, -1e-9, 0.0, 1e-9, 1e-3] {
            for turn in [0.0, 0.2, 1.3] {
                let pose = Pose::new(Vec3::Y * (height + gap), lying * Quat::from_rotation_y(turn));
                let (p, seeds) = ask(&Combined, rails, PosedShape { shape: &shape, pose }, 0.01);
                assert!((p.distance - gap).abs() < 1e-9, "{} {gap}: {p:?}", shape.kind());
                for side in [-1.0, 1.0] {
                    let on = seeds.iter().filter(|s| s.position.x * side > 0.2 && s.normal.y > 0.999);
                    assert_eq!(on.count(), 2, "{} {gap} {turn}: {seeds:?}", shape.kind());
                }
            }
        }
    }
}

/// Beyond the envelope a lower bound is enough, which the boxes of the tree tell: no triangle is looked at.
#[test]
fn above_the_ground_the_distance_is_a_bound_that_looks_at_no_triangle() {
    let mut random = Random::new(19);
    let (mut bounds, mut exact) = (0.0, 0.0);
    for case in 0..400 {
        let ground = ground(&mut random, 0.3);
        let ground = PosedShape { shape: &ground, pose: Pose::new(random.vector(1.0), random.rotation()) };
        let shapes = bodies();
        let above = Pose::new(
            Vec3::new(random.range(-1.0, 1.0), random.range(0.9, 2.0), random.range(-1.0, 1.0)),
            random.rotation(),
        );
        let body = PosedShape { shape: &shapes[case % shapes.len()], pose: ground.pose * above };
        for (a, b) in [(ground, body), (body, ground)] {
            let (bound, seeds) = ask(&Combined, a, b, ENVELOPE);
            let (truth, _) = ask(&Combined, a, b, Real::INFINITY);
            if truth.distance <= ENVELOPE {
                continue;
            }
            assert!(seeds.is_empty() && bound.iterations == 0 && truth.iterations > 0, "{case}: {bound:?} {truth:?}");
            assert!(
                bound.distance > ENVELOPE && bound.distance <= truth.distance + 1e-9,
                "{case}: {bound:?} {truth:?}"
            );
            assert!(bound.normal.dot(b.pose.position - a.pose.position) > 0.0, "{case}: {bound:?}");
            (bounds, exact) = (bounds + bound.distance, exact + truth.distance);
        }
    }
    assert!(exact > 100.0 && bounds > 0.6 * exact, "{bounds} {exact}");
}
