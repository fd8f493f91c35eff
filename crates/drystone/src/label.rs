use core::fmt;
use drystone_core::BodyId;

/// Name of a body in errors: its key, and its name if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BodyLabel {
    /// Its key.
    pub id: BodyId,
    /// Its name; empty if it has none.
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
