//! Warm queries allocate nothing: convex pairs in every narrow phase, large hulls deep inside each other, compounds.

use drystone_core::catalogue::Settings;
use drystone_core::{NarrowPhase, PosedShape};
use drystone_geometry::{MeshShape, Shape, TriangleMesh};
use drystone_math::{Pose, Quat, Vec3};
use drystone_narrow_phase::{Combined, GjkEpa, IMPLEMENTATIONS, VClip, by_name};

/// A convex hull with every point a vertex.
fn ellipsoid(vertices: u32) -> Shape {
    let points: Vec<Vec3> = (0..vertices)
        .map(|i| {
            let y = 1.0 - 2.0 * (f64::from(i) + 0.5) / f64::from(vertices);
            let w = 2.399_963_229_728_653 * f64::from(i);
            let r = (1.0 - y * y).sqrt();
            Vec3::new(r * w.cos(), 0.7 * y, 0.5 * r * w.sin())
        })
        .collect();
    Shape::convex(&points).unwrap()
}

/// Queries forty poses twice; the second time no memory may be needed.
fn check(phase: &dyn NarrowPhase, a: &Shape, b: &Shape) {
    let mut seeds = Vec::new();
    let mut all = || {
        let mut sum = 0.0;
        for k in 0..40 {
            let w = f64::from(k);
            let at = Vec3::new(0.6 * w.sin(), 0.5 * w.cos(), 0.1);
            let pose = Pose::new(at * f64::from(k % 4), Quat::from_scaled_axis(Vec3::new(w, 0.3 * w, 0.1)));
            let (x, y) = (PosedShape { shape: a, pose }, PosedShape { shape: b, pose: Pose::IDENTITY });
            sum += phase.query(x, y, 0.01, &mut [0; 4], &mut seeds).unwrap().distance;
        }
        sum
    };
    let warm = all();
    let info = allocation_counter::measure(|| assert_eq!(all().to_bits(), warm.to_bits()));
    assert_eq!(info.count_total, 0, "{}: {} - {}", phase.name(), a.kind(), b.kind());
}

#[test]
fn convex_pairs() {
    let shapes = [
        Shape::sphere(0.5).unwrap(),
        Shape::cuboid(0.5, 0.4, 0.3).unwrap(),
        Shape::capsule(0.3, 0.4).unwrap(),
        Shape::cylinder(0.4, 0.5).unwrap(),
        Shape::cone(0.5, 0.6).unwrap(),
        ellipsoid(24),
        Shape::plane(Vec3::new(0.1, 1.0, 0.2), 0.1).unwrap(),
    ];
    for i in IMPLEMENTATIONS {
        let phase = by_name(i.name, &Settings::defaults(i)).unwrap();
        for a in &shapes {
            for b in shapes.iter().filter(|b| phase.supports(a, b)) {
                check(&*phase, a, b);
            }
        }
    }
}

#[test]
fn polytopes_of_more_than_sixty_corners() {
    let (large, round) = (ellipsoid(500), Shape::cylinder(0.5, 0.6).unwrap());
    for phase in [&GjkEpa as &dyn NarrowPhase, &VClip] {
        check(phase, &large, &large);
    }
    check(&GjkEpa, &large, &round);
}

#[test]
fn compounds() {
    let mesh = Shape::mesh(MeshShape::new(TriangleMesh::cuboid(Vec3::new(0.3, 0.2, 0.4), 2), None).unwrap());
    let at = |x: f64| Pose::from_position(Vec3::new(x, 0.0, 0.0));
    let parts = vec![
        (Shape::cuboid(0.5, 0.4, 0.3).unwrap(), at(-0.5)),
        (Shape::cylinder(0.3, 0.4).unwrap(), at(0.4)),
        (ellipsoid(80), at(0.8)),
        (mesh.clone(), at(-0.8)),
    ];
    let compound = Shape::compound(parts).unwrap();
    let others = [Shape::sphere(0.4).unwrap(), Shape::cuboid(0.4, 0.3, 0.2).unwrap(), mesh, ellipsoid(200)];
    for other in &others {
        check(&Combined, &compound, other);
        check(&Combined, other, &compound);
    }
    check(&Combined, &compound, &compound);
    check(&Combined, &compound, &Shape::plane(Vec3::Y, 0.0).unwrap());
}
