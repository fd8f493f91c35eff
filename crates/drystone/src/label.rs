use core::fmt;
use drystone_core::BodyId;

/// A body as errors name it: by its name, where it has one, and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BodyLabel {
    /// Its key.
    pub id: BodyId,
    /// Its name; empty where it has none.
    pub name: String,
}

impl fmt::Display for BodyLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.as_str() {
            "" => write!(f, "body {:?}", self.id),
            name => write!(f, "body '{name}' ({:?})", self.id),
        }
    }
}
