//! Single stages of a step on the inputs that they had in the last steps of a wall, of one with jitter and of a box
//! full of balls.

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, Criterion, criterion_group, criterion_main};
use drystone::core::{CoherenceAnalysis, Configuration, GroupAnswer, OneThread};
use drystone::math::Twist;
use drystone::{Modules, Stages};
use drystone_benches::drystone_engine::Variant;
use drystone_benches::record::{BroadPhaseFrame, GraphFrame, MotionFrame, Recording, record};
use drystone_benches::scenes::{STEPS_PER_SECOND, Scene};
use std::cell::Cell;
use std::hint::black_box;
use std::time::Duration;

type Group<'a> = BenchmarkGroup<'a, WallTime>;

/// Goes through recorded inputs over and over.
struct Reel<T> {
    inputs: Vec<T>,
    next: Cell<usize>,
}

impl<T: Clone> Reel<T> {
    fn new(inputs: Vec<T>) -> Self {
        assert!(!inputs.is_empty(), "nothing was recorded");
        Self { inputs, next: Cell::new(0) }
    }

    fn next(&self) -> &T {
        let i = self.next.get();
        self.next.set((i + 1) % self.inputs.len());
        &self.inputs[i]
    }

    fn copy(&self) -> T {
        self.next().clone()
    }
}

fn broad_phase(group: &mut Group<'_>, inputs: Vec<BroadPhaseFrame>, stages: &mut Stages) {
    let (reel, mut pairs) = (Reel::new(inputs), Vec::new());
    group.bench_function("broad-phase", |b| {
        b.iter(|| {
            let frame = reel.next();
            let input = drystone::core::BroadPhaseInput::new(&frame.boxes, &frame.filters);
            stages.broad_phase.find_pairs(input, &mut pairs);
            black_box(pairs.len())
        });
    });
}

fn edges(group: &mut Group<'_>, recording: &Recording, configuration: &Configuration, stages: &Stages) {
    let reel = Reel::new(recording.narrow_phase.take());
    group.bench_function("narrow-phase", |b| {
        b.iter_batched_ref(
            || reel.copy(),
            |frame| stages.narrow_phase.query_batch(&mut frame.batch(configuration)),
            BatchSize::LargeInput,
        );
    });
    let reel = Reel::new(recording.contact_determination.take());
    group.bench_function("contact-determination", |b| {
        b.iter_batched_ref(
            || reel.copy(),
            |frame| stages.contact_determination.determine_batch(&mut frame.batch(configuration)),
            BatchSize::LargeInput,
        );
    });
}

/// One of the three calls of the coherence analysis.
type Hook = fn(&mut dyn CoherenceAnalysis, &mut GraphFrame, &Configuration);

fn contact_graph(group: &mut Group<'_>, recording: &Recording, configuration: &Configuration, stages: &mut Stages) {
    let hooks: [(&str, Hook); 3] = [
        ("after-broad-phase", |analysis, frame, configuration| {
            let (view, pairs, graph) = frame.parts(configuration);
            analysis.after_broad_phase(view, pairs, graph);
        }),
        ("after-narrow-phase", |analysis, frame, configuration| {
            let (view, _, graph) = frame.parts(configuration);
            analysis.after_narrow_phase(view, graph);
        }),
        ("after-contact-determination", |analysis, frame, configuration| {
            let (view, _, graph) = frame.parts(configuration);
            analysis.after_contact_determination(view, graph);
        }),
    ];
    for ((name, hook), tape) in hooks.into_iter().zip(&recording.coherence) {
        let reel = Reel::new(tape.take());
        group.bench_function(format!("contact-graph/{name}"), |b| {
            b.iter_batched_ref(
                || reel.copy(),
                |frame| hook(stages.coherence.as_mut(), frame, configuration),
                BatchSize::LargeInput,
            );
        });
    }
}

fn constraint_solver(group: &mut Group<'_>, recording: &Recording, stages: &mut Stages) {
    let reel = Reel::new(recording.solve.take());
    let mut answer = GroupAnswer::default();
    group.bench_function("constraint-solver/solve", |b| {
        b.iter(|| {
            let f = reel.next();
            answer.start(&f.problem);
            stages.constraint_solver.solve(&f.problem, f.step, &OneThread, &mut answer)
        });
    });
    group.bench_function("position-corrector/correct", |b| {
        b.iter(|| {
            let f = reel.next();
            answer.start_correction(&f.problem);
            stages.position_corrector.correct(&f.problem, &mut answer)
        });
    });
}

fn motion_solver(group: &mut Group<'_>, inputs: Vec<MotionFrame>, configuration: &Configuration, stages: &Stages) {
    let reel = Reel::new(inputs);
    let mut change = vec![Twist::ZERO; configuration.bodies.len()];
    group.bench_function("motion-solver/kick", |b| {
        b.iter(|| {
            let f = reel.next();
            stages.motion_solver.kick(configuration, &f.state, &f.bodies, &f.wrenches, f.h, &mut change);
            black_box(change.len())
        });
    });
    group.bench_function("motion-solver/drift", |b| {
        b.iter_batched_ref(
            || reel.copy(),
            |f| stages.motion_solver.drift(configuration, &mut f.state, &f.bodies, f.h),
            BatchSize::LargeInput,
        );
    });
}

fn stages(c: &mut Criterion) {
    for name in ["wall-20x10", "wall-20x10-jittered", "balls-in-box"] {
        let mut scenes = Scene::all().into_iter().chain(Scene::jittered(1));
        let scene = scenes.find(|s| s.name == name).expect("a scene of this name");
        let variant = Variant::default();
        let (recording, world) = record(&scene, &variant, 2 * STEPS_PER_SECOND).expect("a scene that can be stepped");
        let mut stages = Modules::assemble(&variant.paradigm, &variant.choices).expect("choices that fit").stages;
        let configuration = world.configuration();

        let mut group = c.benchmark_group(name);
        broad_phase(&mut group, recording.broad_phase.take(), &mut stages);
        edges(&mut group, &recording, configuration, &stages);
        contact_graph(&mut group, &recording, configuration, &mut stages);
        constraint_solver(&mut group, &recording, &mut stages);
        motion_solver(&mut group, recording.motion.take(), configuration, &stages);
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_millis(800))
        .warm_up_time(Duration::from_millis(200));
    targets = stages
}
criterion_main!(benches);
