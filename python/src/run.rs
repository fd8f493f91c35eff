//! Whole runs with their figures, and what needs no world.

use crate::error::{Done, Fail, detached};
use crate::world::{Inner, NativeWorld, parse, parse_file};
use drystone::{ModuleChoice, ModuleKind, World};
use drystone_cli::replay::Recording;
use drystone_cli::{Failure, Simulated, catalogue as modules, catalogue_json, query_pairs, simulate};
use drystone_core::catalogue::Value;
use drystone_scene::Scene;
use drystone_scene::figures::FrameLine;
use indicatif::ProgressBar;
use pyo3::prelude::*;
use serde_json::Value as Json;

/// `[[table, kind or null, {key: value}], …]`.
pub(crate) fn module_choices(text: &str) -> Done<Vec<ModuleChoice>> {
    let wrong = |what: &str| Fail::Input(format!("settings: {what}"));
    let list: Vec<(String, Option<String>, serde_json::Map<String, Json>)> =
        serde_json::from_str(text).map_err(|e| wrong(&e.to_string()))?;
    list.into_iter()
        .map(|(table, name, settings)| {
            let kind = ModuleKind::from_table(&table).ok_or_else(|| {
                let all: Vec<_> = ModuleKind::ALL.iter().map(|k| k.table()).collect();
                wrong(&format!("found the table '{table}'; allowed: {}", all.join(", ")))
            })?;
            let settings = settings
                .into_iter()
                .map(|(key, value)| {
                    let value = match value {
                        Json::Bool(v) => Value::Bool(v),
                        Json::String(v) => Value::Text(v),
                        Json::Number(v) => {
                            v.as_i64().map_or_else(|| Value::Real(v.as_f64().unwrap_or(f64::NAN)), Value::Integer)
                        }
                        other => {
                            return Err(wrong(&format!(
                                "{table}.{key}: found {other}; allowed: a number, a text or a truth value"
                            )));
                        }
                    };
                    Ok((key, value))
                })
                .collect::<Done<_>>()?;
            Ok(ModuleChoice { kind, name, settings })
        })
        .collect()
}

/// Steps a world as `drystone run` does. The sink looks at the interpreter's signals, so that a run can be interrupted.
fn simulated(w: &mut Inner, steps: Option<u64>, duration: Option<f64>, record: bool) -> Done<Simulated> {
    if let Some(duration) = duration {
        if !(duration.is_finite() && duration >= 0.0) {
            return Err(Fail::Input(format!("duration: found {duration}; allowed: a finite time, zero or more")));
        }
        w.loaded.duration = duration;
    }
    let mut recording =
        if record { Some(Recording::new(&w.loaded)) } else { None };
    let mut interrupted = None;
    let mut sink = |frame: &FrameLine, world: &World| {
        if let Some(recording) = &mut recording {
            recording.push(frame, world);
        }
        Python::attach(|py| py.check_signals()).map_err(|error| {
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
            let done = simulated(w, steps, duration, record)?;
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

/// Asks narrow phases about pairs of placed shapes; JSON in, JSON out.
#[pyfunction]
pub(crate) fn query(py: Python<'_>, pairs: &str, narrow_phases: Vec<String>, envelope: f64) -> PyResult<String> {
    Ok(detached(py, || {
        let document = parse(pairs, "json")?;
        Ok(query_pairs(&document, &narrow_phases, envelope).map_err(Fail::Input)?.to_string())
    })?)
}
