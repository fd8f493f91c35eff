use drystone_lcp::LcpError;
use std::path::{Path, PathBuf};

/// Why a problem file could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file cannot be opened or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Neither the name nor the content is of a known format.
    #[error("{}: {what}", path.display())]
    Unknown {
        /// The file or folder.
        path: PathBuf,
        /// Value that was found.
        what: String,
    },
    /// The content breaks the format.
    #[error("{}: {what}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Place and fault.
        what: String,
    },
    /// The numbers could be read, but do not form a valid problem.
    #[error("{}: {source}", path.display())]
    Problem {
        /// The file or folder.
        path: PathBuf,
        /// Fault of the problem.
        source: LcpError,
    },
}

impl FileError {
    pub(crate) fn unknown(path: &Path, what: &str) -> Self {
        Self::Unknown { path: path.to_path_buf(), what: what.to_string() }
    }

    pub(crate) fn malformed(path: &Path, what: impl Into<String>) -> Self {
        Self::Malformed { path: path.to_path_buf(), what: what.into() }
    }

    pub(crate) fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io { path: path.to_path_buf(), source }
    }
}
