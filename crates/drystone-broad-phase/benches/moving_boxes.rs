//! Moving boxes at constant density (Baraff 1995, Table 1; O-05) and a falling pile of 3000 bodies.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use drystone_broad_phase::{AabbTree, Axes, Exhaustive, HashGrid, SweepAndPrune, SweepMethod};
use drystone_core::{BodyPair, BroadPhase, BroadPhaseInput, ProxyFilter};
use drystone_geometry::Aabb;
use drystone_math::{Real, Vec3};
use drystone_testkit::Random;
use std::hint::black_box;

/// Flat boxes with sides 0.1 to 0.4 in a region of 20 x 16 a hundred, at most 0.05 a step.
struct MovingBoxes {
    centers: Vec<Vec3>,
    halves: Vec<Vec3>,
    velocities: Vec<Vec3>,
    region: Vec3,
    boxes: Vec<Aabb>,
    filters: Vec<ProxyFilter>,
}

impl MovingBoxes {
    fn new(n: usize) -> Self {
        let mut r = Random::new(n as u64);
        let region = Vec3::new(20.0, 16.0, 0.0) * (n as Real / 100.0).sqrt();
        let mut scene = Self {
            centers: Vec::new(),
            halves: Vec::new(),
            velocities: Vec::new(),
            region,
            boxes: Vec::new(),
            filters: vec![ProxyFilter::new(true, 0); n],
        };
        for _ in 0..n {
            let (s, c) = r.range(0.0, core::f64::consts::TAU).sin_cos();
            scene.centers.push(Vec3::new(r.unit(), r.unit(), 0.0) * region);
            scene.halves.push(Vec3::new(r.range(0.05, 0.2), r.range(0.05, 0.2), 0.1));
            scene.velocities.push(Vec3::new(c, s, 0.0) * r.range(0.0, 0.05));
        }
        scene
    }

    /// 3000 unit boxes in a loose grid above a half space, falling and jittering.
    fn falling(n: usize) -> Self {
        let mut scene = Self::new(n);
        let mut r = Random::new(7);
        scene.region = Vec3::splat(Real::INFINITY);
        for i in 0..n {
            scene.centers[i] = Vec3::new((i % 15) as Real, (i / 225) as Real, (i / 15 % 15) as Real) * 1.05;
            scene.halves[i] = Vec3::splat(0.52);
            scene.velocities[i] = Vec3::new(0.0, -0.05, 0.0) + r.vector(0.02);
        }
        scene
    }

    fn step(&mut self) {
        self.boxes.clear();
        for ((c, v), half) in self.centers.iter_mut().zip(&mut self.velocities).zip(&self.halves) {
            *c += *v;
            for k in 0..2 {
                if self.region[k].is_finite() && !(0.0..=self.region[k]).contains(&c[k]) {
                    v[k] = -v[k];
                }
            }
            self.boxes.push(Aabb::from_center(*c, *half));
        }
    }

    /// The same boxes for ever, moving to and fro around where they are.
    fn jitter(&mut self, step: u64) {
        let sign = if step.is_multiple_of(2) { 1.0 } else { -1.0 };
        for v in &mut self.velocities {
            *v = sign * v.abs() * 0.2;
        }
        self.step();
    }

    fn input(&self) -> BroadPhaseInput<'_> {
        BroadPhaseInput::new(&self.boxes, &self.filters)
    }
}

fn methods() -> Vec<(&'static str, Box<dyn BroadPhase>)> {
    vec![
        ("sweep", Box::new(SweepAndPrune::new(Axes::ALL, SweepMethod::Sweep, 8))),
        ("exchange", Box::new(SweepAndPrune::new(Axes::ALL, SweepMethod::Exchange, 8))),
        ("hash-grid", Box::new(HashGrid::default())),
        ("aabb-tree", Box::new(AabbTree::default())),
        ("exhaustive", Box::new(Exhaustive)),
    ]
}

fn table_1(c: &mut Criterion) {
    let mut group = c.benchmark_group("table-1");
    for n in [100, 200, 400, 800, 1600, 3200, 100_000] {
        group.throughput(Throughput::Elements(n as u64));
        for (name, mut method) in methods() {
            if name == "exhaustive" && n > 3200 {
                continue;
            }
            group.bench_function(BenchmarkId::new(name, n), |b| {
                let (mut scene, mut pairs) = (MovingBoxes::new(n), Vec::<BodyPair>::new());
                b.iter_batched(
                    || (),
                    |()| {
                        scene.step();
                        method.find_pairs(scene.input(), &mut pairs);
                        black_box(pairs.len())
                    },
                    criterion::BatchSize::PerIteration,
                );
            });
        }
    }
    group.finish();
}

fn pile(c: &mut Criterion) {
    let mut group = c.benchmark_group("pile-3000");
    for (name, mut method) in methods() {
        group.bench_function(name, |b| {
            let (mut scene, mut pairs, mut step) = (MovingBoxes::falling(3000), Vec::<BodyPair>::new(), 0_u64);
            b.iter(|| {
                step += 1;
                scene.jitter(step);
                method.find_pairs(scene.input(), &mut pairs);
                black_box(pairs.len())
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(core::time::Duration::from_millis(600))
        .warm_up_time(core::time::Duration::from_millis(200));
    targets = table_1, pile
}
criterion_main!(benches);
