//! The engine for browsers and Node: a [`Session`] is a scene with the world built from it, and all functions here are called from
//! JavaScript. Lists of numbers go over as typed arrays, everything else as JSON; an error is a string, in words for the user.

mod faults;
mod hand;
mod next_problem;
mod problem_text;
mod race;
mod session;
mod settings;
mod view;

pub use race::Race;
pub use session::Session;

use drystone_scene::{Format, schema};
use drystone_session::{Overrides, bundled_scenes, catalogue as choices, prepare};
use wasm_bindgen::prelude::wasm_bindgen;

/// Presets, modules with their parameters, and bundled scenes: the JSON of `drystone list --json`.
#[wasm_bindgen]
pub fn catalogue() -> String {
    drystone_session::catalogue_json().to_string()
}

/// The JSON schema of scene files, as `drystone schema` prints it.
#[wasm_bindgen(js_name = sceneSchema)]
pub fn scene_schema() -> String {
    schema(Format::Scene, &choices()).to_string()
}

/// The text (TOML) of a bundled scene.
#[wasm_bindgen(js_name = sceneText)]
pub fn scene_text(name: &str) -> Option<String> {
    bundled_scenes().into_iter().find(|s| s.name == name).map(|s| s.text.to_owned())
}

/// The faults of a scene's text, TOML or JSON, as a JSON list of `{line, path, message}`; empty where there is none.
#[wasm_bindgen]
pub fn check(text: &str) -> String {
    let checked = faults::document(text).map_err(Into::into).and_then(|d| prepare(d, &Overrides::default()));
    checked.err().map_or_else(|| "[]".to_owned(), |e| faults::as_json(&e))
}
