//! Every bundled scene does what its source says: the expectations are data beside the scene.

use crate::side_by_side;
use drystone::Paradigm;
use drystone_cli::{Overrides, bundled_scenes, load, simulate};
use drystone_scene::expect::{Expectations, InitialPositions};
use indicatif::ProgressBar;

#[test]
fn every_bundled_scene_meets_its_expectations() {
    let only = std::env::var("DRYSTONE_SCENE").ok();
    let scenes: Vec<_> = bundled_scenes().into_iter().filter(|s| only.as_deref().is_none_or(|o| o == s.name)).collect();
    let failures: Vec<String> =
        side_by_side::each(&scenes, |scene| failures_of(scene.name, scene.expectations)).concat();
    assert!(failures.is_empty(), "{} expectations fall short:\n{}", failures.len(), failures.join("\n"));
}

/// Runs a scene as the text of its expectations says, and what of them is not met.
fn failures_of(scene: &str, expectations: Option<&str>) -> Vec<String> {
    let Some(text) = expectations else { return vec![format!("{scene}: no expectations beside the scene")] };
    let expectations = Expectations::from_toml_str(text).unwrap_or_else(|e| panic!("{scene}: {e}"));
    let mut failures = Vec::new();
    let mut figures = Vec::new();
    let mut initial = None;
    for run in expectations.runs() {
        let mut set = run.set.clone();
        set.extend(run.duration.map(|d| format!("scene.duration={d}")));
        let overrides = Overrides { paradigm: run.paradigm.clone(), set, ..Overrides::default() };
        let mut loaded = load(scene, &overrides).unwrap_or_else(|e| panic!("{scene}: {e}"));
        let world = &loaded.world;
        initial = Some(InitialPositions::of(world.configuration(), world.state(), &loaded.names));
        let watch = std::time::Instant::now();
        match simulate(&mut loaded, None, 0, None, &ProgressBar::hidden()) {
            Ok(done) => {
                println!("{:6.2} s  {scene} {:?} {:?}", watch.elapsed().as_secs_f64(), run.paradigm, run.set);
                figures.push((run, serde_json::to_value(&done.figures).unwrap()));
            }
            Err(e) => failures.push(format!("{scene}: {run:?}: {e}")),
        }
    }
    let initial = initial.unwrap_or_default();
    failures.extend(expectations.failures(&figures, &initial).into_iter().map(|f| format!("{scene}: {f}")));
    failures
}

/// For every preset, some scene names it, checks a figure from the preset's source, and has a control run without what the preset is for.
#[test]
fn every_preset_has_a_scene_of_its_own_and_a_control() {
    let shown = |preset: &str| {
        bundled_scenes().iter().any(|scene| {
            let own = scene.text.lines().any(|line| {
                let words: Vec<&str> = line.split(['=', ' ', '"']).filter(|w| !w.is_empty()).collect();
                words == ["paradigm", preset]
            });
            own && scene.expectations.is_some_and(|text| {
                let expectations = Expectations::from_toml_str(text).unwrap();
                expectations.expect.iter().any(|e| e.guarded.control)
            })
        })
    };
    let missing: Vec<&str> = Paradigm::ALL.iter().map(|p| p.name).filter(|p| !shown(p)).collect();
    assert!(missing.is_empty(), "without a scene and a control: {missing:?}");
}
