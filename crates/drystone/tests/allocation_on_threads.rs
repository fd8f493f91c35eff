//! What a warm step of large scenes allocates on two threads, by all of them together: the jobs by which work is handed out, and nothing else.

use drystone::core::PairMaterial;
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, Registry, WorldError};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const WARM: u32 = 15;
const STEPS: u32 = 5;

/// Modules that are not asked, and why.
const EXCEPTIONS: [(&str, &str); 5] = [
    ("box-box-old", "the pyramid falls apart, and the number of contacts grows"),
    ("closest-point", "one point per pair: the pyramid falls apart, and the number of contacts grows"),
    ("penalty", "bricks sink into each other, and the number of contacts grows for a second"),
    (
        "acceleration-complementarity",
        "a dense elimination of a thousand contacts takes seconds; `allocation_of_modules.rs` asks small ones",
    ),
    ("acceleration-program", "as before"),
];

/// The only exception on two threads: each list that is shared out is a job on the heap of the pool (64 bytes or so), and its queue grows by a block of 1 kB for every 63 of them.
/// A hundred lists per step; any column of the scenes below is larger.
const BYTES_OF_JOBS: usize = 10_000;

/// A square pyramid of bricks, each on four, that slides without friction on the ground: one group that moves, whose contacts stay.
fn add_pyramid(world: &mut World, layers: u32, at: f64) -> Result<(), WorldError> {
    let ice = world.add_material(Material::default())?;
    let brick = world.add_material(Material::default())?;
    let slippery = PairMaterial { friction: 0.0, ..PairMaterial::default() };
    world.materials_mut().set_pair(ice, brick, slippery)?;
    world.add(Body::fixed(Shape::cuboid(200.0, 0.5, 200.0)?).at([0.0, -0.5, 500.0 * at]).material(ice))?;
    for layer in 0..layers {
        let (count, first) = (layers - layer, 0.55 * f64::from(layer));
        for (i, k) in (0..count).flat_map(|i| (0..count).map(move |k| (i, k))) {
            let [x, z] = [i, k].map(|n| first + 1.1 * f64::from(n));
            let body =
                Body::dynamic(Shape::cuboid(0.5, 0.25, 0.5)?).at([x, 0.25 + 0.5 * f64::from(layer), z + 500.0 * at]);
            world.add(body.linear_velocity([3.0, 0.0, 0.0]).material(brick))?;
        }
    }
    Ok(())
}

/// A warm world with pyramids of so many layers; none if the modules do not fit together.
fn warm(choices: &[ModuleChoice], threads: usize, pyramids: &[u32]) -> Result<World, WorldError> {
    let awake = ModuleChoice { kind: ModuleKind::SleepPolicy, name: Some("never".to_owned()), settings: vec![] };
    let mut builder = World::builder().threads(threads).choose(awake);
    for choice in choices {
        builder = builder.choose(choice.clone());
    }
    let mut world = builder.build()?;
    for (layers, i) in pyramids.iter().zip(0..) {
        add_pyramid(&mut world, *layers, f64::from(i))?;
    }
    for _ in 0..WARM {
        world.advance(0.01)?;
    }
    Ok(world)
}

/// Allocations and bytes of all threads, per step.
fn allocated(world: &mut World) -> [usize; 2] {
    let region = Region::new(ALLOCATOR);
    for _ in 0..STEPS {
        world.advance(0.01).unwrap();
    }
    let change = region.change();
    let blocks = change.allocations + change.reallocations;
    [blocks, change.bytes_allocated].map(|n| n / STEPS as usize)
}

/// What is wrong with what a world allocates on two threads.
fn fault(name: &str, world: Result<World, WorldError>) -> Option<String> {
    let [blocks, bytes] = match world {
        Ok(mut world) => allocated(&mut world),
        Err(error) => return Some(format!("{name}: {error}")),
    };
    if bytes > BYTES_OF_JOBS {
        return Some(format!("{name}: {bytes} bytes in {blocks} blocks per step"));
    }
    (blocks == 0).then(|| format!("{name}: nothing is handed to the second thread"))
}

fn choice(kind: ModuleKind, name: &str) -> ModuleChoice {
    ModuleChoice { kind, name: Some(name.to_owned()), settings: vec![] }
}

// one test: what others allocate meanwhile would count
#[test]
fn warm_steps_of_large_scenes_allocate_jobs_alone() {
    const LARGE: [u32; 1] = [17];
    let mut faults = Vec::new();
    // one thread has no jobs
    let one = allocated(&mut warm(&[], 1, &LARGE).unwrap());
    if one != [0, 0] {
        faults.push(format!("one thread: {} bytes in {} blocks per step", one[1], one[0]));
    }
    // what is cold is seen
    let mut cold = warm(&[], 2, &LARGE).unwrap();
    cold.add(Body::dynamic(Shape::sphere(0.5).unwrap()).at([0.0, 50.0, 0.0])).unwrap();
    assert!(allocated(&mut cold)[1] > BYTES_OF_JOBS);
    let registry = Registry::default();
    let asked =
        |kind| registry.implementations(kind).iter().filter(|m| EXCEPTIONS.iter().all(|(name, _)| *name != m.name));
    for kind in [ModuleKind::BroadPhase, ModuleKind::NarrowPhase, ModuleKind::ContactDetermination] {
        for module in asked(kind) {
            faults.extend(fault(module.name, warm(&[choice(kind, module.name)], 2, &LARGE)));
        }
    }
    // two groups side by side
    for solver in asked(ModuleKind::ConstraintSolver) {
        let choices = [choice(ModuleKind::ConstraintSolver, solver.name)];
        faults.extend(fault(solver.name, warm(&choices, 2, &[6, 6])));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
