//! Modules chosen by name: each narrow phase runs any scene, and values and settings that a module does not take are refused by name.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, WorldError};
use drystone_core::catalogue::Value;

fn choose(kind: ModuleKind, name: &str, settings: Vec<(String, Value)>) -> Result<World, WorldError> {
    World::builder().choose(ModuleChoice { kind, name: Some(name.to_owned()), settings }).build()
}

#[test]
fn every_narrow_phase_runs_a_scene_with_pairs_it_does_not_take() {
    for i in drystone_narrow_phase::IMPLEMENTATIONS {
        let mut world = choose(ModuleKind::NarrowPhase, i.name, Vec::new()).unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap());
        let lower = world.add(cube.clone().at([0.0, 0.5, 0.0])).unwrap();
        let upper = world.add(cube.at([0.1, 1.5, 0.0])).unwrap();
        let ball = world.add(Body::dynamic(Shape::sphere(0.25).unwrap()).at([3.0, 0.25, 0.0])).unwrap();
        for _ in 0..60 {
            world.advance(1.0 / 60.0).unwrap();
        }
        // the rule of the source text takes the end of an edge for a point of the face it is over, and presses boxes some millimetres deeper
        let tolerance = if i.name == "box-box-old" { 5e-3 } else { 2e-3 };
        for (body, height) in [(lower, 0.5), (upper, 1.5), (ball, 0.25)] {
            let y = world.position(body).unwrap().y;
            assert!((y - height).abs() < tolerance, "{}: {y}, not {height}", i.name);
        }
    }
}

#[test]
fn a_solver_says_which_value_it_does_not_take() {
    let settings = vec![("omega".to_owned(), Value::Real(0.0))];
    let error = choose(ModuleKind::Lcp, "projected-gauss-seidel", settings).err().unwrap();
    assert!(matches!(error, WorldError::Solver { .. }), "{error}");
    assert!(error.to_string().contains("omega"), "{error}");
}

/// Two settings that cannot both be obeyed are refused by name before anything runs, and
/// either alone is accepted; also if they are given by the numbers that once stood for names.
#[test]
fn settings_that_exclude_each_other_are_refused() {
    let by = |settings: &[(&str, Value)]| {
        let settings = settings.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        choose(ModuleKind::Lcp, "projected-gauss-seidel", settings)
    };
    let every = ("permute_every", Value::Integer(3));
    for on in [Value::Bool(true), Value::Integer(1)] {
        let by_error = ("order_by_error", on);
        let error = by(&[every.clone(), by_error.clone()]).err().unwrap();
        assert!(matches!(error, WorldError::Solver { .. }), "{error}");
        assert!([every.0, by_error.0].iter().all(|key| error.to_string().contains(key)), "{error}");
        by(&[by_error]).unwrap();
    }
    by(&[every]).unwrap();
    // a choice by its name, or by its former number
    for backward in [Value::Text("backward".to_owned()), Value::Integer(1)] {
        let world = by(&[("sweep", backward)]).unwrap();
        assert_eq!(world.modules().settings(ModuleKind::Lcp).text("sweep"), "backward");
    }
    assert!(by(&[("sweep", Value::Integer(3))]).err().unwrap().to_string().contains("symmetric"));
}
