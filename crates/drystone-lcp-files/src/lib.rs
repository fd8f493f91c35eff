//! Complementarity problems in files: readers, and the project's own dump of a solve.

mod dump;
mod error;
#[cfg(feature = "fclib")]
mod fclib;
mod matrix_market;
mod numbers;
mod opentissue;
mod siconos;
mod texts;

pub use dump::{BodyDump, LcpDump, RowDump};
pub use error::FileError;

// whoever calls this crate needs no other of the workspace: the types of its calls are here
pub use drystone_lcp as lcp;

use drystone_lcp::{BoxedProblem, ConeProblem};
use std::path::Path;
use texts::Texts;

/// The README's Rust blocks, compiled as they stand.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct ReadmeDoctests;

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
/// `.dat`, the project's own `.json` dump, or with the feature `fclib` FCLIB's `.hdf5`. The returned problem is validated.
///
/// # Errors
/// [`FileError`], which names the file and what is wrong in it.
pub fn read_problem(path: &Path) -> Result<FileProblem, FileError> {
    let problem = if path.is_dir() {
        folder(path, &Texts::Disk)?
    } else if is_companion(path) {
        folder(path.parent().unwrap_or(Path::new(".")), &Texts::Disk)?
    } else if path.extension().is_some_and(|e| e == "hdf5" || e == "h5") {
        hdf5(path)?
    } else {
        single(path, &Texts::Disk)?
    };
    validated(problem, path)
}

/// Reads a problem from the texts of its files, each with its name: like [`read_problem`], for programs without a file system. Folders in
/// the names do not count: all files belong together.
///
/// # Errors
/// [`FileError`], which names the file and what is wrong in it.
pub fn read_problem_texts(files: &[(String, String)]) -> Result<FileProblem, FileError> {
    let texts = Texts::Given(files);
    let Some((first, _)) = files.first() else { return Err(FileError::unknown(Path::new(""), "no file")) };
    let path = Path::new(first);
    let problem = match files {
        [_] if !is_companion(path) => single(path, &texts)?,
        _ => folder(Path::new(""), &texts)?,
    };
    validated(problem, path)
}

/// Reads FCLIB's HDF5 from the bytes of a file, for programs without a file system; the name is only used in messages.
///
/// # Errors
/// [`FileError`], which names the file and what is wrong in it.
#[cfg(feature = "fclib")]
pub fn read_problem_bytes(name: &str, bytes: Vec<u8>) -> Result<FileProblem, FileError> {
    let name = Path::new(name);
    validated(fclib::read_bytes(name, bytes)?, name)
}

#[cfg(feature = "fclib")]
use fclib::read as hdf5;

#[cfg(not(feature = "fclib"))]
fn hdf5(path: &Path) -> Result<FileProblem, FileError> {
    Err(FileError::unknown(path, "HDF5, which is read with the feature `fclib` only"))
}

/// Returns true if a file is one of several that make up a problem together.
fn is_companion(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "mtx" || e == "dlm")
}

fn folder(path: &Path, texts: &Texts<'_>) -> Result<FileProblem, FileError> {
    if texts.has(&path.join("A.dlm")) {
        opentissue::read(path, texts)
    } else if texts.has(&path.join("A.mtx")) {
        matrix_market::read(path, texts)
    } else {
        Err(FileError::unknown(path, "a folder without A.mtx or A.dlm"))
    }
}

fn single(path: &Path, texts: &Texts<'_>) -> Result<FileProblem, FileError> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("dat") => siconos::read(path, texts),
        Some("json") => dump::read(path, texts),
        _ => Err(FileError::unknown(path, "an extension other than mtx, dlm, dat and json")),
    }
}

fn validated(problem: FileProblem, path: &Path) -> Result<FileProblem, FileError> {
    let valid = match &problem {
        FileProblem::Boxed { problem, .. } => problem.view().validate(),
        FileProblem::Cone(problem) => problem.validate(),
    };
    valid.map_err(|source| FileError::Problem { path: path.to_path_buf(), source })?;
    Ok(problem)
}
