//! Whole steps of the scenes under each paradigm, from the state after their warm-up.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use drystone::{Paradigm, Snapshot, World, WorldError};
use drystone_benches::drystone_engine::{Variant, build_world};
use drystone_benches::scenes::{DT, Scene};
use std::time::{Duration, Instant};

/// Steps from the warm state before it is restored, so that all samples measure the same stretch of the scene.
const STRETCH: u64 = 20;

/// The time of `count` steps. The first step after each restoring is not measured: it fills the derived columns.
fn measure(world: &mut World, warm: &Snapshot, count: u64) -> Result<Duration, WorldError> {
    let (mut spent, mut left) = (Duration::ZERO, count);
    while left > 0 {
        world.restore(warm)?;
        world.advance(DT)?;
        let steps = left.min(STRETCH);
        let start = Instant::now();
        for _ in 0..steps {
            world.advance(DT)?;
        }
        spent += start.elapsed();
        left -= steps;
    }
    Ok(spent)
}

fn steps(c: &mut Criterion) {
    for paradigm in Paradigm::ALL {
        let variant = Variant::named(paradigm.name, *paradigm);
        let mut group = c.benchmark_group(format!("step/{}", variant.name));
        for scene in Scene::all().into_iter().chain(Scene::jittered(1)) {
            group.bench_function(BenchmarkId::from_parameter(scene.name), |b| {
                let (mut world, _) = build_world(&scene, variant.builder()).expect("a scene that can be built");
                for _ in 0..scene.warm_up {
                    world.advance(DT).expect("a scene that can be stepped");
                }
                let warm = world.snapshot();
                b.iter_custom(|count| measure(&mut world, &warm, count).expect("a scene that can be stepped"));
            });
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_millis(800))
        .warm_up_time(Duration::from_millis(100));
    targets = steps
}
criterion_main!(benches);
