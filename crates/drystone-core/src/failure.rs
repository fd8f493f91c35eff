use crate::{BodyIndex, Module, UnsupportedPair};
use core::fmt;
use drystone_math::Real;
use thiserror::Error;

/// Why a step could not be finished.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FailureKind {
    /// A position, velocity or force became infinite or not a number.
    #[error("the state is no longer finite")]
    NonFinite,
    /// A force on the body, given by its number in the order in which forces were added, became infinite or not a number.
    #[error("force {0} on it is no longer finite")]
    Force(u32),
    /// The narrow phase has no algorithm for two shapes that met.
    #[error(transparent)]
    Unsupported(#[from] UnsupportedPair),
    /// An orientation lost its unit length, or a script gave one without it.
    #[error("the orientation is no unit quaternion")]
    Orientation,
    /// More pairs of bodies are near each other than there is memory for.
    #[error(
        "{pairs} pairs of bodies are near each other, for which there is no memory; allowed: as many as fit, and at most {most}"
    )]
    TooManyPairs {
        /// Number of pairs found before the search stopped.
        pairs: usize,
        /// Largest number of pairs per step.
        most: usize,
    },
    /// A figure outgrew its bound: the run diverges.
    #[error("{figure} of {found:e} {} exceeds {bound:e} {}; {}", .figure.unit(), .figure.unit(), .figure.advice())]
    Limit {
        /// Which figure.
        figure: LimitedFigure,
        /// Its value.
        found: Real,
        /// The largest value that is allowed.
        bound: Real,
    },
    /// A time control could not make headway within its caps.
    #[error("no progress: {0}")]
    NoProgress(&'static str),
}

/// A figure that stays bounded in a run that does not diverge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LimitedFigure {
    /// Penetration depth of two bodies (m).
    Penetration,
    /// The gap of a joint, given by its number (m).
    JointGap(u32),
    /// Mechanical energy (J).
    Energy,
}

impl LimitedFigure {
    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Penetration | Self::JointGap(_) => "m",
            Self::Energy => "J",
        }
    }
}

impl LimitedFigure {
    /// Advice to the user if the quantity exceeds its bound.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Penetration => "begin with bodies apart, take smaller steps or more iterations, or set wider limits",
            Self::JointGap(_) => {
                "begin with joints that fit, take smaller steps or more iterations, or set wider limits"
            }
            Self::Energy => {
                "bodies that begin within each other gain energy as they part: begin with them apart, take smaller steps, or set wider limits"
            }
        }
    }
}

impl fmt::Display for LimitedFigure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Penetration => f.write_str("penetration"),
            Self::JointGap(joint) => write!(f, "gap of joint {joint}"),
            Self::Energy => f.write_str("energy"),
        }
    }
}

/// A step that failed: what, when, where.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{module} failed at t = {time} s{}: {kind}", .body.map(|b| format!(", body {}", b.0)).unwrap_or_default())]
pub struct StepFailure {
    /// Simulated time (s).
    pub time: Real,
    /// The body concerned, if there is one.
    pub body: Option<BodyIndex>,
    /// The module that was at work.
    pub module: Module,
    /// Kind of the failure.
    pub kind: FailureKind,
}
