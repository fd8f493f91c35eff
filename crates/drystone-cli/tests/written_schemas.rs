//! The output of the commands against the schemas that describe it, the schemas stored in the repository, and warnings about odd input.

use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::process::{Command, Output};

const NAMES: [&str; 7] = ["scene", "scene-query", "pair-query", "figures", "frame", "scene-answers", "pair-answers"];

fn drystone(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_drystone")).args(arguments).output().unwrap()
}

fn printed(arguments: &[&str]) -> String {
    let output = drystone(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn schema(name: &str) -> Value {
    serde_json::from_str(&printed(&["schema", name])).unwrap()
}

fn scratch(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// The subset of JSON schema that declarations of Rust types turn into; every key found must be declared.
fn fits(value: &Value, schema: &Value, root: &Value, path: &str) -> Result<(), String> {
    if let Some(name) = schema["$ref"].as_str() {
        return fits(value, &root["$defs"][name.strip_prefix("#/$defs/").unwrap()], root, path);
    }
    for choices in [&schema["anyOf"], &schema["oneOf"]] {
        if let Some(list) = choices.as_array() {
            let tried: Vec<String> = list.iter().map_while(|s| fits(value, s, root, path).err()).collect();
            if tried.len() == list.len() {
                return Err(tried.join("; or "));
            }
            return Ok(());
        }
    }
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{path}: type {other}"),
    };
    let kinds = &schema["type"];
    let named = kinds.as_array().map_or(vec![kinds], |l| l.iter().collect());
    if !named.iter().any(|k| is(k.as_str().unwrap_or_else(|| panic!("{path}: {schema} says no type")))) {
        return Err(format!("{path}: {value} is no {kinds}"));
    }
    if let Some(list) = value.as_array() {
        let (least, most) = (schema["minItems"].as_u64(), schema["maxItems"].as_u64());
        if least.is_some_and(|n| (list.len() as u64) < n) || most.is_some_and(|n| list.len() as u64 > n) {
            return Err(format!("{path}: {} entries", list.len()));
        }
        for (i, v) in list.iter().enumerate() {
            fits(v, &schema["items"], root, &format!("{path}[{i}]"))?;
        }
    }
    if let Some(object) = value.as_object() {
        let none = Map::new();
        let declared = schema["properties"].as_object().unwrap_or(&none);
        for (key, v) in object {
            let inner = declared.get(key).ok_or_else(|| format!("{path}.{key} is not declared"))?;
            assert!(inner["$ref"].is_string() || inner["description"].is_string(), "{path}.{key} is not described");
            fits(v, inner, root, &format!("{path}.{key}"))?;
        }
        for key in schema["required"].as_array().into_iter().flatten() {
            if !object.contains_key(key.as_str().unwrap()) {
                return Err(format!("{path}: {key} is missing"));
            }
        }
    }
    Ok(())
}

fn check(value: &Value, schema: &Value) {
    fits(value, schema, schema, "").unwrap();
}

#[test]
fn schemas_in_the_repository_are_those_of_the_program() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    for name in NAMES {
        let there = std::fs::read_to_string(folder.join(format!("{name}.json"))).unwrap_or_default();
        assert!(there == printed(&["schema", name]), "schemas/{name}.json: cargo run -- schema --out schemas");
    }
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), NAMES.len());
}

#[test]
fn bundled_scenes_name_their_schema() {
    for scene in drystone_cli::bundled_scenes() {
        assert_eq!(scene.text.lines().next(), Some("#:schema ../schemas/scene.json"), "{}", scene.name);
    }
}

#[test]
fn figures_and_frames_fit_their_schemas() {
    let (figures, frame) = (schema("figures"), schema("frame"));
    let frames = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fits.jsonl");
    // between them these scenes have contacts, joints, residuals and layers; one has nothing to measure
    for scene in ["box-stack", "chain-swing", "four-bar", "free-top", "destructive-chain"] {
        let text = printed(&["run", scene, "--steps", "4", "--json", "--frames", frames.to_str().unwrap()]);
        check(&serde_json::from_str(&text).unwrap(), &figures);
        for line in std::fs::read_to_string(&frames).unwrap().lines() {
            check(&serde_json::from_str(line).unwrap(), &frame);
        }
    }
    // the control: a figure of another type, an extra one and a missing one are all found
    let mut text: Value = serde_json::from_str(&printed(&["run", "free-top", "--steps", "1", "--json"])).unwrap();
    for (key, wrong) in [("steps", json!("4")), ("odd", json!(1)), ("warnings", json!([1]))] {
        let mut changed = text.clone();
        changed[key] = wrong;
        assert!(fits(&changed, &figures, &figures, "").is_err(), "{key}");
    }
    text.as_object_mut().unwrap().remove("energy");
    assert!(fits(&text, &figures, &figures, "").is_err());
}

#[test]
fn answers_of_queries_fit_their_schemas() {
    let scene = scratch(
        "fits-scene.json",
        r#"{"scene": {"bodies": [{"name": "box", "shape": {"box": {"half_extents": [0.5, 0.5, 0.5]}}}]},
            "rays": [{"origin": [-5, 0, 0], "direction": [1, 0, 0]}, {"origin": [-5, 9, 0], "direction": [1, 0, 0]}],
            "points": [[0, 2, 0]],
            "sweeps": [{"shape": {"sphere": {"radius": 0.25}}, "position": [-5, 0, 0], "translation": [10, 0, 0]}]}"#,
    );
    check(
        &serde_json::from_str(&printed(&["query", scene.to_str().unwrap(), "--json"])).unwrap(),
        &schema("scene-answers"),
    );
    let pairs = scratch(
        "fits-pairs.json",
        r#"{"pairs": [{"a": {"shape": {"sphere": {"radius": 1}}}, "b": {"shape": {"sphere": {"radius": 1}}, "position": [1.5, 0, 0]}}]}"#,
    );
    let answers: Value = serde_json::from_str(&printed(&["query", pairs.to_str().unwrap(), "--json"])).unwrap();
    assert!(answers.as_array().unwrap().iter().any(|a| a["unsupported"].is_string()), "refusals are among them");
    check(&answers, &schema("pair-answers"));
}

/// Two bodies with a joint between them.
fn odd(joint: &str, density: &str, shape: &str) -> String {
    format!(
        r#"[scene]
name = "odd"
duration = 0.02
[materials.light]
density = {density}
[materials.steel]
density = 7800.0
[simulation]
paradigm = "velocity-lcp"
time_step = 0.01
[[bodies]]
name = "a"
material = "light"
shape = {{ box = {{ half_extents = [0.1, 0.1, 0.1] }} }}
[[bodies]]
name = "b"
material = "steel"
position = [1.0, 0.0, 0.0]
shape = {shape}
[[joints]]
kind = "hinge"
bodies = ["a", "b"]
anchor = [0.5, 0.0, 0.0]
axis = [0.0, 0.0, 1.0]
limits = {joint}
"#
    )
}

#[test]
fn what_is_allowed_and_odd_is_warned_of() {
    let cube = "{ box = { half_extents = [0.1, 0.1, 0.1] } }";
    let tetrahedron = |scale: f64| {
        format!(
            "{{ mesh = {{ vertices = [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], triangles = [[0,2,1],[0,1,3],[0,3,2],[1,2,3]], scale = {scale:?} }} }}"
        )
    };
    let plain = "{ lower = -1.0, upper = 1.0 }";
    for (name, text, said) in [
        (
            "limits",
            odd("{ lower = -90.0, upper = 90.0 }", "500.0", cube),
            Some("limits: -90 rad is more than a whole turn"),
        ),
        ("degrees", odd("{ degrees = [-90.0, 90.0] }", "500.0", cube), None),
        ("density", odd(plain, "1.0", cube), Some("materials.light.density: 1 kg/m^3 beside 7800 of 'steel'")),
        ("wood", odd(plain, "500.0", cube), None),
        ("scale", odd(plain, "500.0", &tetrahedron(1000.0)), Some("coordinates times 1000")),
        ("small", odd(plain, "500.0", &tetrahedron(0.5)), None),
    ] {
        let path = scratch(&format!("odd-{name}.toml"), &text);
        for arguments in [&["run", "--json"][..], &["check"]] {
            let output = drystone(&[&arguments[..1], &[path.to_str().unwrap()], &arguments[1..]].concat());
            let errors = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.success(), "{name}: a warning is no failure: {errors}");
            match said {
                Some(said) => assert!(errors.contains("warning: ") && errors.contains(said), "{name}: {errors}"),
                None => assert_eq!(errors, "", "{name}"),
            }
            if arguments[0] == "run" {
                let figures: Value = serde_json::from_slice(&output.stdout).unwrap();
                // so light a body in a joint also lies beyond what the preset claims; that is a different warning
                let of_file = |w: &&Value| !w.as_str().unwrap().contains("beyond what");
                let listed: Vec<_> = figures["warnings"].as_array().unwrap().iter().filter(of_file).collect();
                assert_eq!(listed.len(), usize::from(said.is_some()), "{name}: {listed:?}");
                assert!(said.is_none_or(|said| listed[0].as_str().unwrap().contains(said)));
            }
        }
    }
    // a body with its own mass gives no warning about the density
    let massive = odd(plain, "1.0", cube).replacen("material = \"light\"", "material = \"light\"\nmass = 2.0", 1);
    let output = drystone(&["check", scratch("odd-mass.toml", &massive).to_str().unwrap()]);
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn bundled_scenes_give_no_cause_for_warnings() {
    for scene in drystone_cli::bundled_scenes() {
        let loaded = drystone_cli::load(scene.name, &drystone_cli::Overrides::default()).unwrap();
        // these scenes show joints that pull their bodies together, so they do warn
        let odd = usize::from(["error-reduction", "self-assembly", "stable-stepper"].contains(&scene.name));
        assert_eq!(loaded.warnings.len(), odd, "{}: {:?}", scene.name, loaded.warnings);
    }
}

#[test]
fn what_lies_beyond_a_presets_claims_is_said_before_the_run() {
    let said = |arguments: &[&str]| {
        let output = drystone(arguments);
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    // a scene written for its preset chooses the modules that it needs
    assert_eq!(said(&["run", "column-30", "--steps", "0"]), "");
    let warned = said(&["run", "box-stack", "--paradigm", "ode", "--steps", "0"]);
    let line = warned.lines().find(|l| l.contains("beyond what ode claims")).expect("a warning");
    for part in ["warning: box-stack: ", " 25, claimed up to 9: ", "columns lean", "(measured: "] {
        assert!(line.contains(part), "{part} in {line}");
    }
    let figures: Value =
        serde_json::from_slice(&drystone(&["run", "box-stack", "--paradigm", "ode", "--steps", "0", "--json"]).stdout)
            .unwrap();
    assert!(figures["warnings"].as_array().unwrap().iter().any(|w| w == line));
    // if the scene sets a module of its own, the preset's claims do not apply, and the warning says so
    let line = said(&["run", "tipping-rod", "--paradigm", "ode", "--steps", "0"]);
    assert!(line.contains("its own time_control is 'fixed', and this scene sets 'semi-implicit'"), "{line}");
    for within in [
        &["run", "box-stack", "--paradigm", "avbd", "--steps", "0"],
        &["run", "wall", "--paradigm", "real-time", "--steps", "0"],
    ] {
        assert!(!said(within).contains("claims"), "{within:?}");
    }
    let listed: Value = serde_json::from_slice(&drystone(&["list", "--json"]).stdout).unwrap();
    let presets = listed["paradigms"].as_array().unwrap();
    let ode = presets.iter().find(|p| p["name"] == "ode").unwrap();
    let levels = ode["claims"].as_array().unwrap().iter().find(|b| b["demand"] == "levels").unwrap();
    assert_eq!(levels["most"], 9.0);
    assert!(
        String::from_utf8(drystone(&["list"]).stdout)
            .unwrap()
            .contains("claims up to 9: bodies stacked on one another")
    );
}

/// A closed surface that faces inwards is turned outwards, with a warning.
#[test]
fn whoever_turns_triangles_says_so() {
    let cube = |faces: &str| {
        let corners = "[[0,0,0],[1,0,0],[1,1,0],[0,1,0],[0,0,1],[1,0,1],[1,1,1],[0,1,1]]";
        let mesh = format!("{{ mesh = {{ vertices = {corners}, triangles = {faces} }} }}");
        let path = std::env::temp_dir().join(format!("drystone-turned-{}-{}.toml", faces.len(), std::process::id()));
        std::fs::write(&path, format!("[[bodies]]\nname = 'm'\nshape = {mesh}\n")).unwrap();
        let loaded = drystone_cli::load(&path.display().to_string(), &drystone_cli::Overrides::default()).unwrap();
        std::fs::remove_file(&path).unwrap();
        loaded.warnings
    };
    let outwards = "[[0,2,1],[0,3,2],[4,5,6],[4,6,7],[0,1,5],[0,5,4],[3,7,6],[3,6,2],[0,4,7],[0,7,3],[1,2,6],[1,6,5]]";
    let inwards = "[ [0,1,2],[0,2,3],[4,6,5],[4,7,6],[0,5,1],[0,4,5],[3,6,7],[3,2,6],[0,7,4],[0,3,7],[1,6,2],[1,5,6]]";
    assert_eq!(cube(outwards), Vec::<String>::new());
    let warned = cube(inwards);
    assert!(warned.len() == 1 && warned[0].contains("12 triangles were turned round"), "{warned:?}");
}
