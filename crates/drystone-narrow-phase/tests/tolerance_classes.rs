//! Separated, touching, penetrating: with the same distance and envelope, every algorithm gives the same class (B-05, K-16).

use drystone_core::catalogue::Settings;
use drystone_core::{PosedShape, Proximity, Relation};
use drystone_geometry::{MapSettings, MeshShape, Shape, TriangleMesh};
use drystone_math::{Pose, Real, Vec3};
use drystone_narrow_phase::{IMPLEMENTATIONS, by_name};

#[test]
fn a_distance_has_its_class() {
    for envelope in [0.0, 1e-3, 0.5] {
        for (distance, class) in [
            (-1.0, Relation::Penetrating),
            (-Real::MIN_POSITIVE, Relation::Penetrating),
            (0.0, Relation::Touching),
            (envelope, Relation::Touching),
            (envelope * (1.0 + 1e-15) + Real::MIN_POSITIVE, Relation::Separated),
            (Real::INFINITY, Relation::Separated),
        ] {
            assert_eq!(Proximity::relation_of(distance, envelope), class, "{distance} in {envelope}");
        }
    }
}

#[test]
fn every_algorithm_puts_a_pair_into_the_class_of_its_distance() {
    let h = Vec3::new(0.5, 0.4, 0.3);
    let corners: Vec<Vec3> =
        (0..8).map(|i: usize| Vec3::new([-h.x, h.x][i & 1], [-h.y, h.y][i >> 1 & 1], [-h.z, h.z][i >> 2])).collect();
    let mesh = |map| Shape::mesh(MeshShape::new(TriangleMesh::cuboid(h, 2), map).unwrap());
    let map = MapSettings::new(16);
    // shapes with their upper face at 0.4, and others with their lower end at -0.5
    let lower = [
        Shape::cuboid(h.x, h.y, h.z).unwrap(),
        Shape::convex(&corners).unwrap(),
        mesh(None),
        mesh(Some(map)),
        Shape::plane(Vec3::Y, 0.4).unwrap(),
        Shape::compound(vec![(Shape::cuboid(h.x, h.y, h.z).unwrap(), Pose::IDENTITY)]).unwrap(),
    ];
    let upper = [
        Shape::sphere(0.5).unwrap(),
        Shape::cuboid(0.2, 0.5, 0.2).unwrap(),
        Shape::capsule(0.2, 0.3).unwrap(),
        Shape::cylinder(0.2, 0.5).unwrap(),
        Shape::mesh(MeshShape::new(TriangleMesh::cuboid(Vec3::new(0.2, 0.5, 0.2), 2), Some(map)).unwrap()),
    ];
    let envelope = 0.01;
    let mut asked = 0;
    for i in IMPLEMENTATIONS {
        let n = by_name(i.name, &Settings::defaults(i)).unwrap();
        for (x, y) in lower.iter().flat_map(|x| upper.iter().map(move |y| (x, y))) {
            if !n.supports(x, y) {
                continue;
            }
            for (gap, class) in [
                (-1e-3, Relation::Penetrating),
                (-1e-6, Relation::Penetrating),
                (1e-6, Relation::Touching),
                (0.5 * envelope, Relation::Touching),
                (envelope - 1e-6, Relation::Touching),
                (envelope + 1e-6, Relation::Separated),
                (2.0 * envelope, Relation::Separated),
            ] {
                // slightly to the side, so that nothing lies on a seam
                let pose = Pose::from_position(Vec3::new(0.03, 0.9 + gap, 0.02));
                let (a, b) = (PosedShape { shape: x, pose: Pose::IDENTITY }, PosedShape { shape: y, pose });
                for (a, b) in [(a, b), (b, a)] {
                    let p = n.query(a, b, envelope, &mut [0; 4], &mut Vec::new()).unwrap();
                    let what = format!("{}: {} - {} at {gap}", i.name, a.shape.kind(), b.shape.kind());
                    assert_eq!(p.relation, class, "{what}: {p:?}");
                    assert_eq!(p.relation, Proximity::relation_of(p.distance, envelope), "{what}: {p:?}");
                    asked += 1;
                }
            }
        }
    }
    assert!(asked > 800, "{asked}");
}
