//! Readers of problem files, and the project's own dump.
mod dump;
mod error;
#[cfg(feature = "fclib")]
mod fclib;
mod matrix_market;
mod numbers;
mod opentissue;
mod siconos;

pub use dump::{BodyDump, LcpDump, RowDump};
pub use error::FileError;

use crate::{BoxedProblem, ConeProblem};
use std::path::Path;

/// A problem as read from a file or folder.
#[derive(Debug)]
pub enum FileProblem {
    /// A (boxed) LCP, and the start value that came with it, if any.
    Boxed {
        /// The problem, validated.
        problem: BoxedProblem,
        /// A start value, not a solution.
        start: Option<Vec<f64>>,
    },
    /// A frictional-contact problem with cones.
    Cone(ConeProblem),
}

impl FileProblem {
    /// `lcp`, `boxed` or `friction`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Boxed { problem, .. } if problem.view().is_standard() => "lcp",
            Self::Boxed { .. } => "boxed",
            Self::Cone(_) => "friction",
        }
    }

    /// Number of rows.
    pub fn variables(&self) -> usize {
        match self {
            Self::Boxed { problem, .. } => problem.b.len(),
            Self::Cone(problem) => problem.rows(),
        }
    }
}

/// Reads a problem, by content and extension: a folder with `A.mtx` or `A.dlm`, an `.mtx` file beside its companions, Siconos'
/// `.dat`, the project's own `.json` dump, or with the feature `fclib` FCLIB's `.hdf5`. What comes back is validated.
///
/// # Errors
/// [`FileError`], which names the file and what is wrong in it.
pub fn read_problem(path: &Path) -> Result<FileProblem, FileError> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let problem = if path.is_dir() {
        if path.join("A.dlm").is_file() {
            opentissue::read(path)?
        } else if path.join("A.mtx").is_file() {
            matrix_market::read(path)?
        } else {
            return Err(FileError::unknown(path, "a folder without A.mtx or A.dlm"));
        }
    } else {
        match extension {
            "mtx" => matrix_market::read(path.parent().unwrap_or(Path::new(".")))?,
            "dlm" => opentissue::read(path.parent().unwrap_or(Path::new(".")))?,
            "dat" => siconos::read(path)?,
            "json" => dump::read(path)?,
            #[cfg(feature = "fclib")]
            "hdf5" | "h5" => fclib::read(path)?,
            #[cfg(not(feature = "fclib"))]
            "hdf5" | "h5" => return Err(FileError::unknown(path, "HDF5, which is read with the feature `fclib` only")),
            _ => return Err(FileError::unknown(path, "an extension other than mtx, dlm, dat and json")),
        }
    };
    let valid = match &problem {
        FileProblem::Boxed { problem, .. } => problem.view().validate(),
        FileProblem::Cone(problem) => problem.validate(),
    };
    valid.map_err(|source| FileError::Problem { path: path.to_path_buf(), source })?;
    Ok(problem)
}
