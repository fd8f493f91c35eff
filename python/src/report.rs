//! What a step did.

use crate::error::Fail;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What a step did: counts, residual and times.
#[pyclass(frozen, get_all, module = "drystone._native")]
#[derive(Clone)]
pub(crate) struct StepReport {
    /// Contact points of the last detection.
    contacts: u64,
    /// Contact groups of the last detection.
    groups: u64,
    /// Deepest overlap that a detection of the step found (m).
    penetration: f64,
    /// Largest residual relative to g h; None where none was measured.
    residual: Option<f64>,
    /// Whether that is at most 0.01; None where none was measured.
    converged: Option<bool>,
    /// Bodies that sleep.
    sleeping: u64,
    /// Pairs that came to touch.
    new_touching: u64,
    /// Pairs that ceased to touch.
    vanishing_touching: u64,
    /// Complementarity problems solved.
    solves: u64,
    /// Iterations over all of them.
    iterations: u64,
    /// Most variables of one.
    variables: u64,
    /// Largest natural residual measured (m/s, or N s where smaller); None where none was.
    lcp_residual: Option<f64>,
    /// Impacts resolved on their own.
    impacts: u64,
    /// Pairs of which one went through the other unseen.
    tunnelled: u64,
    /// Times the state was rolled back.
    rollbacks: u64,
    times: [f64; 9],
}

const MODULES: [&str; 9] = [
    "broad_phase",
    "narrow_phase",
    "contact_determination",
    "stc_analysis",
    "constraint_solver",
    "position_correction",
    "collision_solver",
    "motion_solver",
    "time_control",
];

/// A value of a report's dict.
fn of<'py, T: FromPyObjectOwned<'py>>(values: &Bound<'py, PyDict>, key: &str) -> PyResult<T> {
    let missing = || Fail::Input(format!("StepReport: '{key}' is missing"));
    let found = values.get_item(key)?.ok_or_else(missing)?;
    found.extract::<T>().map_err(|e| {
        let why: PyErr = e.into();
        Fail::Input(format!("StepReport: '{key}': {why}")).into()
    })
}

impl From<drystone::StepReport> for StepReport {
    fn from(r: drystone::StepReport) -> Self {
        let t = r.times;
        Self {
            contacts: r.contacts,
            groups: r.groups,
            penetration: r.penetration,
            residual: r.residual,
            converged: r.converged,
            sleeping: r.sleeping,
            new_touching: r.events.new_touching,
            vanishing_touching: r.events.vanishing_touching,
            solves: r.lcp.solves,
            iterations: r.lcp.iterations,
            variables: r.lcp.variables_max,
            lcp_residual: r.lcp.largest_residual(),
            impacts: r.calls.resolve.impacts,
            tunnelled: r.calls.tunnelled,
            rollbacks: r.calls.rollbacks,
            times: [
                t.broad_phase,
                t.narrow_phase,
                t.contact_determination,
                t.stc_analysis,
                t.constraint_solver,
                t.position_correction,
                t.collision_solver,
                t.motion_solver,
                t.time_control,
            ],
        }
    }
}

#[pymethods]
impl StepReport {
    /// Time spent in each module (s).
    fn seconds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let times = PyDict::new(py);
        for (name, time) in MODULES.iter().zip(self.times) {
            times.set_item(name, time)?;
        }
        Ok(times)
    }

    /// A report of what `to_dict` gave.
    #[staticmethod]
    fn from_dict(values: &Bound<'_, PyDict>) -> PyResult<Self> {
        let seconds = of::<Bound<'_, PyDict>>(values, "seconds")?;
        let mut times = [0.0; 9];
        for (name, time) in MODULES.iter().zip(&mut times) {
            *time = of(&seconds, name)?;
        }
        Ok(Self {
            contacts: of(values, "contacts")?,
            groups: of(values, "groups")?,
            penetration: of(values, "penetration")?,
            residual: of(values, "residual")?,
            converged: of(values, "converged")?,
            sleeping: of(values, "sleeping")?,
            new_touching: of(values, "new_touching")?,
            vanishing_touching: of(values, "vanishing_touching")?,
            solves: of(values, "solves")?,
            iterations: of(values, "iterations")?,
            variables: of(values, "variables")?,
            lcp_residual: of(values, "lcp_residual")?,
            impacts: of(values, "impacts")?,
            tunnelled: of(values, "tunnelled")?,
            rollbacks: of(values, "rollbacks")?,
            times,
        })
    }

    /// Copies and pickles are made of its numbers.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyDict>,))> {
        Ok((slf.get_type().getattr("from_dict")?, (slf.get().to_dict(slf.py())?,)))
    }

    /// All of it as plain numbers, with `seconds` as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        all.set_item("contacts", self.contacts)?;
        all.set_item("groups", self.groups)?;
        all.set_item("penetration", self.penetration)?;
        all.set_item("residual", self.residual)?;
        all.set_item("converged", self.converged)?;
        all.set_item("sleeping", self.sleeping)?;
        all.set_item("new_touching", self.new_touching)?;
        all.set_item("vanishing_touching", self.vanishing_touching)?;
        all.set_item("solves", self.solves)?;
        all.set_item("iterations", self.iterations)?;
        all.set_item("variables", self.variables)?;
        all.set_item("lcp_residual", self.lcp_residual)?;
        all.set_item("impacts", self.impacts)?;
        all.set_item("tunnelled", self.tunnelled)?;
        all.set_item("rollbacks", self.rollbacks)?;
        all.set_item("seconds", self.seconds(py)?)?;
        Ok(all)
    }

    fn __repr__(&self) -> String {
        let residual = self.residual.map_or_else(|| "None".to_owned(), |r| format!("{r:.3e}"));
        format!(
            "StepReport(contacts={}, groups={}, penetration={:.3e}, residual={residual}, sleeping={})",
            self.contacts, self.groups, self.penetration, self.sleeping
        )
    }
}
