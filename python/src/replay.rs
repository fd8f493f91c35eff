//! What was recorded of a world, to look at and to compute with.

use crate::arrays::rows;
use crate::error::{Done, Fail};
use crate::world::{Inner, NativeWorld};
use drystone_cli::replay::{Recording, ReplayRun, Report, to_gltf, to_html};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use serde_json::json;
use std::borrow::Cow;

/// Numbers of a body in a frame: position, orientation, velocities.
const NUMBERS: usize = 13;

impl Inner {
    /// Starts anew, with the present state as the first frame.
    pub(crate) fn start_recording(&mut self) -> Done<()> {
        self.recording = Some(Recording::new(&self.loaded));
        self.record(0)
    }

    /// What was recorded, or the present state alone.
    fn recorded(&mut self) -> Done<Cow<'_, Recording>> {
        if self.recording.is_some() {
            return Ok(Cow::Borrowed(self.recording.get_or_insert_default()));
        }
        self.start_recording()?;
        Ok(Cow::Owned(self.recording.take().unwrap_or_default()))
    }
}

#[pymethods]
impl NativeWorld {
    fn set_recording(&self, py: Python<'_>, on: bool) -> PyResult<()> {
        self.lock(py, |w| {
            if on {
                w.start_recording()?;
            } else {
                w.recording = None;
            }
            Ok(())
        })
    }

    fn is_recording(&self, py: Python<'_>) -> PyResult<bool> {
        self.lock(py, |w| Ok(w.recording.is_some()))
    }

    /// (times (f,), bodies (f, n, 13), (kinetic, potential, contacts, penetration, joint error) as (f, 5)).
    fn frames<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray3<f64>>, Bound<'py, PyArray2<f64>>)> {
        let (times, bodies, series, n) = self.lock(py, |w| {
            let Some(recording) = &w.recording else {
                return Err(Fail::Input("nothing is recorded; allowed: after record = True".to_owned()));
            };
            let (mut times, mut bodies, mut series) = (Vec::new(), Vec::new(), Vec::new());
            for f in &recording.frames {
                times.push(f.time);
                bodies.extend(f.bodies.iter().flatten().copied());
                series.extend([f.kinetic, f.potential, f.contacts as f64, f.penetration, f.joint_error]);
            }
            Ok((times, bodies, series, recording.look.names.len()))
        })?;
        let frames = times.len();
        let bodies = PyArray1::from_vec(py, bodies).reshape([frames, n, NUMBERS])?;
        Ok((PyArray1::from_vec(py, times), bodies, rows(py, series, 5)?))
    }

    /// The replay page of what was recorded: one HTML text that needs nothing else.
    fn replay_html(&self, py: Python<'_>, title: &str) -> PyResult<String> {
        self.lock(py, |w| {
            let energy = w.world().energy();
            let world = &w.loaded.world;
            let table = vec![
                ("time (s)", json!(world.time())),
                ("bodies", json!(world.bodies().len())),
                ("energy (J)", json!(energy.kinetic + energy.potential)),
                ("contacts", json!(world.contacts().count())),
            ];
            let name = format!("{} {}", w.loaded.name, w.loaded.paradigm);
            let recording = w.recorded()?;
            let run = ReplayRun { table, ..ReplayRun::new(name, &recording) };
            Ok(to_html(title, &Report { runs: vec![run], ..Report::default() }))
        })
    }

    /// What was recorded as an animated glTF document (JSON).
    fn replay_gltf(&self, py: Python<'_>) -> PyResult<String> {
        self.lock(py, |w| {
            let recording = w.recorded()?;
            Ok(to_gltf(&recording).to_string())
        })
    }
}
