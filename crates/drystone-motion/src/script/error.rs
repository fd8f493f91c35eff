use drystone_math::Real;
use thiserror::Error;

/// Why a script cannot be built.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// Too few points, keys or knots.
    #[error("{what}: found {found}, needed {needed}")]
    Count {
        /// Of what.
        what: &'static str,
        /// Number that was given.
        found: usize,
        /// Number that is needed.
        needed: &'static str,
    },
    /// A number is not finite.
    #[error("{what}[{index}] is not finite")]
    NonFinite {
        /// Of what.
        what: &'static str,
        /// Which one.
        index: usize,
    },
    /// Values that must rise do not.
    #[error("{what}[{index}] = {found} must be {needed} the one before, {before}")]
    Order {
        /// Of what.
        what: &'static str,
        /// Which one.
        index: usize,
        /// Value that was given.
        found: Real,
        /// Value before it.
        before: Real,
        /// Required relation to it.
        needed: &'static str,
    },
    /// A knot occurs so often within the spline that the curve would break there.
    #[error("knot {value} occurs {found} times within the spline; at most 3")]
    Multiplicity {
        /// The knot.
        value: Real,
        /// Number of occurrences.
        found: usize,
    },
    /// A path without length.
    #[error("the path has no length")]
    NoLength,
    /// A path that is too long for its length to be computed.
    #[error("the path is longer than {most:e} m: move its control points nearer to each other")]
    TooLong {
        /// Greatest length of its control polygon (m).
        most: Real,
    },
    /// A path whose derivative vanishes, or may vanish.
    #[error(
        "between {from} m and {to} m along the path its derivative vanishes, or nearly: a cusp; move a control point, or split it there"
    )]
    Cusp {
        /// Arc length at which the piece with the cusp begins (m).
        from: Real,
        /// And where it ends (m).
        to: Real,
    },
    /// Orientations so far apart that no interpolation was found.
    #[error("no rotation spline through the keys was found: still off by {off} rad; add keys in between")]
    Rotation {
        /// Deviation.
        off: Real,
    },
}

/// Fails at the first value that is not above the one before.
pub(crate) fn rising(what: &'static str, values: impl IntoIterator<Item = Real>) -> Result<(), ScriptError> {
    let mut before = Real::NEG_INFINITY;
    for (index, found) in values.into_iter().enumerate() {
        if !found.is_finite() {
            return Err(ScriptError::NonFinite { what, index });
        }
        if found <= before {
            return Err(ScriptError::Order { what, index, found, before, needed: "above" });
        }
        before = found;
    }
    Ok(())
}
