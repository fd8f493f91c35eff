use thiserror::Error;

/// Why a shape cannot be built.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A length that must be finite and above zero is not.
    #[error("{what} must be a finite length above zero, found {found}")]
    NotPositive {
        /// The parameter, by its name in the scene format.
        what: &'static str,
        /// Its value.
        found: f64,
    },
    /// A number that must be finite is not.
    #[error("{what} must be finite, found {found}")]
    NotFinite {
        /// The parameter.
        what: &'static str,
        /// Its value.
        found: f64,
    },
    /// Points that span no volume.
    #[error("{points} points span no volume")]
    Flat {
        /// Number of points.
        points: usize,
    },
    /// A compound without parts.
    #[error("a compound needs at least one part")]
    NoParts,
    /// A part that cannot be in a compound.
    #[error("part {part}, a {kind}, is unbounded, a compound itself, or placed at a pose that is not finite")]
    Part {
        /// Its number.
        part: usize,
        /// Its kind.
        kind: &'static str,
    },
    /// A direction of no length.
    #[error("{what} must have a length above zero")]
    ZeroDirection {
        /// The parameter.
        what: &'static str,
    },
}

/// `Ok` if `found` is a finite length above zero.
pub(crate) fn positive(what: &'static str, found: f64) -> Result<f64, ShapeError> {
    // the square must not vanish or overflow either: inertia needs it
    if found.is_finite() && found > 1e-100 && found < 1e100 {
        Ok(found)
    } else {
        Err(ShapeError::NotPositive { what, found })
    }
}
