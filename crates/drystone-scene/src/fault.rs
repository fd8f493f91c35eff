use drystone_core::catalogue::SettingError;
use drystone_core::did_you_mean;
use std::fmt;
use std::sync::Arc;
use thiserror::Error;

/// Place in a scene.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Location {
    /// The file, where the scene comes from one.
    pub file: Option<Arc<str>>,
    /// The line, counted from one, where the format has lines (TOML; syntax faults of JSON too).
    pub line: Option<u32>,
    /// The key's path, like `bodies[1].mass`; empty for the whole scene.
    pub path: String,
    /// The named body or joint that the key belongs to, like `joint "hip"`.
    pub subject: Option<Arc<str>>,
    /// The option that set the value, like `--set`, where it does not come from the file.
    pub option: Option<&'static str>,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut wrote = false;
        if let Some(file) = &self.file {
            write!(f, "{file}")?;
            wrote = true;
        }
        if let Some(option) = self.option {
            write!(f, "{}{option}", if wrote { ", " } else { "" })?;
            wrote = true;
        } else if let Some(line) = self.line {
            write!(f, "{}line {line}", if wrote { ", " } else { "" })?;
            wrote = true;
        }
        if self.path.is_empty() {
            return if wrote { Ok(()) } else { f.write_str("scene") };
        }
        write!(f, "{}{}", if wrote { ": " } else { "" }, self.path)?;
        self.subject.as_ref().map_or(Ok(()), |s| write!(f, " ({s})"))
    }
}

/// Kind of fault at a place of a scene.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    File(String),
    /// The text is not TOML or JSON.
    #[error("{0}")]
    Syntax(String),
    /// A key the format does not have.
    #[error("unknown key '{key}'{}; allowed: {allowed}", did_you_mean(key, allowed))]
    UnknownKey {
        /// The key.
        key: String,
        /// The keys there are.
        allowed: String,
    },
    /// A key that must be there is not.
    #[error("missing key '{key}'; allowed: {allowed}")]
    MissingKey {
        /// The key.
        key: String,
        /// Allowed values.
        allowed: String,
    },
    /// A value that is not allowed.
    #[error("found {found}{}; allowed: {allowed}", one_of(found, allowed))]
    Value {
        /// Value that was found.
        found: String,
        /// Allowed values.
        allowed: String,
    },
    /// A name that nothing has.
    #[error("found {found}, and no {what} has that name{}; allowed: {allowed}", did_you_mean(found.trim_matches('"'), allowed))]
    Reference {
        /// Kind of object that it should name.
        what: &'static str,
        /// The name.
        found: String,
        /// The names there are.
        allowed: String,
    },
    /// A module's parameter.
    #[error("{}", of_setting(.0))]
    Setting(SettingError),
    /// Fault found by a caller.
    #[error("{0}")]
    Other(String),
}

/// The name that a text in quotes may have meant, where the allowed values are names.
fn one_of(found: &str, allowed: &str) -> String {
    let text = found.strip_prefix('"').and_then(|f| f.strip_suffix('"'));
    text.filter(|_| allowed.starts_with("one of ")).map(|t| did_you_mean(t, allowed)).unwrap_or_default()
}

/// Message for a faulty setting; its key is the end of the path that is told before.
fn of_setting(error: &SettingError) -> String {
    match error {
        SettingError::Value { found, allowed, .. } => {
            FaultKind::Value { found: found.clone(), allowed: allowed.clone() }.to_string()
        }
        other => other.to_string(),
    }
}

/// One fault of a scene: where it is, what was found and what is allowed.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{location}: {kind}")]
pub struct SceneFault {
    /// Place of the fault.
    pub location: Location,
    /// Kind of the fault.
    pub kind: FaultKind,
}

/// Faults of a scene that are printed one by one; the field has them all.
const PRINTED: usize = 20;

/// Every fault of a scene, in the order of the file; never empty when returned as an error. Printed are the first 20, and how many more there are.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SceneFaults(pub Vec<SceneFault>);

impl fmt::Display for SceneFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.0.iter().take(PRINTED).enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{fault}")?;
        }
        match self.0.len().saturating_sub(PRINTED) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl std::error::Error for SceneFaults {}

impl From<SceneFault> for SceneFaults {
    fn from(fault: SceneFault) -> Self {
        Self(vec![fault])
    }
}

impl IntoIterator for SceneFaults {
    type Item = SceneFault;
    type IntoIter = std::vec::IntoIter<SceneFault>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl SceneFaults {
    /// Takes in others of the same scene, in the order of the file.
    pub fn merge(&mut self, others: impl IntoIterator<Item = SceneFault>) {
        self.0.extend(others);
        // what has no line stays in the order of the format
        self.0.sort_by_key(|f| f.location.line);
    }

    pub(crate) fn push(&mut self, location: Location, kind: FaultKind) {
        self.0.push(SceneFault { location, kind });
    }

    /// `value` where no fault was found.
    pub(crate) fn into_result<T>(mut self, value: Option<T>) -> Result<T, Self> {
        self.merge([]);
        match value {
            Some(v) if self.0.is_empty() => Ok(v),
            _ => Err(self),
        }
    }
}
