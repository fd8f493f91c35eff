//! Instants to come back to, here or in another process.

use crate::world::NativeWorld;
use drystone::Snapshot;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// An instant of a world to come back to.
#[pyclass(frozen, module = "drystone._native")]
pub(crate) struct NativeSnapshot {
    snapshot: Snapshot,
}

#[pymethods]
impl NativeSnapshot {
    /// Simulated time (s).
    #[getter]
    fn time(&self) -> f64 {
        self.snapshot.time()
    }

    /// For a file: the same on every machine, with a checksum.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.snapshot.to_bytes()))
    }

    /// As a JSON text, to be looked at.
    fn to_json(&self, py: Python<'_>) -> String {
        py.detach(|| self.snapshot.to_json())
    }

    fn __repr__(&self) -> String {
        format!("<Snapshot at t = {} s>", self.time())
    }
}

#[pymethods]
impl NativeWorld {
    fn snapshot(&self, py: Python<'_>) -> PyResult<NativeSnapshot> {
        self.lock(py, |w| Ok(NativeSnapshot { snapshot: w.world().snapshot() }))
    }

    /// One that was written by this world or by one with the same bodies, joints and forces.
    fn read_snapshot(&self, py: Python<'_>, data: &[u8]) -> PyResult<NativeSnapshot> {
        self.lock(py, |w| Ok(NativeSnapshot { snapshot: w.world().read_snapshot(data)? }))
    }

    fn restore(&self, py: Python<'_>, snapshot: &NativeSnapshot) -> PyResult<()> {
        self.lock(py, |w| Ok(w.world().restore(&snapshot.snapshot)?))
    }
}
