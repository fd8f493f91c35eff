//! Instants to come back to, here or in another process.

use crate::error::Fail;
use crate::world::NativeWorld;
use drystone_cli::{Kept, SaveWorld};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;

/// An instant of a world to come back to.
#[pyclass(frozen, module = "drystone._native")]
pub(crate) struct NativeSnapshot {
    kept: Kept,
}

#[pymethods]
impl NativeSnapshot {
    /// Simulated time (s).
    #[getter]
    fn time(&self) -> f64 {
        self.kept.world.time()
    }

    /// For a file: the same on every machine, with a checksum.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.kept.world.to_bytes()))
    }

    /// As a JSON text, to be looked at.
    fn to_json(&self, py: Python<'_>) -> String {
        py.detach(|| self.kept.world.to_json())
    }

    /// It fits a world, which alone can read it.
    fn __reduce__(_slf: PyRef<'_, Self>) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a Snapshot cannot be copied or pickled: to_bytes() gives its bytes, World.read_snapshot() reads them",
        ))
    }

    fn __repr__(&self) -> String {
        format!("<Snapshot at t = {} s>", self.time())
    }
}

#[pymethods]
impl NativeWorld {
    fn snapshot(&self, py: Python<'_>) -> PyResult<NativeSnapshot> {
        self.lock(py, |w| Ok(NativeSnapshot { kept: w.loaded.keep() }))
    }

    /// One that was written by this world or by one with the same bodies, joints and forces.
    fn read_snapshot(&self, py: Python<'_>, data: &[u8]) -> PyResult<NativeSnapshot> {
        self.lock(py, |w| Ok(NativeSnapshot { kept: w.loaded.read(data)? }))
    }

    /// The world as a scene that goes on from here, in JSON.
    fn to_scene(&self, py: Python<'_>) -> PyResult<String> {
        self.lock(py, |w| {
            let scene = w.loaded.to_scene().map_err(|e| Fail::Input(e.to_string()))?;
            Ok(scene.to_json_string())
        })
    }

    /// The same in a file: TOML if its name ends so, otherwise JSON.
    fn save_world(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.lock(py, |w| w.loaded.save_world(&path).map_err(|e| Fail::Input(e.to_string())))
    }

    fn restore(&self, py: Python<'_>, snapshot: &NativeSnapshot) -> PyResult<()> {
        self.lock(py, |w| Ok(w.loaded.come_back(&snapshot.kept)?))
    }
}
