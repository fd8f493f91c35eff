//! `drystone query` on scenes, and suggestions for misspelt names, through the binary itself.

use serde_json::{Value, json};
use std::process::{Command, Output};

fn drystone(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_drystone")).args(arguments).output().unwrap()
}

fn written(name: &str, text: &str) -> String {
    let path = std::env::temp_dir().join(format!("drystone-{}-{name}", std::process::id()));
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn asked(question: &Value) -> Output {
    let path = written(&format!("{}.json", question.to_string().len()), &question.to_string());
    drystone(&["query", &path, "--json"])
}

fn scene() -> Value {
    json!({"bodies": [
        {"name": "floor", "kind": "fixed", "shape": {"plane": {"normal": [0, 1, 0]}}},
        {"name": "box", "shape": {"box": {"half_extents": [0.5, 0.5, 0.5]}}, "position": [0, 0.5, 0],
         "repeat": {"count": [1, 2, 1], "step": [0, 1, 0]}}]})
}

#[test]
fn rays_points_and_sweeps_are_answered() {
    let out = asked(&json!({"scene": scene(),
        "rays": [{"origin": [-5, 0.5, 0], "direction": [2, 0, 0]}, {"origin": [-5, 0.5, 0], "direction": [1, 0, 0], "max": 4},
                 {"origin": [0, 9, 0], "direction": [0, -1, 0], "max": null}, {"origin": [0, 1.2, 0], "direction": [1, 0, 0]}],
        "points": [[0, 3, 0], [4, 0.25, 0], [0, 0.6, 0]],
        "sweeps": [{"shape": {"sphere": {"radius": 0.5}}, "position": [-5, 0.6, 0], "translation": [10, 0, 0]},
                   {"shape": {"sphere": {"radius": 0.5}}, "position": [-5, 4, 0], "translation": [10, 0, 0]}]}));
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let answer: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(
        answer["rays"][0],
        json!({"body": "box[0]", "distance": 4.5, "position": [-0.5, 0.5, 0.0], "normal": [-1.0, 0.0, 0.0]})
    );
    assert_eq!(answer["rays"][1], json!({"body": null, "distance": null, "position": null, "normal": null}));
    assert_eq!((&answer["rays"][2]["body"], &answer["rays"][2]["distance"]), (&json!("box[1]"), &json!(7.0)));
    assert_eq!(answer["rays"][3]["distance"], json!(0.0));
    assert_eq!((&answer["points"][0]["body"], &answer["points"][0]["distance"]), (&json!("box[1]"), &json!(1.0)));
    assert_eq!(
        answer["points"][1],
        json!({"body": "floor", "distance": 0.25, "position": [4.0, 0.0, 0.0], "normal": [0.0, 1.0, 0.0]})
    );
    assert!((answer["points"][2]["distance"].as_f64().unwrap() + 0.4).abs() < 1e-12);
    let sweep = &answer["sweeps"][0];
    assert!(sweep["body"] == "box[0]" && (sweep["distance"].as_f64().unwrap() - 4.0).abs() < 1e-9, "{sweep}");
    assert_eq!(answer["sweeps"][1]["body"], Value::Null);
}

#[test]
fn faulty_questions_are_told_in_words() {
    for (question, word) in [
        (json!({"scene": scene(), "rays": [{"origin": [0, 0, 0], "direction": [0, 0, 0]}]}), "rays[0].direction"),
        (json!({"scene": scene(), "rays": [{"origin": [0, 0, 0], "direction": [1, 0, 0], "max": -1}]}), "rays[0].max"),
        (json!({"scene": scene(), "rays": [{"origin": [1e200, 0, 0], "direction": [1, 0, 0]}]}), "rays[0]: origin"),
        (json!({"scene": scene(), "ray": []}), "did you mean 'rays'?"),
        (json!({"scene": {"bodies": [{"name": "b", "shape": {"sphere": {"radius": -1}}}]}}), "scene.bodies[0].shape"),
        (
            json!({"scene": scene(), "sweeps": [{"shape": {"plane": {"normal": [0, 1, 0]}}, "translation": [1, 0, 0]}]}),
            "no end",
        ),
    ] {
        let out = asked(&question);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(2) && said.contains(word), "{word}: {said}");
    }
}

#[test]
fn a_name_that_is_nearly_right_is_answered_by_the_right_one() {
    let stack = |set: &str| drystone(&["run", "box-stack", "--steps", "1", "--set", set]);
    let typos = [
        (drystone(&["run", "boxstack"]), "did you mean 'box-stack'?"),
        (drystone(&["run", "box-stack", "--paradigm", "shock-propagaton"]), "did you mean 'shock-propagation'?"),
        (stack("simulation.lcp.iteratons=5"), "did you mean 'iterations'?"),
        (stack("simulation.broad_phase.kind=hashgrid"), "did you mean 'hash-grid'?"),
        (stack("simulation.brod_phase.kind=hash-grid"), "did you mean 'broad_phase'?"),
        (stack("materials.default.fricton=1"), "did you mean 'friction'?"),
    ];
    for (out, hint) in typos {
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(2) && said.contains(hint), "{hint}: {said}");
    }
    // no suggestion if no name is close
    let said = drystone(&["run", "quite-something-else"]).stderr;
    assert!(!String::from_utf8_lossy(&said).contains("did you mean"));
}

/// The scene in a query may be given by name: of a bundled scene, or of a file. The answer is the same as for the scene itself.
#[test]
fn a_query_names_its_scene() {
    let rays = json!([{"origin": [0, 9, 0], "direction": [0, -1, 0]}]);
    let file = written("named-scene.json", &scene().to_string());
    let of = |scene: Value| asked(&json!({"scene": scene, "rays": rays}));
    let (by_name, by_table) = (of(json!(file)), of(scene()));
    assert!(by_name.status.success(), "{}", String::from_utf8_lossy(&by_name.stderr));
    assert_eq!(by_name.stdout, by_table.stdout);
    let bundled = of(json!("box-stack"));
    let answer: Value = serde_json::from_slice(&bundled.stdout).unwrap();
    assert_ne!(answer["rays"][0]["body"], Value::Null);
    let faulty = written("faulty-scene.json", r#"{"bodies": [{"name": "a"}]}"#);
    for (name, said) in [("boxstack", "did you mean 'box-stack'?"), (&faulty, "faulty-scene.json: bodies[0]")] {
        let out = of(json!(name));
        let text = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(2) && text.contains(said), "{text}");
    }
}
