use drystone_math::Real;
use thiserror::Error;

/// Why a joint cannot be built. `what` is the key of the description.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum JointBuildError {
    /// No such kind.
    #[error("unknown joint kind '{found}'; allowed: {allowed}")]
    Kind {
        /// The kind requested.
        found: String,
        /// The kinds that exist.
        allowed: String,
    },
    /// The kind needs something that is missing.
    #[error("a {kind} joint needs '{what}'")]
    Missing {
        /// The kind.
        kind: &'static str,
        /// Missing item.
        what: &'static str,
    },
    /// The kind has no use for something that is set, such as a motor on a joint without a free axis.
    #[error("a {kind} joint cannot have '{what}': {reason}")]
    NotForKind {
        /// The kind.
        kind: &'static str,
        /// Item that it cannot have.
        what: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// A direction of length zero, or not finite.
    #[error("'{what}' must be a finite direction of non-zero length, found {found:?}")]
    Axis {
        /// Which one.
        what: &'static str,
        /// Value that was given.
        found: [Real; 3],
    },
    /// Two axes that must span a plane do not.
    #[error("'axis' and 'axis2' of a {kind} joint are parallel")]
    ParallelAxes {
        /// The kind.
        kind: &'static str,
    },
    /// The lower limit is above the upper one.
    #[error("'{what}' are crossed: lower {lower} above upper {upper}")]
    CrossedLimits {
        /// Which limits.
        what: &'static str,
        /// Lower limit.
        lower: Real,
        /// Upper limit.
        upper: Real,
    },
    /// A number out of its range.
    #[error("'{what}' must be {allowed}, found {found}")]
    Number {
        /// Which one.
        what: &'static str,
        /// Value that was given.
        found: Real,
        /// The allowed range.
        allowed: &'static str,
    },
    /// An error of a kind from outside this crate.
    #[error("{0}")]
    Other(String),
}
