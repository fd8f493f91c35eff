//! 10 000 moving boxes in space: update and pairs, beside the bounding-volume hierarchy of parry.
//!
//! parry is run in two ways: with exact leaves and all pairs in each step, and as rapier uses it, with leaves that have a
//! margin and only the pairs of changed leaves; its tree is improved a little in each step, as rapier does. The broad phases of this crate give the exact, sorted list of all pairs.

use criterion::{Criterion, criterion_group, criterion_main};
use drystone_broad_phase::{AabbTree, HashGrid, SweepAndPrune};
use drystone_core::{BodyPair, BroadPhase, BroadPhaseInput, ProxyFilter};
use drystone_geometry::Aabb;
use drystone_math::{Real, Vec3};
use drystone_testkit::Random;
use parry3d_f64::partitioning::{Bvh, BvhWorkspace};
use std::hint::black_box;

const BODIES: usize = 10_000;
/// Margin of parry's leaves (m).
const MARGIN: Real = 0.05;

struct Scene {
    centers: Vec<Vec3>,
    halves: Vec<Vec3>,
    velocities: Vec<Vec3>,
    boxes: Vec<Aabb>,
    filters: Vec<ProxyFilter>,
}

impl Scene {
    /// Boxes of sides 0.5 to 1 in a cube of 20 m; a part of them moves, at most `speed` (m) a step.
    fn new(speed: Real, moving: Real) -> Self {
        let mut r = Random::new(5);
        let mut scene = Self {
            centers: Vec::new(),
            halves: Vec::new(),
            velocities: Vec::new(),
            boxes: Vec::new(),
            filters: vec![ProxyFilter::new(true, 0); BODIES],
        };
        for _ in 0..BODIES {
            scene.centers.push(r.vector(10.0));
            scene.halves.push(Vec3::new(r.range(0.25, 0.5), r.range(0.25, 0.5), r.range(0.25, 0.5)));
            let moves = r.unit() < moving;
            scene.velocities.push(if moves { r.direction() * r.range(0.0, speed) } else { Vec3::ZERO });
        }
        scene
    }

    fn step(&mut self) {
        self.boxes.clear();
        for ((c, v), half) in self.centers.iter_mut().zip(&mut self.velocities).zip(&self.halves) {
            *c += *v;
            for k in 0..3 {
                if c[k].abs() > 10.0 {
                    v[k] = -v[k].abs() * c[k].signum();
                }
            }
            self.boxes.push(Aabb::from_center(*c, *half));
        }
    }
}

fn compare(c: &mut Criterion) {
    for (what, speed, moving) in [("all-move", 0.02, 1.0), ("tenth-moves", 0.02, 0.1), ("all-move-fast", 0.2, 1.0)] {
        let mut group = c.benchmark_group(what);
        let ours: [(&str, Box<dyn BroadPhase>); 3] = [
            ("aabb-tree", Box::new(AabbTree::default())),
            ("hash-grid", Box::new(HashGrid::default())),
            ("sweep-and-prune", Box::new(SweepAndPrune::default())),
        ];
        for (name, mut broad_phase) in ours {
            let (mut scene, mut pairs) = (Scene::new(speed, moving), Vec::<BodyPair>::new());
            group.bench_function(name, |b| {
                b.iter(|| {
                    scene.step();
                    broad_phase.find_pairs(BroadPhaseInput::new(&scene.boxes, &scene.filters), &mut pairs);
                    black_box(pairs.len())
                });
            });
        }
        for (name, margin) in [("parry-all-pairs", 0.0), ("parry-changed-pairs", MARGIN)] {
            let mut scene = Scene::new(speed, moving);
            let (mut tree, mut workspace) = (Bvh::new(), BvhWorkspace::default());
            group.bench_function(name, |b| {
                b.iter(|| {
                    scene.step();
                    for (i, x) in scene.boxes.iter().enumerate() {
                        let wrap = |v: Vec3| parry3d_f64::math::Vector::new(v.x, v.y, v.z);
                        let leaf = parry3d_f64::bounding_volume::Aabb::new(wrap(x.min), wrap(x.max));
                        tree.insert_or_update_partially(leaf, i as u32, margin);
                    }
                    tree.optimize_incremental(&mut workspace);
                    tree.refit(&mut workspace);
                    let mut count = 0;
                    if margin > 0.0 {
                        tree.traverse_bvtt_single_tree::<true>(&mut workspace, &mut |_, _| count += 1);
                    } else {
                        tree.traverse_bvtt_single_tree::<false>(&mut workspace, &mut |_, _| count += 1);
                    }
                    black_box(count)
                });
            });
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(core::time::Duration::from_secs(1))
        .warm_up_time(core::time::Duration::from_millis(500));
    targets = compare
}
criterion_main!(benches);
