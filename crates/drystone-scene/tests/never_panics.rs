//! Whatever is done to the text of a scene, reading and building it ends in a scene or in faults.

use crate::common::{FULL, catalogue};
use drystone_scene::{Document, Scene};
use proptest::prelude::*;

const JOINTED: &str = r#"
[[joints]]
name = "hip"
kind = "hinge"
bodies = ["ball", "box[2]"]
anchor = [0, 1, 0]
axis = [0, 0, 1]
limits = { lower = -1.0, upper = 1.0 }
motor = { velocity = 2.0, max_force = 10.0 }
[[forces]]
kind = "spring"
bodies = ["box[1]", "world"]
anchors = [[0, 0, 0], [0, 30, 0]]
stiffness = 100.0
[[scripts]]
body = "pill"
space_spline = { control_points = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], knots = [0, 0, 0, 0, 1, 1, 1, 1] }
velocity_spline = { points = [[0, 0], [1, 2]] }
"#;

fn read(text: &str) {
    if let Ok(scene) = Scene::from_toml_str(text, &catalogue()) {
        drop(scene.build());
    }
    drop(Scene::from_json_str(text, &catalogue()));
}

/// Pieces that replace a token.
const PIECES: [&str; 22] = [
    "",
    "0",
    "-1",
    "1e308",
    "-1e308",
    "1e-308",
    "nan",
    "inf",
    "9223372036854775807",
    "[]",
    "{}",
    "[0, 0, 0]",
    "[0, 0, 0, 0]",
    "[[0, 0, 0]]",
    "\"\"",
    "\"world\"",
    "\"ball\"",
    "true",
    "1979-05-27",
    "{ axis = [0, 0, 1e-320], degrees = 1e300 }",
    "[1000000, 1, 1]",
    "\n",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn values_in_place_of_values(places in prop::collection::vec((0_usize..10_000, 0_usize..PIECES.len()), 1..4)) {
        let mut lines: Vec<String> = FULL.lines().chain(JOINTED.lines()).map(str::to_owned).collect();
        for (line, piece) in places {
            let i = line % lines.len();
            if let Some((key, _)) = lines[i].split_once('=') {
                lines[i] = format!("{key}= {}", PIECES[piece]);
            }
        }
        read(&lines.join("\n"));
    }

    #[test]
    fn bytes_changed(at in prop::collection::vec((0_usize..10_000, any::<u8>()), 1..6)) {
        let mut bytes = [FULL, JOINTED].concat().into_bytes();
        for (i, b) in at {
            let n = bytes.len();
            bytes[i % n] = b;
        }
        read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn lines_lost_and_moved(at in prop::collection::vec((0_usize..10_000, 0_usize..10_000), 1..6)) {
        let mut lines: Vec<&str> = FULL.lines().chain(JOINTED.lines()).collect();
        for (i, j) in at {
            let line = lines.remove(i % lines.len());
            if j % 2 == 0 {
                let n = lines.len();
                lines.insert(j % n, line);
            }
        }
        read(&lines.join("\n"));
    }

    #[test]
    fn paths_set(path in "[a-z.\\[\\]0-9]{0,24}", value in ".{0,16}") {
        let mut document = Document::from_toml_str(FULL).unwrap();
        if document.set(&path, &value).is_ok() {
            drop(Scene::from_document(document, &catalogue()));
        }
    }
}
