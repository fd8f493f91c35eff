use drystone_core::UnsupportedPair;
use thiserror::Error;

/// Why a query has no answer.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// A vector that must be finite is not.
    #[error("{what} must be finite")]
    NotFinite {
        /// Which.
        what: &'static str,
    },
    /// A coordinate that is too large to compute with.
    #[error("{what} is out of range; allowed: coordinates up to {farthest:e} m")]
    TooFar {
        /// Which.
        what: &'static str,
        /// The largest coordinate (m).
        farthest: f64,
    },
    /// A length below zero, or not a number.
    #[error("{what}: found {found}; allowed: zero or more, infinity for no end")]
    Negative {
        /// Which.
        what: &'static str,
        /// Its value (m).
        found: f64,
    },
    /// A ray without a direction.
    #[error("direction must have a length above zero")]
    ZeroDirection,
    /// An orientation without length.
    #[error("an orientation must be a quaternion of length above zero")]
    Orientation,
    /// A shape that reaches to infinity cannot be placed or moved in a query.
    #[error("a {0} has no end; allowed: any bounded shape")]
    Unbounded(&'static str),
    /// A body that is not in the world, or no longer.
    #[error("no such body in this world")]
    UnknownBody,
    /// Two shapes that cannot be compared.
    #[error(transparent)]
    Unsupported(#[from] UnsupportedPair),
    /// The distance of free motion could not be determined to the last digit.
    #[error("the sweep is free for {free} m at least; where it ends could not be found")]
    NotSettled {
        /// The distance that is certainly free (m).
        free: f64,
    },
}
