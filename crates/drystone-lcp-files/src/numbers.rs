use crate::FileError;
use std::path::Path;

/// Counts beyond this are considered damage, not data.
const LARGEST_COUNT: usize = 1 << 28;

/// White-space separated numbers of a text; error messages say what each number is, with its line and word.
pub(crate) struct Numbers<'a> {
    path: &'a Path,
    rest: &'a str,
    /// The line on which `rest` begins, counted from one, and that of the last word.
    line: usize,
    word_line: usize,
    read: usize,
}

impl<'a> Numbers<'a> {
    pub(crate) fn new(path: &'a Path, text: &'a str) -> Self {
        Self::from_line(path, text, 1)
    }

    /// The numbers of a text that begins on a later line of the file.
    pub(crate) fn from_line(path: &'a Path, text: &'a str, line: usize) -> Self {
        Self { path, rest: text, line, word_line: line, read: 0 }
    }

    fn skip_space(&mut self) {
        let trimmed = self.rest.trim_start();
        let skipped = &self.rest[..self.rest.len() - trimmed.len()];
        self.line += skipped.bytes().filter(|b| *b == b'\n').count();
        self.rest = trimmed;
    }

    fn word(&mut self, what: &str) -> Result<&'a str, FileError> {
        self.read += 1;
        self.skip_space();
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        if end == 0 {
            let found = format!("line {}: ends before number {}, {what}", self.line, self.read);
            return Err(FileError::malformed(self.path, found));
        }
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        self.word_line = self.line;
        Ok(word)
    }

    /// Fault of the last word.
    fn wrong(&self, what: &str, found: &str) -> FileError {
        FileError::malformed(self.path, format!("line {}, number {}, {what}: {found}", self.word_line, self.read))
    }

    pub(crate) fn real(&mut self, what: &str) -> Result<f64, FileError> {
        let word = self.word(what)?;
        // Fortran writes exponents with d.
        let parsed = word.parse().or_else(|_| word.replace(['d', 'D'], "e").parse());
        parsed.map_err(|_| self.wrong(what, &format!("'{}' is no number", shortened(word))))
    }

    pub(crate) fn integer(&mut self, what: &str) -> Result<i64, FileError> {
        let value = self.real(what)?;
        if value.fract() != 0.0 || value.abs() > LARGEST_COUNT as f64 {
            return Err(self.wrong(what, &format!("{value} is no whole number in range")));
        }
        Ok(value as i64)
    }

    pub(crate) fn count(&mut self, what: &str) -> Result<usize, FileError> {
        let value = self.integer(what)?;
        usize::try_from(value).map_err(|_| self.wrong(what, &format!("{value} is negative")))
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
        self.skip_space();
        self.rest.is_empty()
    }

    pub(crate) fn malformed(&self, what: impl std::fmt::Display) -> FileError {
        FileError::malformed(self.path, format!("line {}: {what}", self.word_line))
    }
}

/// A word, shortened to fit into a message.
fn shortened(word: &str) -> String {
    const LONGEST: usize = 40;
    if word.chars().count() <= LONGEST {
        word.to_owned()
    } else {
        word.chars().take(LONGEST).collect::<String>() + "..."
    }
}
