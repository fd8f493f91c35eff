//! The exact bits of short runs, as last agreed upon: bundled scenes under every preset that takes them, identical on one, two and three threads.
//! `cargo xtask golden` runs this test with and without optimisation; `cargo xtask golden --bless` rewrites the table, and the commit that does
//! so says why the bits changed. They hold on every machine: no loop depends on the features of the processor.

use crate::side_by_side;
use drystone::Paradigm;
use drystone_cli::{Overrides, load, simulate};
use indicatif::ProgressBar;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// The scenes, and how many steps of each.
const SCENES: [(&str, u64); 8] = [
    ("ball-grid", 30),             // 25 groups, spheres, restitution
    ("box-stack-restitution", 50), // falls asleep
    ("domino-row", 40),            // groups that grow together
    ("plank-bridge", 60),          // hinges, ropes, a load
    ("ragdoll", 160),              // limits, reach cones, capsules, falls on the floor
    ("scripted-push", 40),         // a script through 125 balls
    ("sdm-see-saw", 30),           // meshes with distance maps
    ("three-balls", 20),           // elastic impacts
];

/// Presets whose exact solvers take many times as long: only the first steps are run.
const EXACT: [Paradigm; 5] = [
    Paradigm::CONVEX_NEWTON,
    Paradigm::POSITION_NCP,
    Paradigm::COLLISION_SYNCHRONIZATION,
    Paradigm::ACCELERATION_LCP,
    Paradigm::ACCELERATION_LP,
];
const FIRST_STEPS: u64 = 10;

/// Table entry for a preset that cannot run the scene.
const REFUSED: &str = "refused";
/// Table entry for a preset under which the scene diverges and reports it.
const FAILS: &str = "fails";

#[test]
fn runs_have_the_bits_of_the_table_on_any_number_of_threads() {
    let runs: Vec<(&str, u64, &Paradigm)> =
        SCENES.iter().flat_map(|(scene, steps)| Paradigm::ALL.iter().map(|p| (*scene, *steps, p))).collect();
    let hashes = side_by_side::each(&runs, |(scene, steps, preset)| {
        let is_exact = EXACT.iter().any(|e| e.name == preset.name);
        let steps = if is_exact { FIRST_STEPS.min(*steps) } else { *steps };
        let hashes = [1, 2, 3].map(|threads| hash(scene, steps, preset.name, threads));
        assert!(hashes.iter().all(|h| *h == hashes[0]), "{scene} under {} by threads: {hashes:?}", preset.name);
        hashes.into_iter().next().unwrap()
    });
    let mut table = Map::new();
    for (scene, of_scene) in SCENES.iter().zip(hashes.chunks(Paradigm::ALL.len())) {
        let names = Paradigm::ALL.iter().map(|p| p.name.to_owned());
        let row: Map<String, Value> = names.zip(of_scene.iter().map(|h| Value::from(h.as_str()))).collect();
        assert!(row.values().any(|h| h != REFUSED), "{} is taken by no preset", scene.0);
        table.insert(scene.0.to_owned(), Value::from(row));
    }
    let found = serde_json::to_string_pretty(&table).unwrap() + "\n";
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden_hashes.json");
    if std::env::var_os("DRYSTONE_BLESS").is_some() {
        std::fs::write(&file, &found).unwrap();
        return;
    }
    let agreed: Map<String, Value> = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let others: Vec<String> = SCENES
        .iter()
        .flat_map(|(scene, _)| Paradigm::ALL.iter().map(move |p| (*scene, p.name)))
        .filter(|(scene, preset)| agreed[*scene][*preset] != table[*scene][*preset])
        .map(|(scene, preset)| {
            format!("{scene} under {preset}: {} instead of {}", table[scene][preset], agreed[scene][preset])
        })
        .collect();
    assert!(others.is_empty(), "other bits; if that is meant, cargo xtask golden --bless:\n{}", others.join("\n"));
    assert_eq!(agreed.len(), SCENES.len(), "the table has other scenes: cargo xtask golden --bless");
}

/// The hash of the final states.
fn hash(scene: &str, steps: u64, preset: &str, threads: usize) -> String {
    let overrides = Overrides { paradigm: Some(preset.to_owned()), threads: Some(threads), ..Overrides::default() };
    let Ok(mut loaded) = load(scene, &overrides) else { return REFUSED.to_owned() };
    let start = loaded.world.state().clone();
    let Ok(done) = simulate(&mut loaded, Some(steps), 0, None, &ProgressBar::hidden()) else { return FAILS.to_owned() };
    assert_ne!(loaded.world.state(), &start, "{scene} under {preset}: nothing moves");
    done.figures.state_hash
}
