//! The schema against the reader that it is generated from: both accept the same documents, key by key.

use drystone_cli::{bundled_scenes, catalogue};
use drystone_scene::{Document, Format, Scene, examples, reference, schema};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The subset of JSON schema that ours uses. Records where each titled table is met.
struct Validator<'a> {
    definitions: &'a Map<String, Value>,
    met: Vec<(String, String)>,
}

impl Validator<'_> {
    /// The first fault, with its path.
    fn check(&mut self, value: &Value, schema: &Value, path: &str) -> Result<(), String> {
        for (word, rule) in schema.as_object().expect("a schema is an object") {
            self.rule(value, schema, word, rule, path)
                .map_err(|e| if e.is_empty() { format!("{path}: {word}") } else { e })?;
        }
        Ok(())
    }

    fn rule(&mut self, value: &Value, schema: &Value, word: &str, rule: &Value, path: &str) -> Result<(), String> {
        let holds = |is: bool| if is { Ok(()) } else { Err(String::new()) };
        let number = |v: &Value| v.as_f64().unwrap_or(f64::NAN);
        let length = |v: &Value| v.as_array().map_or(0, Vec::len) as u64;
        match word {
            "title" => {
                self.met.push((rule.as_str().unwrap().to_owned(), path.to_owned()));
                Ok(())
            }
            "$ref" => {
                let name = rule.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                let inner = &self.definitions[name];
                self.check(value, inner, path)
            }
            "type" => holds(match rule.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "integer" => value.is_i64() || value.is_u64(),
                "number" => value.is_number(),
                other => panic!("type {other}"),
            }),
            "enum" => holds(rule.as_array().unwrap().contains(value)),
            "const" => holds(rule == value),
            "minimum" => holds(number(value) >= number(rule)),
            "maximum" => holds(number(value) <= number(rule)),
            "exclusiveMinimum" => holds(number(value) > number(rule)),
            "minItems" => holds(length(value) >= rule.as_u64().unwrap()),
            "maxItems" => holds(length(value) <= rule.as_u64().unwrap()),
            "minProperties" | "maxProperties" => holds(value.as_object().is_some_and(|o| o.len() == 1)),
            "required" => holds(rule.as_array().unwrap().iter().all(|k| value.get(k.as_str().unwrap()).is_some())),
            "items" => {
                let items = value.as_array().map_or(&[][..], Vec::as_slice);
                items.iter().enumerate().try_for_each(|(i, v)| self.check(v, rule, &format!("{path}[{i}]")))
            }
            "properties" => {
                let Some(table) = value.as_object() else { return Ok(()) };
                let known = table.iter().filter_map(|(k, v)| Some((k, v, rule.get(k)?)));
                known
                    .map(|(k, v, s)| (key_path(path, k), v, s))
                    .collect::<Vec<_>>()
                    .into_iter()
                    .try_for_each(|(p, v, s)| self.check(v, s, &p))
            }
            "additionalProperties" => {
                let Some(table) = value.as_object() else { return Ok(()) };
                for (key, inner) in table.iter().filter(|(k, _)| schema["properties"].get(k.as_str()).is_none()) {
                    match rule {
                        Value::Bool(false) => return Err(format!("{}: additional", key_path(path, key))),
                        other => self.check(inner, other, &key_path(path, key))?,
                    }
                }
                Ok(())
            }
            "anyOf" | "oneOf" => {
                let before = self.met.len();
                let mut why = String::new();
                for option in rule.as_array().unwrap() {
                    match self.check(value, option, path) {
                        Ok(()) => return Ok(()),
                        Err(e) => why = e,
                    }
                    self.met.truncate(before);
                }
                Err(why)
            }
            "$schema" | "$defs" | "description" | "default" => Ok(()),
            other => panic!("a rule that is not checked: {other}"),
        }
    }
}

fn key_path(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Checks a scene; returns where its tables are.
fn validated(schema: &Value, scene: &Value) -> Result<Vec<(String, String)>, String> {
    let mut validator = Validator { definitions: schema["$defs"].as_object().unwrap(), met: Vec::new() };
    validator.check(scene, schema, "")?;
    Ok(validator.met)
}

fn as_json(toml_text: &str) -> Value {
    toml::from_str(toml_text).unwrap()
}

/// The faults that the reader reports.
fn faults(scene: &Value) -> Vec<(String, String)> {
    let document = Document::from_json_str(&scene.to_string()).unwrap();
    match Scene::from_document(document, &catalogue()) {
        Ok(_) => Vec::new(),
        Err(e) => e.0.into_iter().map(|f| (f.location.path, f.kind.to_string())).collect(),
    }
}

/// A scene built around an example of the book.
fn around(example: &str) -> String {
    let inner =
        if example.starts_with("shape") || example.starts_with("kind") { "[[bodies]]\nname = \"x\"\n" } else { "" };
    let bodies = "[[bodies]]\nname = \"ball\"\nposition = [0, 9, 0]\nshape = { sphere = { radius = 0.5 } }\n\
                  [[bodies]]\nname = \"hand\"\nkind = \"scripted\"\nposition = [9, 9, 0]\nshape = { sphere = { radius = 0.5 } }\n";
    format!("[materials.ice]\n[materials.steel]\n{bodies}\n{inner}{example}\n")
}

/// Tables and keys that neither bundled scenes nor examples use.
const REST: &str = r#"
[[bodies]]
name = "a"
shape = { sphere = { radius = 0.5 } }
orientation = { axis = [0, 0, 1], degrees = 10 }
[[bodies]]
name = "b"
position = [3, 0, 0]
shape = { sphere = { radius = 0.5 } }
repeat = { count = [2, 1, 1], step = [1, 0, 0] }
[[bodies]]
name = "c"
kind = "scripted"
shape = { sphere = { radius = 0.5 } }
[[joints]]
kind = "hinge"
bodies = ["a", "b[0]"]
anchor = [0, 0, 0]
axis = [0, 0, 1]
limits = { lower = -1 }
motor = { target = 1, max_force = 2 }
spring = { stiffness = 1 }
[[joints]]
kind = "ball"
bodies = ["b[0]", "world"]
anchor = [0, 0, 0]
repeat = { count = 2, step = [1, 0, 0] }
[[ignore_pairs]]
between = ["a", "b"]
[[scripts]]
body = "c"
space_spline = { control_points = [[0, 0, 0], [1, 0, 0], [2, 1, 0], [3, 1, 0]] }
velocity_spline = { points = [[0, 0], [2, 3]] }
rotation_spline = { times = [0, 1, 2, 3], orientations = [[0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 1]] }
[[bodies]]
name = "d"
kind = "scripted"
shape = { sphere = { radius = 0.5 } }
[[scripts]]
body = "d"
space_spline = { control_points = [[0, 0, 5], [1, 0, 5], [2, 1, 5], [3, 1, 5]] }
velocity_spline = { points = [[0, 0], [2, 3]] }
gaze = { point = [0, 0, 9] }
[[bodies]]
name = "e"
kind = "scripted"
shape = { sphere = { radius = 0.5 } }
[[scripts]]
body = "e"
space_spline = { control_points = [[0, 0, 7], [1, 0, 7], [2, 1, 7], [3, 1, 7]] }
velocity_spline = { points = [[0, 0], [2, 3]] }
gaze = { ahead = 0.1 }
[[bodies]]
name = "f"
kind = "scripted"
shape = { sphere = { radius = 0.5 } }
[[scripts]]
body = "f"
space_spline = { control_points = [[0, 0, 9], [1, 0, 9], [2, 1, 9], [3, 1, 9]] }
velocity_spline = { points = [[0, 0], [2, 3]] }
angle_spline = { times = [0, 1, 2, 3], angles = [[0, 0, 0], [0.1, 0, 0], [0.2, 0.1, 0], [0.3, 0.1, 0]] }
[[joints]]
kind = "hinge"
bodies = ["b[0]", "world"]
anchor = [0, 0, 0]
axis = [0, 0, 1]
motor = { velocity = 1, max_force = "unlimited" }
made_at = [{ position = [0, 0, 0], orientation = [0, 0, 0, 1] }, { position = [0, 0, 0], orientation = [0, 0, 0, 1] }]
user_data = "ff"
[simulation.limits]
enabled = true
[resume]
snapshot = "AAAA"
[materials.felt]
grain = "none"
[[material_pairs]]
between = ["default", "felt"]
friction = 0.1
grain = { direction = [1, 0, 0], across = 0.2, on = 1 }
"#;

/// Bundled scenes, the examples, and a scene with the rest.
fn corpus() -> Vec<(String, Value)> {
    let bundled = bundled_scenes().into_iter().map(|s| (s.name.to_owned(), as_json(s.text)));
    let shown = examples().into_iter().map(|(name, text)| (format!("example of {name}"), as_json(&around(text))));
    bundled.chain(shown).chain([("the rest".to_owned(), as_json(REST))]).collect()
}

#[test]
fn bundled_scenes_and_examples_fit_the_schema() {
    let schema = schema(Format::Scene, &catalogue());
    for (name, scene) in corpus() {
        // files that bundled scenes refer to are not beside the test
        let faults: Vec<_> = faults(&scene).into_iter().filter(|(_, why)| !why.contains("cannot be read")).collect();
        assert_eq!(faults, [], "{name}");
        validated(&schema, &scene).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}

fn at<'a>(scene: &'a mut Value, path: &str) -> &'a mut Value {
    let steps: Vec<&str> = path.split(['.', '[']).filter(|s| !s.is_empty()).map(|s| s.trim_end_matches(']')).collect();
    let pointer = format!("/{}", steps.join("/"));
    scene.pointer_mut(&pointer).unwrap_or_else(|| panic!("{path}"))
}

/// Every table of the schema occurs somewhere in the corpus. There, each of its keys is removed, given a value of no valid
/// type, and joined by a key that does not exist; schema and reader must agree about each change.
#[test]
fn each_key_is_read_and_no_other_is() {
    let schema = schema(Format::Scene, &catalogue());
    let mut places: BTreeMap<String, Vec<(Value, String)>> = BTreeMap::new();
    for (name, scene) in corpus() {
        let small = scene["bodies"].as_array().is_some_and(|b| b.len() < 60) && scene.to_string().len() < 20_000;
        if !small || name.starts_with("silo") || !faults(&scene).is_empty() {
            continue;
        }
        for (title, path) in validated(&schema, &scene).unwrap() {
            places.entry(title).or_default().push((scene.clone(), path));
        }
    }
    let mut keys = 0;
    for (title, properties) in titled(&schema) {
        // these tables have exactly one key
        let only_one = ["shape", "convex"].contains(&title.as_str());
        let found = places.get(&title).unwrap_or_else(|| panic!("no scene of the corpus has a {title}"));
        // a key that excludes another may be invalid in some of its places
        let found = &found[..found.len().min(40)];
        for key in properties.keys().filter(|k| !(title == "simulation" && properties[*k].get("anyOf").is_some())) {
            let read = found.iter().any(|(scene, path)| {
                let mut scene = scene.clone();
                let value = if path.is_empty() { &mut scene } else { at(&mut scene, path) };
                if only_one {
                    *value = json!({});
                }
                value[key] = json!({ "no such key": null });
                assert!(validated(&schema, &scene).is_err(), "{title}.{key}: the schema takes anything");
                faults(&scene).iter().any(|(p, _)| p.starts_with(&key_path(path, key)))
            });
            assert!(read, "{title}.{key} is declared, and the reader takes anything there");
            keys += 1;
        }
        let (scene, path) = &found[0];
        let mut scene = scene.clone();
        let value = if path.is_empty() { &mut scene } else { at(&mut scene, path) };
        value["no such key"] = json!(1);
        assert!(validated(&schema, &scene).is_err(), "{title}: the schema takes any key");
        assert!(!faults(&scene).is_empty(), "{title}: the reader takes any key");
    }
    assert!(keys > 120, "{keys}");
}

/// All tables of a schema by title, with their properties.
fn titled(schema: &Value) -> Vec<(String, Map<String, Value>)> {
    fn walk(value: &Value, out: &mut BTreeMap<String, Map<String, Value>>) {
        match value {
            Value::Object(o) => {
                if let (Some(Value::String(title)), Some(Value::Object(p))) = (o.get("title"), o.get("properties")) {
                    out.insert(title.clone(), p.clone());
                }
                o.values().for_each(|v| walk(v, out));
            }
            Value::Array(a) => a.iter().for_each(|v| walk(v, out)),
            _ => {}
        }
    }
    let mut out = BTreeMap::new();
    walk(schema, &mut out);
    out.into_iter().collect()
}

/// Values at the edges of their ranges: the reader refuses what the schema refuses. What the schema accepts,
/// the reader accepts or refuses for a reason of its own, never because of the kind of value.
#[test]
fn ranges_agree() {
    let schema = schema(Format::Scene, &catalogue());
    let base = as_json(&around("[[forces]]\nkind = \"damping\"\nlinear = 0.5"));
    for (path, good, bad) in [
        ("bodies[0].mass", json!([1, 0.5, 1e9]), json!([0, -1, "heavy", null, true])),
        ("bodies[0].layer", json!([0, -5]), json!([0.5, "x"])),
        ("bodies[0].position", json!([[0, 0, 0], [1.5, -2, 3]]), json!([[0, 0], [0, 0, 0, 0], 1, [0, "x", 0]])),
        (
            "bodies[0].orientation",
            json!([[0, 0, 0, 1], {"axis": [0, 1, 0], "degrees": 3}]),
            json!([[0, 0, 1], 5, {"axis": [0, 1, 0]}]),
        ),
        ("bodies[0].kind", json!(["dynamic"]), json!(["static", 1])),
        ("bodies[0].can_sleep", json!([true, false]), json!([0, "yes"])),
        (
            "bodies[0].shape",
            json!([{"box": {"half_extents": [1, 1, 1]}}]),
            json!([{}, {"cube": {}}, {"sphere": {"radius": 0}}, {"sphere": {"radius": 1}, "box": {"half_extents": [1, 1, 1]}}]),
        ),
        ("materials.ice.restitution", json!([0, 0.5, 1]), json!([-0.1, 1.1])),
        ("materials.ice.friction_rule", json!(["minimum"]), json!(["least"])),
        ("forces[0].kind", json!(["drag"]), json!(["friction"])),
        ("simulation.lcp.iterations", json!([1, 50]), json!([-1, 1.5, "many"])),
        ("simulation.broad_phase.kind", json!(["hash-grid"]), json!(["hash"])),
        ("simulation.paradigm", json!(["velocity-lcp"]), json!(["magic"])),
        ("simulation.time_step", json!([0.01]), json!([0, -1])),
    ] {
        let put = |value: &Value| {
            let mut scene = base.clone();
            scene["simulation"] = json!({ "lcp": { "solver": "projected-gauss-seidel" }, "broad_phase": {} });
            scene["materials"]["ice"] = json!({});
            if path == "forces[0].kind" {
                scene["forces"][0] = json!({});
            }
            let (table, key) = path.rsplit_once('.').unwrap();
            at(&mut scene, table)[key] = value.clone();
            scene
        };
        for value in good.as_array().unwrap() {
            let scene = put(value);
            assert_eq!(faults(&scene), [], "{path} = {value}");
            validated(&schema, &scene).unwrap_or_else(|e| panic!("{path} = {value}: {e}"));
        }
        for value in bad.as_array().unwrap() {
            let scene = put(value);
            assert!(!faults(&scene).is_empty(), "{path} = {value}: the reader takes it");
            assert!(validated(&schema, &scene).is_err(), "{path} = {value}: the schema takes it");
        }
    }
}

#[test]
fn the_book_has_every_key_and_every_example() {
    let text = reference();
    for (title, properties) in titled(&schema(Format::Scene, &catalogue())) {
        for key in properties.keys() {
            let module = title == "simulation" && properties[key].get("anyOf").is_some();
            let tag = title.starts_with("force_") && key == "kind";
            assert!(module || tag || text.contains(&format!("| `{key}` |")), "{title}.{key}");
        }
    }
    assert!(examples().iter().all(|(_, example)| text.contains(example)));
    for (_, format) in Format::ALL {
        assert!(schema(format, &catalogue())["$schema"].is_string());
    }
}
