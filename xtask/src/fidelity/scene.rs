//! Scenes as JSON values, and single runs of them.

use crate::experiments::runner::{Figures, Runner};
use serde_json::{Value, json};
use std::path::Path;

/// Magnitude of gravity (m/s^2).
pub(crate) const G: f64 = 9.81;

/// A scene from its bodies; gravity points down along y, nothing bounces, friction is 0.5.
pub(crate) fn scene(name: &str, duration: f64, step: f64, bodies: &[Value]) -> Value {
    json!({
        "scene": { "name": name, "duration": duration, "frame": step, "gravity": [0.0, -G, 0.0] },
        "materials": { "default": { "friction": 0.5, "restitution": 0.0, "density": 1000.0 } },
        "bodies": bodies,
        "simulation": { "time_step": step },
    })
}

/// Friction and restitution of all surfaces.
pub(crate) fn surfaces(mut scene: Value, friction: f64, restitution: f64) -> Value {
    scene["materials"]["default"]["friction"] = json!(friction);
    scene["materials"]["default"]["restitution"] = json!(restitution);
    scene
}

/// The fixed half space y <= 0.
pub(crate) fn ground() -> Value {
    json!({ "name": "ground", "kind": "fixed", "shape": { "plane": { "normal": [0, 1, 0], "offset": 0 } } })
}

/// A cube of the given half extent.
pub(crate) fn cube(name: &str, half: f64, position: [f64; 3]) -> Value {
    json!({ "name": name, "shape": { "box": { "half_extents": [half, half, half] } }, "position": position })
}

/// A ball.
pub(crate) fn ball(name: &str, radius: f64, position: [f64; 3]) -> Value {
    json!({ "name": name, "shape": { "sphere": { "radius": radius } }, "position": position })
}

/// A recorded frame.
pub(crate) struct Frame {
    pub(crate) time: f64,
    /// Pose and velocity of each body: thirteen numbers.
    pub(crate) bodies: Vec<Vec<f64>>,
    /// Kinetic and potential energy (J).
    pub(crate) energy: f64,
}

/// Runs a scene under a preset; a run that fails by itself gives its last words.
pub(crate) fn figures(runner: &Runner, scene: &Value, preset: &str) -> Result<Result<Figures, String>, String> {
    let path = write(runner, scene)?;
    runner.figures(&path, &options(preset, &[]))
}

/// The same, with all frames.
pub(crate) fn frames(runner: &Runner, scene: &Value, preset: &str) -> Result<Result<Vec<Frame>, String>, String> {
    let path = write(runner, scene)?;
    let out = runner.csv("fidelity").with_extension("jsonl");
    let options = options(preset, &["--frames", &out.display().to_string()]);
    if let Err(why) = runner.figures(&path, &options)? {
        return Ok(Err(why));
    }
    read_frames(&out).map(Ok)
}

fn options(preset: &str, more: &[&str]) -> Vec<String> {
    ["--paradigm", preset].iter().chain(more).map(|s| (*s).to_owned()).collect()
}

fn write(runner: &Runner, scene: &Value) -> Result<String, String> {
    let path = runner.csv("fidelity").with_extension("json");
    std::fs::write(&path, scene.to_string()).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path.display().to_string())
}

pub(crate) fn read_frames(path: &Path) -> Result<Vec<Frame>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let numbers = |v: &Value| v.as_array().map_or(Vec::new(), |a| a.iter().filter_map(Value::as_f64).collect());
    text.lines()
        .map(|line| {
            let v: Value = serde_json::from_str(line).map_err(|e| format!("{}: {e}", path.display()))?;
            let number = |key: &str| v[key].as_f64().unwrap_or(f64::NAN);
            let bodies = v["bodies"].as_array().map_or(Vec::new(), |b| b.iter().map(numbers).collect());
            Ok(Frame { time: number("time"), bodies, energy: number("kinetic") + number("potential") })
        })
        .collect()
}
