//! What a warm step of large scenes allocates on two threads, counted over all threads: the jobs by which work is handed out, and nothing else.

use drystone::core::PairMaterial;
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, Registry, WorldError};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const WARM: u32 = 15;
const STEPS: u32 = 5;

/// Modules that are not tested here, each with the reason.
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

/// The only exception on two threads, in bytes per step. Each list that is shared out is a job on the
/// heap of the thread pool (about 64 bytes), and the pool's queue grows by a block of 1 kB for every
/// 63 jobs. The bound allows a hundred lists per step; any column of the scenes below is larger.
const BYTES_OF_JOBS: usize = 10_000;

/// A square pyramid of bricks, each on four others, that slides without friction on the ground: one moving group whose contacts stay the same.
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

/// A warm world with pyramids of this many layers; an error if the modules do not fit together.
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

/// Allocations and bytes per step, over all threads.
fn allocated(world: &mut World) -> [usize; 2] {
    let region = Region::new(ALLOCATOR);
    for _ in 0..STEPS {
        world.advance(0.01).unwrap();
    }
    let change = region.change();
    let blocks = change.allocations + change.reallocations;
    [blocks, change.bytes_allocated].map(|n| n / STEPS as usize)
}

/// What is wrong with a world's allocations on two threads: an error, too many bytes, or none at all. `None` if nothing is wrong.
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

// a single test: allocations of tests that run at the same time would be counted too
#[test]
fn warm_steps_of_large_scenes_allocate_jobs_alone() {
    const LARGE: [u32; 1] = [17];
    let mut faults = Vec::new();
    // one thread hands out no jobs
    let one = allocated(&mut warm(&[], 1, &LARGE).unwrap());
    if one != [0, 0] {
        faults.push(format!("one thread: {} bytes in {} blocks per step", one[1], one[0]));
    }
    // the control: a cold world, to which a body was just added, allocates more
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
