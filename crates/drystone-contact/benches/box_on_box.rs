//! Proximity and manifold of two boxes, beside parry's contact manifold.
#![allow(missing_docs)]

use criterion::{Criterion, criterion_group, criterion_main};
use drystone_contact::ClippingManifold;
use drystone_core::{ContactDetermination, Manifold, NarrowPhase, PosedShape};
use drystone_geometry::Shape;
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::Primitives;
use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};
use parry3d_f64::shape::Cuboid;
use std::hint::black_box;

/// The upper box's place and tilt.
const CASES: [(&str, [Real; 3], [Real; 3]); 5] = [
    ("resting, overlapping", [0.1, 0.9999, 0.05], [1e-4, 0.0, 1e-4]),
    ("resting, within the envelope", [0.1, 1.0005, 0.05], [1e-4, 0.0, 1e-4]),
    ("turned upon it", [0.0, 0.999, 0.0], [0.0, 0.7, 0.0]),
    ("edges crossed", [0.0, 1.2, 0.0], [0.7, 0.5, 0.9]),
    ("beside, apart", [1.05, 0.3, 0.0], [0.0, 0.1, 0.0]),
];

fn boxes(c: &mut Criterion) {
    let cube = Shape::cuboid(0.5, 0.5, 0.5).unwrap();
    for (name, at, turn) in CASES {
        let mut group = c.benchmark_group(name);
        let tilt = Vec3::from(turn);
        let pose = Pose::new(Vec3::from(at), Quat::from_scaled_axis(tilt));
        let (a, b) = (PosedShape { shape: &cube, pose: Pose::IDENTITY }, PosedShape { shape: &cube, pose });
        let (mut cache, mut seeds, mut manifold) = ([0; 4], Vec::new(), Manifold::default());
        group.bench_function("drystone", |bench| {
            bench.iter(|| {
                let (a, b) = (black_box(a), black_box(b));
                let p = Primitives.query(a, b, 1e-3, &mut cache, &mut seeds).unwrap();
                ClippingManifold::default().determine(a, b, &p, &seeds, 1e-3, &mut manifold);
                manifold.points.len()
            });
        });
        group.bench_function("drystone narrow phase alone", |bench| {
            bench.iter(|| Primitives.query(black_box(a), black_box(b), 1e-3, &mut cache, &mut seeds).unwrap());
        });
        // parry, its cached manifold thrown away each time: bodies that move do not keep it for long
        let cuboid = Cuboid::new(parry3d_f64::math::Vector::new(0.5, 0.5, 0.5));
        let mut to_b = ParryPose::identity();
        to_b.translation = at.into();
        to_b.rotation = parry3d_f64::math::Rotation::from_scaled_axis(turn.into());
        group.bench_function("parry", |bench| {
            let mut manifolds: Vec<ContactManifold<(), ()>> = Vec::new();
            bench.iter(|| {
                manifolds.clear();
                let (a, b) = (black_box(&cuboid), black_box(&cuboid));
                DefaultQueryDispatcher
                    .contact_manifolds(black_box(&to_b), a, b, 1e-3, &mut manifolds, &mut None)
                    .unwrap();
                manifolds.first().map_or(0, |m| m.points.len())
            });
        });
    }
}

criterion_group!(benches, boxes);
criterion_main!(benches);
