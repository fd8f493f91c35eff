//! Each fault says where it is, what was found and what is allowed; all faults of a file are reported.

use crate::common::{FULL, catalogue};
use drystone_scene::{Document, Scene};

fn message(text: &str) -> String {
    match Scene::from_toml_str(text, &catalogue()) {
        Ok(scene) => match scene.build() {
            Ok(_) => String::new(),
            Err(e) => e.to_string(),
        },
        Err(e) => e.to_string(),
    }
}

/// Replaces a piece of the full scene and expects all of these words in the message.
fn faulty(old: &str, new: &str, words: &[&str]) {
    assert!(FULL.contains(old), "{old}");
    let message = message(&FULL.replacen(old, new, 1));
    for word in words {
        assert!(message.contains(word), "{new}: '{word}' not in:\n{message}");
    }
    assert!(message.contains("line "), "{message}");
}

#[test]
fn values() {
    faulty("mass = 20.0", "mass = -1.0", &["bodies[1].mass", "-1.0", "above zero", "line 35"]);
    faulty("mass = 20.0", "mass = nan", &["bodies[1].mass", "NaN"]);
    faulty("mass = 20.0", "mass = inf", &["bodies[1].mass", "inf"]);
    faulty("mass = 20.0", "mass = 1e-320", &["mass"]);
    faulty("mass = 20.0", "mass = \"heavy\"", &["heavy"]);
    faulty("mass = 20.0", "mass = 1979-05-27", &["1979-05-27"]);
    faulty("[0.5, 0.5, 0.5]", "[0.5, 0, 0.5]", &["half_extents"]);
    faulty("[0.5, 0.5, 0.5]", "[0.5, 0.5]", &["half_extents", "a list of 2", "list of 3"]);
    faulty("radius = 0.5", "radius = 0", &["radius"]);
    faulty("radius = 0.5, half_height", "radius = 0.5, length = 2, half_height", &["length"]);
    faulty("position = [0.0, 0.5, 0.0]", "position = [0.0, 0.5]", &["bodies[1].position"]);
    faulty("position = [0.0, 0.5, 0.0]", "position = [0.0, 0.5, \"x\"]", &["bodies[1].position[2]"]);
    faulty("degrees = 30", "degrees = inf", &["degrees"]);
    faulty("axis = [0, 1, 0]", "axis = [0, 0, 0]", &["axis", "above zero"]);
    faulty("orientation = [0, 0, 0, 1]", "orientation = [0, 0, 0, 0]", &["orientation"]);
    faulty("orientation = [0, 0, 0, 1]", "orientation = 3", &["orientation"]);
    faulty("inertia = [1, 2, 3]", "inertia = [1, -2, 3]", &["inertia"]);
    faulty("spin_axis = [0, 0, 2]", "spin_axis = [0, 0, 0]", &["spin_axis"]);
    for bad in ["[0, 0, 0]", "[0, nan, 1]", "[0, 1]", "\"xy\""] {
        faulty("duration = 1.0", &format!("duration = 1.0\nplane = {bad}"), &["scene.plane"]);
    }
    faulty("can_sleep = false", "can_sleep = 0", &["can_sleep", "true or false"]);
    faulty("mask = 0b11", "mask = -1", &["mask", "from 0 to 4294967295"]);
    faulty("mask = 0b11", "mask = 0x1_0000_0000", &["mask", "from 0 to 4294967295"]);
    faulty("linear_damping = 0.25", "linear_damping = -0.25", &["linear_damping", "zero or more"]);
    faulty("between = [\"box\", \"tray\"]", "between = [\"box\", \"tra\"]", &["ignore_pairs", "tra", "tray"]);
    faulty("between = [\"box\", \"tray\"]", "between = [\"tray\", \"tray\"]", &["ignore_pairs", "one body twice"]);
    faulty("layer = 1", "layer = 1.5", &["layer"]);
    faulty("friction = 0.25", "friction = -0.1", &["materials.default.friction"]);
    faulty("restitution = 0.25", "restitution = 1.5", &["restitution", "0 to 1"]);
    faulty("density = 10.0", "density = 0", &["density"]);
    faulty("density = 10.0", "density = 1e308", &["density"]);
    faulty("duration = 1.0", "duration = 0", &["duration"]);
    faulty("duration = 1.0", "duration = 1e300", &["time_step", "frame"]);
    faulty("frame = 0.01", "frame = -1", &["frame"]);
    faulty("time_step = 0.005", "time_step = 0", &["simulation.time_step"]);
    faulty("gravity = [0.0, -9.81, 0.0]", "gravity = [0.0, -inf, 0.0]", &["gravity"]);
    faulty("normal = [0, 1, 0]", "normal = [0, 0, 0]", &["normal"]);
    faulty("name = \"full\"", "name = 3", &["scene.name"]);
}

#[test]
fn names_and_keys() {
    faulty("mass = 20.0", "frictoin = 1", &["frictoin", "unknown key", "spin_axis"]);
    faulty("[scene]", "[scene]\nsorce = 1", &["sorce"]);
    faulty("[scene]", "extra = 1\n[scene]", &["extra"]);
    faulty("paradigm = \"shock-propagation\"", "paradigm = \"magic\"", &["magic", "velocity-lcp"]);
    faulty("kind = \"sweep-and-prune\"", "kind = \"magic\"", &["magic", "sweep-and-prune"]);
    faulty("iterations = 20", "iterations = 0", &["simulation.lcp.iterations", "from 1"]);
    faulty("iterations = 20", "iteration = 2", &["iteration", "warm_start"]);
    faulty("iterations = 20", "iterations = [1]", &["simulation.lcp.iterations"]);
    faulty("[simulation.broad_phase]", "[simulation.brod_phase]", &["brod_phase"]);
    faulty("material = \"ice\"", "material = \"wood\"", &["wood", "default, ice"]);
    faulty("between = [\"ice\", \"default\"]", "between = [\"ice\", \"wood\"]", &["wood"]);
    faulty("between = [\"ice\", \"default\"]", "between = [\"ice\"]", &["between"]);
    faulty("name = \"ball\"", "name = \"ground\"", &["ground", "again"]);
    faulty("name = \"ball\"", "name = \"box[1]\"", &["box[1]"]);
    faulty("name = \"ball\"", "name = \"world\"", &["world"]);
    faulty("name = \"ball\"", "name = \"\"", &["name"]);
    faulty("name = \"ball\"\n", "", &["missing key 'name'"]);
    faulty("shape = { sphere = { radius = 0.5 } }", "", &["missing key 'shape'"]);
    faulty("sphere = {", "cube = {", &["cube", "capsule"]);
    faulty(
        "{ sphere = { radius = 0.5 } }",
        "{ sphere = { radius = 0.5 }, box = { half_extents = [1, 1, 1] } }",
        &["shape"],
    );
    faulty("{ sphere = { radius = 0.5 } }", "\"sphere\"", &["shape", "table"]);
    faulty("[0, 0, 1]] }", "[1, 1, 0]] }", &["points", "no volume"]);
    faulty("[0, 0, 1]] }", "[0, 0]] }", &["points[3]"]);
    faulty("{ points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] }", "{ points = [] }", &["points"]);
    faulty("{ cylinder = { radius = 0.5, half_height = 1.0 } }", "{ cylinder = { radius = 0.5 } }", &["half_height"]);
    faulty("sdf = {", "scale = -1\nsdf = {", &["scale"]);
    faulty("resolution = 8", "resolution = 1", &["resolution"]);
    faulty("[1, 2, 3]]\nsdf", "[1, 2, 4]]\nsdf", &["vertex 4"]);
    faulty("[0, 3, 2], [1, 2, 3]]\nsdf", "[0, 3, 2]]\nsdf", &["one side"]);
    let triangles = "triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]\nsdf = { resolution = 8 }";
    faulty(triangles, "triangles = []", &["no triangle"]);
    faulty(triangles, "triangles = [[0, 1, 2]]", &["no mass"]);
    faulty(
        "vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]",
        "file = \"nowhere.obj\"",
        &["nowhere.obj", "triangles"],
    );
    faulty(
        "radius = 0.5 } } }, {",
        "radius = 0.5 } } }, { shape = { plane = { normal = [0, 1, 0] } } }, {",
        &["parts", "part 1"],
    );
    faulty("kind = \"fixed\"", "kind = \"dynamic\"", &["plane", "fixed"]);
    faulty("kind = \"fixed\"", "kind = \"static\"", &["static", "scripted"]);
    faulty("kind = \"fixed\"", "kind = \"fixd\"", &["did you mean 'fixed'?", "one of dynamic, fixed, scripted"]);
    faulty("friction = 0.25", "friction = 0.25\nfriction_rule = \"minimun\"", &["did you mean 'minimum'?", "average"]);
    faulty("kind = \"fixed\"", "kind = \"fixed\"\nlinear_velocity = [1, 0, 0]", &["linear_velocity"]);
    assert!(message("").contains("bodies"));
}

#[test]
fn repeats() {
    faulty("count = [2, 3, 1]", "count = [100000, 100000, 100000]", &["repeat", "1000000"]);
    faulty("count = [2, 3, 1]", "count = [1000000, 1, 1]", &["repeat"]);
    faulty("count = [2, 3, 1]", "count = [0, 3, 1]", &["repeat"]);
    faulty("count = [2, 3, 1]", "count = [2, 3.5, 1]", &["repeat"]);
    faulty("step = [2, 1, 0]", "step = [1e308, 1e308, 0]", &["repeat", "overflow"]);
}

#[test]
fn attachments() {
    let with = |text: &str| message(&format!("{FULL}\n{text}"));
    for (text, words) in [
        (
            "[[joints]]\nkind = \"ball\"\nbodies = [\"ball\", \"nobody\"]\nanchor = [0, 0, 0]",
            &["nobody", "world", "box[0..5]"][..],
        ),
        ("[[joints]]\nkind = \"ball\"\nbodies = [\"box\", \"ball\"]\nanchor = [0, 0, 0]", &["\"box\""]),
        ("[[joints]]\nkind = \"ball\"\nbodies = [\"box[6]\", \"ball\"]\nanchor = [0, 0, 0]", &["box[6]"]),
        ("[[joints]]\nkind = \"ball\"\nbodies = [\"ball\", \"ball\"]\nanchor = [0, 0, 0]", &["different"]),
        (
            "[[joints]]\nname = \"spare\"\nkind = \"ball\"\nbodies = [\"ball\", \"ball\"]\nanchor = [0, 0, 0]",
            &["joint \"spare\"", "different"],
        ),
        (
            "[[joints]]\nname = \"spare\"\nkind = \"hinge\"\nbodies = [\"ball\", \"world\"]\nanchor = [0, 0, 0]\naxis = [0, 0, 0]",
            &["joint \"spare\"", "axis"],
        ),
        ("[[joints]]\nkind = \"ball\"\nbodies = [\"world\", \"ground\"]\nanchor = [0, 0, 0]", &["dynamic"]),
        ("[[joints]]\nkind = \"ball\"\nbodies = [\"world\", \"world\"]\nanchor = [0, 0, 0]", &["different"]),
        ("[[joints]]\nkind = \"ball\"\nbodies = [\"ball\"]\nanchor = [0, 0, 0]", &["two"]),
        ("[[joints]]\nkind = \"glue\"\nbodies = [\"ball\", \"world\"]", &["glue", "hinge"]),
        ("[[joints]]\nkind = \"hinge\"\nbodies = [\"ball\", \"world\"]\nanchor = [0, 0, 0]", &["axis", "hinge"]),
        (
            "[[joints]]\nkind = \"ball\"\nbodies = [\"ball\", \"world\"]\nanchor = [0, 0, 0]\nmotor = { velocity = 1, max_force = 1 }",
            &["joints[2].motor"],
        ),
        (
            "[[joints]]\nname = \"hip\"\nkind = \"ball\"\nbodies = [\"ball\", \"world\"]\nanchor = [0, 0, 0]",
            &["hip", "again"],
        ),
        (
            "[[joints]]\nkind = \"hinge\"\nbodies = [\"ball\", \"world\"]\nmotor = { max_force = 1 }",
            &["velocity or target"],
        ),
        (
            "[[joints]]\nname = \"knee\"\nkind = \"fixed\"\nbodies = [\"ball\", \"world\"]\nmotor = { velocity = 1, max_force = 1 }",
            &["motor", "knee"],
        ),
        (
            "[[joints]]\nkind = \"ball\"\nbodies = [\"box[4]\", \"ball\"]\nanchor = [0, 0, 0]\nrepeat = { count = 9, step = [1, 0, 0] }",
            &["joints[2]", "box"],
        ),
        (
            "[[joints]]\nkind = \"ball\"\nbodies = [\"box[0]\", \"ball\"]\nanchor = [0, 0, 0]\nrepeat = { count = 0, step = [1, 0, 0] }",
            &["count"],
        ),
        ("[[joints]]\nkind = \"gear\"\nbodies = [\"ball\", \"world\"]\nteeth = [0, 1]\naxis = [1, 0, 0]", &["teeth"]),
        ("[[joints]]\nkind = \"hinge\"\nbodies = [\"ball\", \"world\"]\naxis = [0, 0, 0]", &["axis"]),
        (
            "[[joints]]\nkind = \"hinge\"\nbodies = [\"ball\", \"world\"]\nlimits = { lower = 1, upper = 0 }",
            &["limits"],
        ),
        ("[[joints]]\nkind = \"hinge\"\nbodies = [\"ball\", \"world\"]\nerp = 2", &["erp"]),
        ("[[forces]]\nkind = \"magnet\"", &["magnet", "spring"]),
        ("[[forces]]\nkind = \"spring\"\nbodies = [\"ball\", \"world\"]\nstiffness = -1", &["stiffness"]),
        (
            "[[scripts]]\nbody = \"ball\"\nspace_spline = { control_points = [[0, 0, 0]] }",
            &["scripted", "control points", "velocity_spline"],
        ),
    ] {
        let message = with(text);
        for word in words {
            assert!(message.contains(word), "{text}: '{word}' not in:\n{message}");
        }
    }
}

#[test]
fn every_fault_of_a_file_is_reported() {
    let text = FULL
        .replace("mass = 20.0", "mass = -1")
        .replace("time_step = 0.005", "time_step = 0")
        .replacen("degrees", "degres", 1);
    let faults = Scene::from_toml_str(&text, &catalogue()).unwrap_err();
    assert_eq!(faults.0.len(), 4, "{faults}");
    let lines: Vec<_> = faults.0.iter().map(|f| f.location.line).collect();
    assert!(lines.is_sorted(), "{lines:?}");
}

#[test]
fn files() {
    let folder = std::env::temp_dir().join(format!("drystone-scene-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let message = |path: &std::path::Path| Document::from_path(path).unwrap_err().to_string();
    assert!(message(&folder.join("nothing.toml")).contains("nothing.toml"));
    assert!(message(&folder).contains("folder"));
    let path = folder.join("latin.toml");
    std::fs::write(&path, b"[scene]\nname = \"caf\xe9\"\n").unwrap();
    assert!(message(&path).contains("UTF-8 (line 2"));
    let path = folder.join("broken.toml");
    std::fs::write(&path, "[scene]\nname = \"x\"\nbodies = [[[\n").unwrap();
    assert!(message(&path).contains("line 3") || message(&path).contains("line 4"), "{}", message(&path));
    let path = folder.join("broken.json");
    std::fs::write(&path, "{\"scene\": {\n\"name\": }").unwrap();
    assert!(message(&path).contains("line 2"), "{}", message(&path));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn json_paths_duplicates_and_depth() {
    let message = |text: &str| Scene::from_json_str(text, &catalogue()).unwrap_err().to_string();
    let text = r#"{"bodies": [{"name": "a", "shape": {"sphere": {"radius": 1}}, "mass": -2}]}"#;
    assert_eq!(message(text), "bodies[0].mass (body \"a\"): found -2; allowed: a finite number above zero");
    assert!(message(r#"{"scene": {}, "scene": {}}"#).contains("duplicate"));
    assert!(message(&"[".repeat(100_000)).contains("recursion"));
    assert!(message(r#"{"bodies": [], "x": 1e999}"#).contains("unknown key 'x'"));
    assert!(message("3").contains("table"));
    assert!(Scene::from_toml_str(&format!("x = {}", "[".repeat(100_000)), &catalogue()).is_err());
    assert!(Scene::from_toml_str(&format!("x{} = 1", ".x".repeat(100_000)), &catalogue()).is_err());
}

#[test]
fn numbers_that_json_has_no_word_for_are_named_by_their_key() {
    let with = |number: &str| {
        let text = format!(
            r#"{{"scene": {{"name": "NaN \"Infinity"}}, "bodies": [{{"name": "a", "shape": {{"sphere": {{"radius": 1}}}}, "position": [0, {number}, 0]}}]}}"#
        );
        Document::from_json_str(&text).and_then(|d| Scene::from_document(d, &catalogue()))
    };
    for (number, found) in [("NaN", "NaN"), ("Infinity", "inf"), ("-Infinity", "-inf"), ("1e400", "inf")] {
        let message = with(number).unwrap_err().to_string();
        assert!(message.contains("bodies[0].position[1]") && message.contains(found), "{message}");
    }
    assert_eq!(with("-1.5e0").unwrap().info.name, "NaN \"Infinity");
    assert!(with("nan").unwrap_err().to_string().contains("not JSON"));
    assert!(with("NaN,,").unwrap_err().to_string().contains("not JSON"));
}

#[test]
fn a_wrong_key_in_many_bodies_is_printed_twenty_times_and_counted() {
    let bodies = |n: usize| {
        (0..n).map(|i| format!("[[bodies]]\nname = \"b{i}\"\nshape = {{ sphere = {{ radius = 1 }} }}\nwieght = 1\n"))
    };
    let faults = |n: usize| message(&bodies(n).fold(format!("{FULL}\n"), |text, body| text + &body));
    let message = faults(500);
    assert_eq!(message.lines().count(), 21, "{message}");
    assert!(message.lines().take(20).all(|line| line.contains("wieght")), "{message}");
    assert!(message.ends_with("\nand 480 more"), "{message}");
    // twenty faults are all printed: no last line replaces one
    let message = faults(20);
    assert!(message.lines().count() == 20 && !message.contains("more"), "{message}");
}
