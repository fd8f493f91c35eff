use serde::Deserialize;
use serde_json::{Map, Value};

/// Request of a page to a scene.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Order {
    /// Go on, or stand still.
    Play(bool),
    /// Stand still after so many steps.
    Step(u32),
    /// Back to the start, with the present modules.
    Reset,
    /// Simulated seconds per second of the clock.
    Speed(f64),
    /// Other modules.
    Choose(Choose),
    /// Take hold of a body.
    Grab(Grab),
    /// Draw what is held to a point (m).
    Drag([f64; 3]),
    /// Let go.
    Release,
}

/// A preset, and what is to differ from it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choose {
    /// The preset.
    pub paradigm: String,
    /// For each table of `simulation`, `name` and `settings`.
    #[serde(default)]
    pub modules: Map<String, Value>,
}

/// A place on a body.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grab {
    /// The body's place in the scene.
    pub body: usize,
    /// Grip point (m).
    pub point: [f64; 3],
}
