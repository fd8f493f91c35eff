//! The contract of the seam, for every narrow phase on the shapes that it takes.

use drystone_core::catalogue::Settings;
use drystone_geometry::{MeshShape, Shape, TriangleMesh};
use drystone_math::{Pose, Vec3};
use drystone_narrow_phase::{IMPLEMENTATIONS, PrimitivesImproved, by_name};
use drystone_testkit::{NarrowPhaseTolerance, check_narrow_phase};

fn convex_shapes() -> Vec<Shape> {
    let points: Vec<Vec3> = (0..24)
        .map(|i| Vec3::new((f64::from(i) * 1.7).sin(), (f64::from(i) * 2.9).cos(), (f64::from(i) * 0.9).sin()) * 0.7)
        .collect();
    vec![
        Shape::sphere(0.5).unwrap(),
        Shape::cuboid(0.5, 0.4, 0.3).unwrap(),
        Shape::capsule(0.3, 0.4).unwrap(),
        Shape::cylinder(0.4, 0.5).unwrap(),
        Shape::cone(0.5, 0.6).unwrap(),
        Shape::convex(&points).unwrap(),
        Shape::plane(Vec3::new(0.1, 1.0, 0.2), 0.1).unwrap(),
    ]
}

#[test]
fn convex_shapes_keep_the_contract() {
    let shapes = convex_shapes();
    for i in IMPLEMENTATIONS {
        let n = by_name(i.name, &Settings::defaults(i)).unwrap();
        // by the thesis' rule a way out may be longer than needed: then boxes separate before its end
        let opposite = i.name != PrimitivesImproved::DESCRIPTION.name;
        check_narrow_phase(&*n, &shapes, NarrowPhaseTolerance { opposite, ..Default::default() });
    }
}

#[test]
fn what_is_not_taken_is_said_so() {
    let mut shapes = convex_shapes();
    shapes.push(Shape::mesh(MeshShape::new(TriangleMesh::cuboid(Vec3::splat(0.5), 2), None).unwrap()));
    shapes.push(Shape::compound(vec![(Shape::sphere(0.5).unwrap(), Pose::IDENTITY)]).unwrap());
    for i in IMPLEMENTATIONS {
        let n = by_name(i.name, &Settings::defaults(i)).unwrap();
        for a in &shapes {
            for b in &shapes {
                let posed = |shape| drystone_core::PosedShape { shape, pose: Pose::IDENTITY };
                let answer = n.query(posed(a), posed(b), 0.1, &mut [0; 4], &mut Vec::new());
                assert_eq!(answer.is_ok(), n.supports(a, b), "{}: {} - {}", i.name, a.kind(), b.kind());
            }
        }
    }
}
