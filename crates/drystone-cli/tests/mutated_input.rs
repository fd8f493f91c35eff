//! Thousands of damaged inputs of `drystone query` and damaged scenes: each gives a worded fault, or answers that are finite numbers.
//!
//! The same functions are fuzz targets: see `fuzz`.

#[path = "../../../fuzz/entries/advance.rs"]
mod advance;
#[path = "../../../fuzz/entries/query.rs"]
mod query;
#[path = "../../../fuzz/entries/scene.rs"]
mod scene;

use crate::mutate;
use mutate::campaign;

const PAIRS: &str = r#"{"pairs": [
 {"a": {"shape": {"box": {"half_extents": [1, 0.5, 0.25]}}, "position": [0, 1, 0], "orientation": {"axis": [0, 0, 1], "degrees": 20}},
  "b": {"shape": {"capsule": {"radius": 0.2, "half_height": 0.7}}, "position": [0.3, 2, 0.1]}},
 {"a": {"shape": {"cylinder": {"radius": 0.5, "half_height": 1}}, "orientation": [0, 0, 0, 1]},
  "b": {"shape": {"convex": {"points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.4, 0.4, 0.4]]}}, "position": [0.5, 0.2, 0]}},
 {"a": {"shape": {"plane": {"normal": [0, 1, 0], "offset": 0.1}}},
  "b": {"shape": {"cone": {"radius": 0.5, "half_height": 1}}, "position": [0, 1.0, 0]}},
 {"a": {"shape": {"mesh": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "triangles": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], "sdf": {"resolution": 8, "band": 2}}}},
  "b": {"shape": {"compound": {"parts": [{"shape": {"sphere": {"radius": 0.5}}}, {"shape": {"box": {"half_extents": [1, 1, 1]}}, "position": [1, 0, 0]}]}}, "position": [0.2, 0.9, 0]}}
]}"#;

const SCENE: &str = r#"
[scene]
name = "damaged"
duration = 1.0
[materials.default]
friction = 0.5
[simulation]
paradigm = "velocity-lcp"
time_step = 0.01
[simulation.narrow_phase]
kind = "gjk-epa"
[[bodies]]
name = "ground"
kind = "fixed"
shape = { plane = { normal = [0, 1, 0], offset = 0.0 } }
[[bodies]]
name = "box"
shape = { box = { half_extents = [0.5, 0.5, 0.5] } }
position = [0, 2, 0]
orientation = { axis = [0, 0, 1], degrees = 30 }
repeat = { count = [2, 3, 1], step = [1.1, 1.1, 1.1] }
[[bodies]]
name = "mesh"
shape = { mesh = { vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]] } }
position = [0, 9, 0]
"#;

#[test]
fn damaged_queries() {
    campaign("query", PAIRS.as_bytes(), 2500, query::query);
}

#[test]
fn damaged_scenes() {
    campaign("scene", SCENE.as_bytes(), 2500, scene::scene);
}

/// Joints, forces, scripts and surfaces to go with the bodies of [`SCENE`], which all meet one another.
const MOVING: &str = r#"
[scene]
name = "damaged"
duration = 1.0
gravity = [0, -9.81, 0]
[materials.default]
friction = 0.5
restitution = 0.3
rolling_friction = 0.01
[materials.rough]
friction = 1.5
spinning_friction = 0.02
friction_rule = "multiply"
[[material_pairs]]
between = ["default", "rough"]
friction = 0.7
[simulation]
paradigm = "shock-propagation"
time_step = 0.01
[simulation.lcp]
iterations = 8
[[bodies]]
name = "ground"
kind = "fixed"
material = "rough"
shape = { plane = { normal = [0, 1, 0], offset = 0.0 } }
[[bodies]]
name = "box"
shape = { box = { half_extents = [0.5, 0.5, 0.5] } }
position = [0, 0.49, 0]
linear_velocity = [1, 0, 0]
repeat = { count = [1, 3, 1], step = [0, 0.99, 0] }
[[bodies]]
name = "ball"
shape = { sphere = { radius = 0.5 } }
position = [1.5, 0.5, 0]
mass = 2.0
[[bodies]]
name = "hand"
kind = "scripted"
shape = { capsule = { radius = 0.2, half_height = 0.3 } }
position = [-1, 1, 0]
[[joints]]
name = "hinge"
kind = "hinge"
bodies = ["box[0]", "ball"]
anchor = [1, 0.5, 0]
axis = [0, 0, 1]
limits = { lower = -1.0, upper = 1.0 }
motor = { velocity = 2.0, max_force = 10.0 }
[[forces]]
kind = "spring"
bodies = ["ball", "world"]
anchors = [[0, 0, 0], [1.5, 3, 0]]
stiffness = 100.0
damping = 1.0
[[scripts]]
body = "hand"
sinusoid = { travel = [0.5, 0, 0], frequency = 1.0 }
"#;

#[test]
fn damaged_scenes_that_are_run() {
    campaign("advance", SCENE.as_bytes(), 400, advance::advance);
    campaign("advance", MOVING.as_bytes(), 1200, advance::advance);
}

#[test]
fn the_undamaged_ones_are_read() {
    let document = drystone_scene::Document::from_json_str(PAIRS).unwrap();
    assert_eq!(drystone_scene::ShapePair::read_all(&document).unwrap().len(), 4);
    for text in [SCENE, MOVING] {
        assert!(scene::read(text).iter().any(Result::is_ok), "{:?}", scene::read(text));
    }
}
