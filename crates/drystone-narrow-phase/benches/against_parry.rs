//! Distance and depth of convex pairs and of meshes, beside parry in double precision.
#![allow(missing_docs)]

use criterion::{Criterion, criterion_group, criterion_main};
use drystone_core::{NarrowPhase, PosedShape};
use drystone_geometry::bvh::{
    AxisBox, BoundingBall, BoundingTree, BoundingVolume, DistanceOrder, KDop, OrientedBox, SweptRectangle,
    tree_distance,
};
use drystone_geometry::{Shape, TriangleMesh};
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::{GjkEpa, Primitives, SeparatingAxes, VClip};
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query;
use parry3d_f64::shape::{ConvexPolyhedron, Cuboid, TriMesh};
use std::hint::black_box;

/// Points on an ellipsoid: a hull of that many vertices.
fn cloud(count: u32) -> Vec<Vec3> {
    (0..count)
        .map(|i| {
            let y = 1.0 - 2.0 * (Real::from(i) + 0.5) / Real::from(count);
            let w = 2.399_963_229_728_653 * Real::from(i);
            let r = (1.0 - y * y).sqrt();
            Vec3::new(r * w.cos(), 0.7 * y, 0.5 * r * w.sin())
        })
        .collect()
}

fn parry_pose(p: &Pose) -> ParryPose {
    let mut q = ParryPose::identity();
    q.translation = Vector::new(p.position.x, p.position.y, p.position.z);
    let (axis, angle) = p.orientation.to_axis_angle();
    q.rotation = Rotation::from_scaled_axis(Vector::new(axis.x, axis.y, axis.z) * angle);
    q
}

fn convex(c: &mut Criterion) {
    let turn = Quat::from_scaled_axis(Vec3::new(0.3, 0.5, 0.2));
    for (name, count) in [("8 vertices", 8), ("64 vertices", 64), ("500 vertices", 500)] {
        let points = cloud(count);
        let shape = Shape::convex(&points).unwrap();
        let theirs: Vec<Vector> = points.iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
        let theirs = ConvexPolyhedron::from_convex_hull(&theirs).unwrap();
        let mut group = c.benchmark_group(format!("convex, {name}"));
        for (kind, x) in [("distance", 2.5), ("depth", 1.2)] {
            let pose = Pose::new(Vec3::new(x, 0.2, 0.1), turn);
            let (a, b) = (PosedShape { shape: &shape, pose: Pose::IDENTITY }, PosedShape { shape: &shape, pose });
            let mut seeds = Vec::new();
            group.bench_function(format!("{kind}, drystone"), |bench| {
                bench.iter(|| {
                    GjkEpa.query(black_box(a), black_box(b), Real::INFINITY, &mut [0; 4], &mut seeds).unwrap().distance
                });
            });
            let mut cache = [0; 4];
            group.bench_function(format!("{kind}, drystone with memory"), |bench| {
                bench.iter(|| {
                    GjkEpa.query(black_box(a), black_box(b), Real::INFINITY, &mut cache, &mut seeds).unwrap().distance
                });
            });
            if kind == "distance" {
                let mut cache = [0; 4];
                group.bench_function("distance, drystone v-clip with memory", |bench| {
                    bench.iter(|| {
                        VClip
                            .query(black_box(a), black_box(b), Real::INFINITY, &mut cache, &mut seeds)
                            .unwrap()
                            .distance
                    });
                });
                // apart by more than the envelope: the witness is asked, and that is all
                let mut cache = [0; 4];
                group.bench_function("separation, drystone sat with its witness", |bench| {
                    bench.iter(|| {
                        SeparatingAxes.query(black_box(a), black_box(b), 0.01, &mut cache, &mut seeds).unwrap().distance
                    });
                });
            }
            let (o, p) = (ParryPose::identity(), parry_pose(&pose));
            group.bench_function(format!("{kind}, parry"), |bench| {
                bench.iter(|| {
                    let found = query::contact(black_box(&o), &theirs, black_box(&p), &theirs, 10.0).unwrap();
                    found.map_or(0.0, |c| c.dist)
                });
            });
        }
    }
}

fn boxes(c: &mut Criterion) {
    let turn = Quat::from_scaled_axis(Vec3::new(0.3, 0.5, 0.2));
    let pose = Pose::new(Vec3::new(2.0, 0.9, 1.1), turn);
    let shape = Shape::cuboid(0.5, 0.4, 0.3).unwrap();
    let (a, b) = (PosedShape { shape: &shape, pose: Pose::IDENTITY }, PosedShape { shape: &shape, pose });
    let theirs = Cuboid::new(Vector::new(0.5, 0.4, 0.3));
    let mut group = c.benchmark_group("boxes apart");
    let mut seeds = Vec::new();
    group.bench_function("drystone, primitives", |bench| {
        bench.iter(|| {
            Primitives.query(black_box(a), black_box(b), Real::INFINITY, &mut [0; 4], &mut seeds).unwrap().distance
        });
    });
    let (o, p) = (ParryPose::identity(), parry_pose(&pose));
    group.bench_function("parry", |bench| {
        bench.iter(|| query::distance(black_box(&o), &theirs, black_box(&p), &theirs).unwrap());
    });
}

/// All orders with one kind of volume.
fn with<V: BoundingVolume>(
    group: &mut criterion::BenchmarkGroup<'_, criterion::measurement::WallTime>,
    a: &TriangleMesh,
    b: &TriangleMesh,
    pose: &Pose,
) {
    let (ta, tb) = (BoundingTree::<V>::of(a), BoundingTree::<V>::of(b));
    for (name, order) in [("greedy", DistanceOrder::Greedy), ("best first", DistanceOrder::BestFirst)] {
        group.bench_function(format!("drystone, {}, {name}", V::NAME), |bench| {
            bench.iter(|| tree_distance((a, &ta), (b, &tb), black_box(pose), order, usize::MAX).upper);
        });
    }
}

fn meshes(c: &mut Criterion) {
    // boxes whose vertices are pulled in and out
    let star = |parts: u32| {
        let m = TriangleMesh::cuboid(Vec3::new(1.0, 0.8, 0.6), parts);
        let pulled = |(i, p): (usize, &Vec3)| *p * if i % 3 == 0 { 1.4 } else { 0.8 };
        TriangleMesh::new(m.vertices().iter().enumerate().map(pulled).collect(), m.triangles().to_vec()).unwrap()
    };
    let (a, b) = (star(12), star(12));
    let pose = Pose::new(Vec3::new(2.6, 0.4, 0.3), Quat::from_scaled_axis(Vec3::new(0.3, 0.5, 0.2)));
    let mut group = c.benchmark_group(format!("meshes of {} triangles", a.triangles().len()));
    with::<BoundingBall>(&mut group, &a, &b, &pose);
    with::<AxisBox>(&mut group, &a, &b, &pose);
    with::<OrientedBox>(&mut group, &a, &b, &pose);
    with::<KDop>(&mut group, &a, &b, &pose);
    with::<SweptRectangle>(&mut group, &a, &b, &pose);
    let theirs = |m: &TriangleMesh| {
        let points = m.vertices().iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
        TriMesh::new(points, m.triangles().to_vec()).unwrap()
    };
    let (x, y) = (theirs(&a), theirs(&b));
    let (o, p) = (ParryPose::identity(), parry_pose(&pose));
    group.bench_function("parry", |bench| {
        bench.iter(|| query::distance(black_box(&o), &x, black_box(&p), &y).unwrap());
    });
}

criterion_group!(benches, convex, boxes, meshes);
criterion_main!(benches);
