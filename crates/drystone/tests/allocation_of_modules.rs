//! On one thread a warm step allocates nothing under any listed module, whatever its
//! choices, except for the exceptions listed here; and each of these does allocate.
//!
//! `allocation_on_threads.rs` tests two threads, with scenes that are large enough to be shared out.

use drystone::core::catalogue::{ParameterKind, Value};
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, Registry, WorldError};
use drystone_joints::JointDescription;

/// Modules, or single choices of a module, under which a warm step allocates, each
/// with the reason; none at present. An entry for a module covers all its choices.
const EXCEPTIONS: &[(&str, &str)] = &[];

const WARM: u32 = 100;
const STEPS: u32 = 20;

/// Six piled boxes and three balls.
fn fill(world: &mut World) -> Result<(), WorldError> {
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0)?))?;
    for i in 0..6 {
        let place = [f64::from(i % 2) * 1.05, 0.5 + f64::from(i / 2), 0.0];
        world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5)?).at(place))?;
    }
    for i in 0..3 {
        world.add(Body::dynamic(Shape::sphere(0.5)?).at([5.0 + 2.0 * f64::from(i), 0.5, 0.0]))?;
    }
    Ok(())
}

/// A ball that hangs on a joint, away from the others.
fn hang(world: &mut World) -> Result<(), WorldError> {
    let place = Vec3::new(-4.0, 3.0, 0.0);
    let bob = world.add(Body::dynamic(Shape::sphere(0.2)?).at(place))?;
    let anchor = Some(place + Vec3::Y);
    let ball = JointDescription { anchor, ..JointDescription::new("ball") };
    let source = drystone_joints::build(&ball, &Pose::IDENTITY, &Pose::from_position(place)).unwrap();
    world.add_joint([None, Some(bob)], source)?;
    Ok(())
}

/// A module of the registry with one of its choices.
struct Variant {
    module: &'static str,
    /// `module`, or `module: key = choice`.
    name: String,
    choice: ModuleChoice,
}

/// Every module of every kind: with its defaults, and with each other option of each setting that is a choice.
fn variants() -> Vec<Variant> {
    let registry = Registry::default();
    let mut all = Vec::new();
    for kind in ModuleKind::ALL {
        for module in registry.implementations(kind) {
            let with = |name: String, settings| Variant {
                module: module.name,
                name,
                choice: ModuleChoice { kind, name: Some(module.name.to_owned()), settings },
            };
            all.push(with(module.name.to_owned(), vec![]));
            for parameter in module.parameters {
                let ParameterKind::Choice { default, options } = parameter.kind else { continue };
                all.extend(options.iter().filter(|o| **o != default).map(|option| {
                    let setting = (parameter.name.to_owned(), Value::Text((*option).to_owned()));
                    with(format!("{}: {} = {option}", module.name, parameter.name), vec![setting])
                }));
            }
        }
    }
    all
}

/// A warm world under a preset with another module; `None` if they do not fit together.
fn attempt(preset: Paradigm, variant: &Variant, joint: bool) -> Option<World> {
    let awake = ModuleChoice { kind: ModuleKind::SleepPolicy, name: Some("never".to_owned()), settings: vec![] };
    let builder = World::builder().paradigm(preset).choose(awake).choose(variant.choice.clone());
    let mut world = builder.build().ok()?;
    fill(&mut world).ok()?;
    if joint {
        hang(&mut world).ok()?;
    }
    for _ in 0..WARM {
        world.advance(0.01).ok()?;
    }
    Some(world)
}

/// A warm world with the module, under the first preset that takes it; with a joint if any preset allows that.
fn warm(variant: &Variant) -> Option<World> {
    let presets = || [Paradigm::VELOCITY_LCP].into_iter().chain(Paradigm::ALL.iter().copied());
    let with = |joint: bool| presets().find_map(|preset| attempt(preset, variant, joint));
    with(true).or_else(|| with(false))
}

/// Allocations of the calling thread over [`STEPS`] warm steps.
fn allocations(world: &mut World) -> u64 {
    let info = allocation_counter::measure(|| {
        for _ in 0..STEPS {
            world.advance(0.01).unwrap();
        }
    });
    info.count_total
}

fn is_excepted(variant: &Variant) -> bool {
    EXCEPTIONS.iter().any(|(name, _)| *name == variant.name || *name == variant.module)
}

#[test]
fn a_warm_step_allocates_nothing_under_any_module() {
    let mut faults = Vec::new();
    for variant in variants() {
        let Some(mut world) = warm(&variant) else {
            faults.push(format!("{}: no preset takes it", variant.name));
            continue;
        };
        let count = allocations(&mut world);
        if (count > 0) != is_excepted(&variant) {
            faults.push(format!("{}: {count} allocations in {STEPS} steps", variant.name));
        }
    }
    let known = |name: &str| variants().iter().any(|v| v.name == name);
    faults.extend(EXCEPTIONS.iter().filter(|(n, _)| !known(n)).map(|(n, _)| format!("{n}: there is no such module")));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
