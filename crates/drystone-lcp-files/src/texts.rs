use crate::FileError;
use std::path::Path;

/// Source of the texts of a problem's files.
pub(crate) enum Texts<'a> {
    /// In the file system.
    Disk,
    /// Here, each with its name; folders do not count.
    Given(&'a [(String, String)]),
}

impl Texts<'_> {
    /// A whole text; bytes that are not UTF-8 (comments in old files) are replaced.
    pub(crate) fn read(&self, path: &Path) -> Result<String, FileError> {
        match self {
            Self::Disk => {
                let bytes = std::fs::read(path).map_err(|source| FileError::io(path, source))?;
                Ok(String::from_utf8_lossy(&bytes).into_owned())
            }
            Self::Given(files) => {
                let found = files.iter().find(|(name, _)| Path::new(name).file_name() == path.file_name());
                let missing = || FileError::io(path, std::io::ErrorKind::NotFound.into());
                found.map(|(_, text)| text.clone()).ok_or_else(missing)
            }
        }
    }

    /// Returns true if the file exists.
    pub(crate) fn has(&self, path: &Path) -> bool {
        match self {
            Self::Disk => path.is_file(),
            Self::Given(files) => files.iter().any(|(name, _)| Path::new(name).file_name() == path.file_name()),
        }
    }
}
