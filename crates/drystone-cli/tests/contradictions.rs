//! A joint and a contact that contradict each other are reported by name, whichever of them gives way.

use drystone_testkit::Random;
use serde_json::{Value, json};
use std::process::Command;

/// An arm on a hinge, of these half extents (m), with its pivot this far above a floor; `apart` keeps the two from colliding.
fn arm(half: [f64; 3], height: f64, apart: bool) -> Value {
    let pairs = if apart { json!([{"between": ["floor", "arm"]}]) } else { json!([]) };
    json!({
        "scene": {"name": "arm", "duration": 0.5},
        "bodies": [
            {"name": "floor", "kind": "fixed", "shape": {"plane": {"normal": [0, 1, 0]}}},
            {"name": "arm", "shape": {"box": {"half_extents": half}}, "position": [half[0], height, 0]},
        ],
        "ignore_pairs": pairs,
        "joints": [{"name": "pivot", "kind": "hinge", "bodies": ["arm", "world"], "anchor": [0, height, 0], "axis": [0, 0, 1]}],
    })
}

/// What a run says of contradictions.
fn said(scene: &Value, preset: &str, file: &str) -> Vec<String> {
    let path = std::env::temp_dir().join(format!("drystone-contradiction-{}-{file}.json", std::process::id()));
    std::fs::write(&path, scene.to_string()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_drystone"));
    let out = command.arg("run").arg(&path).args(["--paradigm", preset, "--json"]).output().unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let figures: Value = serde_json::from_slice(&out.stdout).unwrap();
    let warnings = figures["warnings"].as_array().unwrap().iter().map(|w| w.as_str().unwrap().to_owned());
    let told: Vec<_> = warnings.filter(|w| w.contains("contradicts")).collect();
    let printed = String::from_utf8(out.stderr).unwrap();
    assert!(told.iter().all(|w| printed.contains(w)), "printed too: {printed}");
    told
}

#[test]
fn an_arm_whose_pivot_is_in_the_floor_is_reported_by_name() {
    let mut random = Random::new(3);
    for case in 0..6 {
        let half = [random.range(0.2, 0.4), random.range(0.04, 0.08), random.range(0.04, 0.08)];
        // the floor would lift the arm out, the pivot holds it in
        let height = -random.range(0.05, 0.1);
        let scene = |apart| arm(half, height, apart);
        for preset in ["real-time", "velocity-lcp"] {
            let told = said(&scene(false), preset, &format!("{case}-{preset}"));
            assert_eq!(told.len(), 1, "{preset}, case {case}");
            for word in ["'pivot'", "'floor'", "'arm'"] {
                assert!(told[0].contains(word), "{}", told[0]);
            }
            let told = said(&scene(true), preset, &format!("apart-{case}-{preset}"));
            assert!(told.is_empty(), "nothing contradicts an arm that meets nothing: {told:?}");
        }
        let above = arm(half, half[0] + 0.2, false);
        assert!(said(&above, "real-time", &format!("above-{case}")).is_empty(), "an arm above the floor hangs freely");
    }
}
