/// Quantity measured in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Measure {
    /// A figure by its path, like `penetration.final`.
    Figure(String),
    /// A quantity of every body that matches a name.
    Bodies {
        /// A name, or one with `[*]` for every copy.
        body: String,
        /// The quantity, like `position.y`.
        quantity: String,
    },
}

impl std::fmt::Display for Measure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Figure(path) => f.write_str(path),
            Self::Bodies { body, quantity } => write!(f, "{quantity} of {body}"),
        }
    }
}
