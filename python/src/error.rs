//! What the engine refuses, as the package's exceptions.

use drystone::{QueryError, SnapshotError, WorldError};
use drystone_cli::Failure;
use drystone_core::StepFailure;
use drystone_lcp::LcpError;
use drystone_scene::SceneFaults;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::panic::{AssertUnwindSafe, catch_unwind};

mod python {
    #![allow(missing_docs)]
    pyo3::import_exception!(drystone.errors, SceneError);
    pyo3::import_exception!(drystone.errors, InputError);
    pyo3::import_exception!(drystone.errors, SimulationError);
    pyo3::import_exception!(drystone.errors, InternalError);
    pyo3::import_exception!(drystone.errors, LcpError);
}

/// Why a call failed; kept without the interpreter's lock.
#[derive(Debug)]
pub(crate) enum Fail {
    Scene(SceneFaults),
    Input(String),
    Step { text: String, failure: Option<(f64, Option<String>, &'static str)> },
    Lcp(LcpError),
    Internal(String),
    Python(PyErr),
}

pub(crate) type Done<T> = Result<T, Fail>;

impl From<SceneFaults> for Fail {
    fn from(faults: SceneFaults) -> Self {
        Self::Scene(faults)
    }
}

impl From<Failure> for Fail {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Scene(faults) => Self::Scene(faults),
            Failure::Simulation(text) => Self::Step { text, failure: None },
            other => Self::Input(other.to_string()),
        }
    }
}

impl From<WorldError> for Fail {
    fn from(error: WorldError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<QueryError> for Fail {
    fn from(error: QueryError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<SnapshotError> for Fail {
    fn from(error: SnapshotError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<LcpError> for Fail {
    fn from(error: LcpError) -> Self {
        Self::Lcp(error)
    }
}

impl From<PyErr> for Fail {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl Fail {
    /// A step's failure with the names of body and joint.
    pub(crate) fn of_step(error: &WorldError, names: &[String], joint_names: &[String]) -> Self {
        let text = Failure::of_step(error, names, joint_names).to_string();
        let WorldError::Step(StepFailure { time, body, module, .. }) = error else { return Self::Input(text) };
        let body = body.and_then(|b| names.get(b.at())).cloned();
        Self::Step { text, failure: Some((*time, body, module.name())) }
    }
}

impl From<Fail> for PyErr {
    fn from(fail: Fail) -> Self {
        match fail {
            Fail::Input(text) => python::InputError::new_err(text),
            Fail::Step { text, failure: None } => python::SimulationError::new_err(text),
            Fail::Step { text, failure: Some((time, body, module)) } => {
                python::SimulationError::new_err((text, time, body, module))
            }
            Fail::Lcp(error) => python::LcpError::new_err(error.to_string()),
            Fail::Internal(text) => python::InternalError::new_err(text),
            Fail::Python(error) => error,
            Fail::Scene(faults) => Python::attach(|py| {
                let list: PyResult<Vec<_>> = faults
                    .0
                    .iter()
                    .map(|f| {
                        let one = PyDict::new(py);
                        one.set_item("file", f.location.file.as_deref())?;
                        one.set_item("line", f.location.line)?;
                        one.set_item("path", &f.location.path)?;
                        one.set_item("subject", f.location.subject.as_deref())?;
                        one.set_item("message", f.kind.to_string())?;
                        Ok(one.unbind())
                    })
                    .collect();
                match list {
                    Ok(list) => python::SceneError::new_err((faults.to_string(), list)),
                    Err(error) => error,
                }
            }),
        }
    }
}

/// Runs something without the interpreter's lock; a panic in it becomes an error.
pub(crate) fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> Done<T> + Send) -> Done<T> {
    py.detach(|| guarded(work))
}

/// Runs something; a panic in it becomes an error.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Done<T>) -> Done<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without words");
        Err(Fail::Internal(format!("the engine met a state that it should never reach: {text}")))
    })
}
