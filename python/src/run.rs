//! Whole runs with their figures, and what needs no world.

use crate::error::{Done, Fail, detached};
use crate::world::{Inner, NativeWorld, parse, parse_file};
use drystone::World;
use drystone_cli::replay::Recording;
use drystone_cli::{Failure, Simulated, catalogue as modules, catalogue_json, open, query_pairs, simulate};
use drystone_scene::Scene;
use drystone_scene::figures::FrameLine;
use indicatif::ProgressBar;
use pyo3::prelude::*;

/// What is kept of a run beside the world at its end.
#[derive(Clone, Copy)]
enum Keep {
    Figures,
    /// The frames too.
    Frames,
}

/// Steps a world as `drystone run` does. The sink looks at the interpreter's signals, so that a run can be interrupted.
fn simulated(
    w: &mut Inner,
    steps: Option<u64>,
    duration: Option<f64>,
    keep: Keep,
    signals: impl Fn() -> PyResult<()>,
) -> Done<Simulated> {
    if let Some(duration) = duration {
        if !(duration.is_finite() && duration >= 0.0) {
            return Err(Fail::Input(format!("duration: found {duration}; allowed: a finite time, zero or more")));
        }
        w.loaded.duration = duration;
    }
    let mut recording = match keep {
        Keep::Figures => None,
        Keep::Frames => Some(Recording::new(&w.loaded)),
    };
    let mut interrupted = None;
    let mut sink = |frame: &FrameLine, world: &World| {
        if let Some(recording) = &mut recording {
            recording.push(frame, world);
        }
        signals().map_err(|error| {
            interrupted = Some(error);
            Failure::Input("interrupted".to_owned())
        })
    };
    let seed = w.seed;
    let done = simulate(&mut w.loaded, steps, seed, Some(&mut sink), &ProgressBar::hidden());
    if let Some(error) = interrupted {
        return Err(Fail::Python(error));
    }
    if recording.is_some() {
        w.recording = recording;
    }
    Ok(done?)
}

#[pymethods]
impl NativeWorld {
    /// The figures as JSON.
    fn run(&self, py: Python<'_>, steps: Option<u64>, duration: Option<f64>, record: bool) -> PyResult<String> {
        self.lock(py, |w| {
            let keep = if record { Keep::Frames } else { Keep::Figures };
            let done = simulated(w, steps, duration, keep, || self.check_signals())?;
            let mut figures = serde_json::to_value(&done.figures).map_err(|e| Fail::Internal(e.to_string()))?;
            figures["drift"] = serde_json::json!(done.drift);
            Ok(figures.to_string())
        })
    }
}

/// Presets, modules with their parameters and bundled scenes, as JSON.
#[pyfunction]
pub(crate) fn catalogue(py: Python<'_>) -> PyResult<String> {
    Ok(detached(py, || Ok(catalogue_json().to_string()))?)
}

/// Reads a scene and reports every fault in it.
#[pyfunction]
pub(crate) fn check_scene(py: Python<'_>, source: &str, form: &str) -> PyResult<()> {
    Ok(detached(py, || {
        let document = if form == "path" { parse_file(source)? } else { parse(source, form)? };
        Scene::from_document(document, &modules())?.build()?;
        Ok(())
    })?)
}

/// A scene as JSON text: a file, a bundled name, or a text.
#[pyfunction]
pub(crate) fn scene_json(py: Python<'_>, source: &str, form: &str) -> PyResult<String> {
    Ok(detached(py, || {
        let document = if form == "path" { open(source).map_err(Failure::from)? } else { parse(source, form)? };
        Ok(document.to_json_string())
    })?)
}

/// Asks narrow phases about pairs of placed shapes; JSON in, JSON out.
#[pyfunction]
pub(crate) fn query(py: Python<'_>, pairs: &str, narrow_phases: Vec<String>, envelope: f64) -> PyResult<String> {
    Ok(detached(py, || {
        let document = parse(pairs, "json")?;
        Ok(query_pairs(&document, &narrow_phases, envelope).map_err(Fail::Input)?.to_string())
    })?)
}
