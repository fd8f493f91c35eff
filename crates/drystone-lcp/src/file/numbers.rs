use super::FileError;
use std::path::Path;

/// Counts beyond this are taken for damage, not data.
const LARGEST_COUNT: usize = 1 << 28;

/// Reads a whole text file; bytes that are no UTF-8 (remarks of old files) are replaced.
pub(crate) fn read_text(path: &Path) -> Result<String, FileError> {
    let bytes = std::fs::read(path).map_err(|source| FileError::io(path, source))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// White-space separated numbers of a text, each with what it is in error messages.
pub(crate) struct Numbers<'a> {
    path: &'a Path,
    words: std::iter::Peekable<std::str::SplitWhitespace<'a>>,
    read: usize,
}

impl<'a> Numbers<'a> {
    pub(crate) fn new(path: &'a Path, text: &'a str) -> Self {
        Self { path, words: text.split_whitespace().peekable(), read: 0 }
    }

    fn word(&mut self, what: &str) -> Result<&'a str, FileError> {
        self.read += 1;
        let read = self.read;
        let path = self.path;
        self.words.next().ok_or_else(|| FileError::malformed(path, format!("ends before number {read}, {what}")))
    }

    pub(crate) fn real(&mut self, what: &str) -> Result<f64, FileError> {
        let word = self.word(what)?;
        // Fortran writes exponents with d.
        let parsed = word.parse().or_else(|_| word.replace(['d', 'D'], "e").parse());
        parsed.map_err(|_| {
            FileError::malformed(self.path, format!("number {}, {what}: '{word}' is no number", self.read))
        })
    }

    pub(crate) fn integer(&mut self, what: &str) -> Result<i64, FileError> {
        let value = self.real(what)?;
        if value.fract() != 0.0 || value.abs() > LARGEST_COUNT as f64 {
            return Err(FileError::malformed(
                self.path,
                format!("number {}, {what}: {value} is no integer in range", self.read),
            ));
        }
        Ok(value as i64)
    }

    pub(crate) fn count(&mut self, what: &str) -> Result<usize, FileError> {
        let value = self.integer(what)?;
        usize::try_from(value)
            .map_err(|_| FileError::malformed(self.path, format!("number {}, {what}: {value} is negative", self.read)))
    }

    pub(crate) fn reals(&mut self, count: usize, what: &str) -> Result<Vec<f64>, FileError> {
        let mut values = Vec::new();
        for _ in 0..count {
            values.push(self.real(what)?);
        }
        Ok(values)
    }

    pub(crate) fn counts(&mut self, count: usize, what: &str) -> Result<Vec<usize>, FileError> {
        let mut values = Vec::new();
        for _ in 0..count {
            values.push(self.count(what)?);
        }
        Ok(values)
    }

    pub(crate) fn at_end(&mut self) -> bool {
        self.words.peek().is_none()
    }

    pub(crate) fn malformed(&self, what: impl Into<String>) -> FileError {
        FileError::malformed(self.path, what)
    }
}
