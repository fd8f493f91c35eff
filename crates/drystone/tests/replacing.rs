//! Modules given by value to a running world.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, Modules, Replacement, WorldBuilder, WorldError, registry};

const H: f64 = 0.01;

/// A stack, a body spinning in the air, a sliding ball and a pendulum.
fn world(builder: WorldBuilder) -> Result<World, WorldError> {
    let mut world = builder.paradigm(Paradigm::VELOCITY_LCP).build()?;
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()))?;
    let cube = Body::dynamic(Shape::cuboid(0.3, 0.3, 0.3).unwrap());
    for i in 0..4 {
        let k = f64::from(i);
        world.add(cube.clone().at([0.03 * k, 0.3 + 0.61 * k, 0.02 * k]))?;
    }
    world.add(cube.clone().at([3.0, 4.0, 0.0]).angular_velocity([3.0, 1.0, 7.0]))?;
    world.add(Body::dynamic(Shape::sphere(0.2).unwrap()).at([-2.0, 0.2, 0.0]).linear_velocity([2.0, 0.0, 0.5]))?;
    let bob = world.add(cube.at([6.0, 3.0, 0.0]))?;
    world.join(Joint::ball(None, bob).anchor([5.0, 4.0, 0.0]))?;
    Ok(world)
}

/// The module that a name stands for, as a value.
fn module(kind: ModuleKind, name: &str) -> Result<Replacement, WorldError> {
    let choice = ModuleChoice { kind, name: Some(name.to_owned()), settings: Vec::new() };
    let modules = Modules::assemble(&Paradigm::VELOCITY_LCP, &[choice])?;
    let stages = modules.stages;
    Ok(match kind {
        ModuleKind::TimeControl => Replacement::TimeControl(modules.time_control),
        ModuleKind::MotionSolver => Replacement::MotionSolver(stages.motion_solver),
        ModuleKind::ConstraintSolver => Replacement::ConstraintSolver(stages.constraint_solver),
        ModuleKind::CollisionSolver => Replacement::CollisionSolver(stages.collision_solver),
        ModuleKind::BroadPhase => Replacement::BroadPhase(stages.broad_phase),
        ModuleKind::NarrowPhase => Replacement::NarrowPhase(stages.narrow_phase),
        ModuleKind::ContactDetermination => Replacement::ContactDetermination(stages.contact_determination),
        ModuleKind::CoherenceAnalysis => Replacement::CoherenceAnalysis(stages.coherence),
        ModuleKind::SleepPolicy => Replacement::SleepPolicy(stages.sleep_policy),
        ModuleKind::Lcp => unreachable!("no module of a world"),
    })
}

/// Steps until one fails.
fn go(world: &mut World, steps: u32) -> Result<(), String> {
    (0..steps).try_for_each(|_| world.advance(H).map(drop).map_err(|e| e.to_string()))
}

#[test]
fn a_replaced_run_is_the_run_of_a_world_that_was_built_so() {
    let mut plain = world(World::builder()).unwrap();
    go(&mut plain, 30).unwrap();
    let mut compared = 0;
    let mut otherwise = Vec::new();
    for kind in ModuleKind::ALL.into_iter().filter(|k| *k != ModuleKind::Lcp) {
        for i in registry::implementations(kind) {
            let Ok(replacement) = module(kind, i.name) else { continue };
            let mut replaced = world(World::builder()).unwrap();
            go(&mut replaced, 15).unwrap();
            let before = replaced.snapshot().to_bytes();
            if let Err(error) = replaced.replace(replacement) {
                // the world is unchanged, and goes on as if nothing had been asked for
                let unfit = matches!(error, WorldError::Levels { .. } | WorldError::Mismatch { .. });
                assert!(unfit, "{}: {error}", i.name);
                go(&mut replaced, 15).unwrap();
                assert_eq!(replaced.state(), plain.state(), "{}", i.name);
                continue;
            }
            let family = kind == ModuleKind::ConstraintSolver && i.name == "velocity-complementarity";
            assert!(family || replaced.modules().name(kind) == i.name, "{}", replaced.modules().name(kind));
            // without inertia velocities have another meaning and are dropped, so the runs are compared from the instant after the replacement
            let loses_inertia = i.name == "first-order";
            let before = if loses_inertia { replaced.snapshot().to_bytes() } else { before };
            let mut built = world(World::builder().replace(module(kind, i.name).unwrap())).unwrap();
            let at = built.read_snapshot(&before).unwrap();
            built.restore(&at).unwrap();
            assert_eq!(go(&mut replaced, 15), go(&mut built, 15), "{}", i.name);
            assert_eq!(replaced.state(), built.state(), "{}", i.name);
            compared += 1;
            if replaced.state() != plain.state() {
                otherwise.push(kind);
            }
        }
    }
    println!("{compared} modules");
    assert!(compared > 40, "{compared}");
    // the replacements did take effect
    for kind in [ModuleKind::TimeControl, ModuleKind::MotionSolver, ModuleKind::ConstraintSolver] {
        assert!(otherwise.contains(&kind), "{kind:?}");
    }
}

#[test]
fn a_replaced_module_stays_until_a_choice_names_another() {
    let mut world = world(World::builder()).unwrap();
    world.replace(module(ModuleKind::BroadPhase, "exhaustive").unwrap()).unwrap();
    world.set_paradigm(Paradigm::LOAD_PROPAGATION, &[]).unwrap();
    assert_eq!(world.modules().name(ModuleKind::BroadPhase), "exhaustive");
    let named =
        ModuleChoice { kind: ModuleKind::BroadPhase, name: Some("sweep-and-prune".to_owned()), settings: Vec::new() };
    world.set_paradigm(Paradigm::LOAD_PROPAGATION, &[named]).unwrap();
    assert_eq!(world.modules().name(ModuleKind::BroadPhase), "sweep-and-prune");
}
