//! Pairs through the seam: parry, and drystone's `combined`.
#![allow(missing_docs)]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use drystone_core::{NarrowCache, NarrowPhase, PosedShape};
use drystone_geometry::Shape;
use drystone_math::{Pose, Quat, Vec3};
use drystone_narrow_phase::Combined;
use drystone_narrow_phase_parry::Parry;
use std::hint::black_box;

fn pairs() -> Vec<(&'static str, Shape, Shape)> {
    let ball = || Shape::sphere(0.5);
    let cube = || Shape::cuboid(0.5, 0.4, 0.3);
    let capsule = || Shape::capsule(0.3, 0.4);
    let points: Vec<Vec3> = (0..64)
        .map(|i| {
            let (y, w) = (1.0 - 2.0 * (f64::from(i) + 0.5) / 64.0, 2.399_963 * f64::from(i));
            let r = (1.0 - y * y).sqrt();
            Vec3::new(r * w.cos(), y, r * w.sin()) * 0.5
        })
        .collect();
    let hull = || Shape::convex(&points);
    [
        ("balls", ball(), ball()),
        ("boxes", cube(), cube()),
        ("box and ball", cube(), ball()),
        ("capsules", capsule(), capsule()),
        ("hulls of 64", hull(), hull()),
    ]
    .into_iter()
    .filter_map(|(name, a, b)| Some((name, a.ok()?, b.ok()?)))
    .collect()
}

fn beside(c: &mut Criterion) {
    let turn = Quat::from_scaled_axis(Vec3::new(0.3, 0.5, 0.2));
    for (state, x) in [("apart", 1.3), ("overlapping", 0.7)] {
        let mut group = c.benchmark_group(state);
        for (name, a, b) in pairs() {
            let a = PosedShape { shape: &a, pose: Pose::IDENTITY };
            let b = PosedShape { shape: &b, pose: Pose::new(Vec3::new(x, 0.1, 0.05), turn) };
            let parry = Parry::default();
            let both: [(&str, &dyn NarrowPhase); 2] = [("drystone", &Combined), ("parry", &parry)];
            for (whose, narrow_phase) in both {
                let (mut cache, mut seeds) = (NarrowCache::default(), Vec::new());
                group.bench_function(BenchmarkId::new(whose, name), |bench| {
                    bench.iter(|| {
                        narrow_phase.query(black_box(a), black_box(b), 1.0, &mut cache, &mut seeds).map(|p| p.distance)
                    });
                });
            }
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(core::time::Duration::from_millis(600))
        .warm_up_time(core::time::Duration::from_millis(200));
    targets = beside
}
criterion_main!(benches);
