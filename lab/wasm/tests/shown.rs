//! What a page is shown of a scene is what the scene says.

use drystone_web::{Session, catalogue, check, scene_schema, scene_text};
use serde_json::Value;

/// A ball of 2 kg and a quarter of a metre in the air, a box that is turned by 45 degrees about z, and the floor.
const SCENE: &str = r#"
[scene]
name = "two"
source = "ours"
description = "a ball and a box"
duration = 1.5
gravity = [0, -10, 0]

[simulation]
time_step = 0.005

[[bodies]]
name = "ground"
kind = "fixed"
shape = { plane = { normal = [0, 1, 0], offset = 0.0 } }

[[bodies]]
name = "ball"
shape = { sphere = { radius = 0.25 } }
mass = 2.0
position = [1, 3, 0]
linear_velocity = [4, 0, 0]

[[bodies]]
name = "crate"
kind = "fixed"
shape = { box = { half_extents = [0.5, 0.5, 2.0] } }
position = [-5, 1, 0]
orientation = { axis = [0, 0, 1], degrees = 45 }
"#;

fn session() -> Session {
    Session::new(SCENE, None, "[]").unwrap()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn names_times_and_bodies_are_those_of_the_scene() {
    let s = session();
    let info = json(&s.info());
    assert_eq!((&info["name"], &info["description"]), (&json("\"two\""), &json("\"a ball and a box\"")));
    assert_eq!(
        (&info["bodies"], &info["kinds"]),
        (&json(r#"["ground", "ball", "crate"]"#), &json(r#"["fixed", "dynamic", "fixed"]"#),)
    );
    assert_eq!((info["duration"].as_f64(), info["timeStep"].as_f64()), (Some(1.5), Some(0.005)));
    assert_eq!((s.time_step(), s.body_count(), s.time()), (0.005, 3, 0.0));
    assert_eq!((s.poses().len(), s.surface_of().len(), s.asleep().len()), (21, 3, 3));
}

/// A plane has no finite box; a ball's and that of a turned box are in closed form.
#[test]
fn boxes_are_those_of_bodies_that_end() {
    let wide = 0.5_f64.sqrt();
    let expected =
        [[0.75, 2.75, -0.25, 1.25, 3.25, 0.25], [-5.0 - wide, 1.0 - wide, -2.0, -5.0 + wide, 1.0 + wide, 2.0]];
    let found = session().boxes();
    assert_eq!(found.len(), 12);
    for (found, expected) in found.iter().zip(expected.as_flattened()) {
        assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
    }
}

/// m g h and m v^2 / 2 at the start; in flight their sum stays, but for `m g^2 h t / 2` of a semi-implicit step.
#[test]
fn figures_have_their_names_and_the_energy_that_is_there() {
    let names = json(&Session::figure_names());
    let mut s = session();
    let figure = |s: &Session, key: &str| {
        let place = names.as_array().unwrap().iter().position(|n| n[0] == key).unwrap();
        s.figures()[place]
    };
    assert_eq!(names.as_array().unwrap().len(), s.figures().len());
    assert_eq!(["energy", "kinetic", "potential"].map(|key| figure(&s, key)), [76.0, 16.0, 60.0]);
    for _ in 0..40 {
        s.step().unwrap();
    }
    assert!((figure(&s, "time") - 0.2).abs() < 1e-12);
    let [energy, kinetic, potential] = ["energy", "kinetic", "potential"].map(|key| figure(&s, key));
    assert_eq!(energy, kinetic + potential);
    assert!((energy - 76.0).abs() <= 0.5 * 2.0 * 100.0 * 0.005 * 0.2 + 1e-9 && kinetic > 17.0, "{energy} {kinetic}");
}

#[test]
fn faults_are_told_with_line_and_path() {
    assert_eq!(check(SCENE), "[]");
    let faults = json(&check(&SCENE.replace("mass = 2.0", "mass = -2.0")));
    let line = SCENE.lines().position(|l| l == "mass = 2.0").unwrap() + 1;
    assert_eq!(faults.as_array().unwrap().len(), 1, "{faults}");
    assert_eq!((faults[0]["line"].as_u64(), faults[0]["path"].as_str()), (Some(line as u64), Some("bodies[1].mass")));
    assert!(Session::new(&SCENE.replace("mass = 2.0", "mass = -2.0"), None, "[]").is_err());
}

#[test]
fn bundled_scenes_load_and_schema_and_catalogue_say_what_there_is() {
    let text = scene_text("box-stack").unwrap();
    assert_eq!(check(&text), "[]");
    assert!(scene_text("no such scene").is_none());
    let schema = json(&scene_schema());
    let root = schema["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
    assert!(schema["$defs"][root]["properties"]["bodies"].is_object(), "{root}");
    assert!(catalogue().contains("\"velocity-lcp\"") && catalogue().contains("box-stack"));
}
