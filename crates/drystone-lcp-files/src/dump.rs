use crate::texts::Texts;
use crate::{FileError, FileProblem};
use drystone_lcp::{
    BoxedProblem, DenseOperator, FactoredOperator, NO_BODY, NO_DEPENDENCY, NO_PARTNER, Operator, OperatorRef,
    ProblemView, SparseOperator,
};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// One solve of a run, as plain data: the factored form with everything a solver was given, so that a difficult moment
/// can be replayed with any solver. One JSON object per file.
///
/// An operator that is not factored is written as triplets in `entries`; then `bodies` and `rows` are empty.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LcpDump {
    /// Always [`LcpDump::FORMAT`].
    pub format: String,
    /// The scene's name.
    #[serde(default)]
    pub scene: String,
    /// Simulated time, s.
    #[serde(default)]
    pub time: f64,
    /// Number of the contact group within the step.
    #[serde(default)]
    pub group: usize,
    /// Name of the solver that the run used.
    #[serde(default)]
    pub solver: String,
    /// The bodies' weights.
    #[serde(default)]
    pub bodies: Vec<BodyDump>,
    /// The rows of J, with cfm.
    #[serde(default)]
    pub rows: Vec<RowDump>,
    /// A as (row, column, value) if it is not factored.
    #[serde(default)]
    pub entries: Vec<(usize, usize, f64)>,
    /// b.
    pub b: Vec<f64>,
    /// Lower bounds; null is -infinity.
    pub lo: Vec<Option<f64>>,
    /// Upper bounds; null is +infinity.
    pub hi: Vec<Option<f64>>,
    /// The row that bounds each row, or null; empty if there is none.
    #[serde(default)]
    pub dependency: Vec<Option<u32>>,
    /// Coefficients of the dependent bounds.
    #[serde(default)]
    pub mu: Vec<f64>,
    /// The row that each row shares a disc with, or null; empty, and left out, if there are no discs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub partner: Vec<Option<u32>>,
    /// The start value.
    #[serde(default)]
    pub warm_start: Vec<f64>,
    /// The multipliers that the run obtained.
    #[serde(default)]
    pub multipliers: Vec<f64>,
}

/// W of one body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyDump {
    /// Inverse mass.
    pub inverse_mass: f64,
    /// Inverse inertia in world axes: xx, yy, zz, xy, xz, yz.
    pub inverse_inertia: [f64; 6],
}

/// One row of J.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowDump {
    /// The bodies a and b, or null.
    pub bodies: [Option<u32>; 2],
    /// The blocks of J: three linear, then three angular entries each.
    pub jacobian: [[f64; 6]; 2],
    /// Regularisation of the row.
    pub cfm: f64,
}

impl LcpDump {
    /// Value of `format`.
    pub const FORMAT: &str = "drystone-lcp-1";

    /// Copies a problem and its start value.
    pub fn new(problem: &ProblemView<'_>, start: &[f64]) -> Self {
        let finite = |v: &f64| v.is_finite().then_some(*v);
        let mut dump = Self {
            format: Self::FORMAT.into(),
            b: problem.b.to_vec(),
            lo: problem.lo.iter().map(finite).collect(),
            hi: problem.hi.iter().map(finite).collect(),
            dependency: problem.dependency.iter().map(|&j| (j != NO_DEPENDENCY).then_some(j)).collect(),
            mu: problem.mu.to_vec(),
            partner: problem.partner.iter().map(|&k| (k != NO_PARTNER).then_some(k)).collect(),
            warm_start: start.to_vec(),
            ..Self::default()
        };
        if let OperatorRef::Factored(a) = problem.operator {
            for (inverse_mass, inverse_inertia) in (0..a.bodies()).filter_map(|k| a.body(k)) {
                dump.bodies.push(BodyDump { inverse_mass, inverse_inertia });
            }
            for row in a.factored_rows() {
                let bodies = row.bodies.map(|body| (body != NO_BODY).then_some(body));
                dump.rows.push(RowDump { bodies, jacobian: row.jacobian, cfm: row.cfm });
            }
        } else {
            let dense = problem.operator.to_dense();
            for i in 0..problem.len() {
                let row = dense.row(i).iter().enumerate();
                dump.entries.extend(row.filter(|(_, v)| **v != 0.0).map(|(j, &v)| (i, j, v)));
            }
        }
        dump
    }

    /// The problem and its start value (empty if the dump has none), not yet validated.
    ///
    /// # Errors
    /// [`drystone_lcp::LcpError::IndexOutOfRange`] if a body or an entry does not exist.
    pub fn into_problem(self) -> Result<(BoxedProblem, Vec<f64>), drystone_lcp::LcpError> {
        let operator: Operator = if self.rows.is_empty() {
            if self.entries.is_empty() {
                DenseOperator::zeros(self.b.len()).into()
            } else {
                SparseOperator::from_triplets(self.b.len(), &self.entries)?.into()
            }
        } else {
            let mut factored = FactoredOperator::new();
            for body in &self.bodies {
                factored.push_body(body.inverse_mass, body.inverse_inertia);
            }
            for row in &self.rows {
                let bodies = row.bodies.map(|body| body.unwrap_or(NO_BODY));
                factored.push_row(bodies, row.jacobian[0], row.jacobian[1], row.cfm)?;
            }
            factored.into()
        };
        let problem = BoxedProblem {
            operator,
            b: self.b,
            lo: self.lo.into_iter().map(|v| v.unwrap_or(f64::NEG_INFINITY)).collect(),
            hi: self.hi.into_iter().map(|v| v.unwrap_or(f64::INFINITY)).collect(),
            dependency: self.dependency.into_iter().map(|j| j.unwrap_or(NO_DEPENDENCY)).collect(),
            mu: self.mu,
            partner: self.partner.into_iter().map(|k| k.unwrap_or(NO_PARTNER)).collect(),
        };
        Ok((problem, self.warm_start))
    }

    /// The dump as JSON text. Numbers are written so that reading them back gives the same bits.
    ///
    /// # Errors
    /// [`serde_json::Error`] if a number is not finite.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    /// Writes the dump to a file.
    ///
    /// # Errors
    /// [`FileError::Io`]; [`FileError::Malformed`] if a number is not finite.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        let text = self.to_json().map_err(|e| FileError::malformed(path, e.to_string()))?;
        std::fs::write(path, text).map_err(|source| FileError::io(path, source))
    }
}

pub(crate) fn read(path: &Path, texts: &Texts<'_>) -> Result<FileProblem, FileError> {
    let text = texts.read(path)?;
    let dump: LcpDump = serde_json::from_str(&text).map_err(|e| FileError::malformed(path, e.to_string()))?;
    if dump.format != LcpDump::FORMAT {
        return Err(FileError::malformed(path, format!("format '{}' is not '{}'", dump.format, LcpDump::FORMAT)));
    }
    let problem = |source| FileError::Problem { path: path.to_path_buf(), source };
    let (boxed, start) = dump.into_problem().map_err(problem)?;
    if !start.is_empty() && start.len() != boxed.b.len() {
        return Err(problem(drystone_lcp::LcpError::Size {
            what: "warm_start",
            expected: boxed.b.len(),
            found: start.len(),
        }));
    }
    let start = (!start.is_empty()).then_some(start);
    Ok(FileProblem::Boxed { problem: boxed, start })
}
