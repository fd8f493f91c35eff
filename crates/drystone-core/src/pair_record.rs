use crate::{BodyPair, ClosingBound};
use drystone_math::Real;

/// Result of a detection for a pair, with a bound on how its bodies approach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairRecord {
    /// The bodies.
    pub pair: BodyPair,
    /// Signed distance (m), or a lower bound on it if they are far apart.
    pub distance: Real,
    /// Bound on the closing of the pair.
    pub bound: ClosingBound,
    /// Closing speed of the closest points (m/s); negative if they separate.
    pub approach: Real,
    /// Half the thickness of the one and half that of the other (m): before the two have come closer by as much beyond touching, neither has passed through the other.
    pub thickness: Real,
    /// Bound on the sum of both bodies' displacements in the look-ahead time (m).
    pub ways: Real,
    /// Which of the two bodies impulses move.
    pub moves: [bool; 2],
    /// True if there are contact points between them.
    pub held: bool,
    /// True if the deepest contact point already existed before this detection.
    pub known: bool,
}

impl PairRecord {
    /// Before this time (s) from now the bodies do not meet, as long as nothing but what was known acts on them.
    pub fn not_before(&self) -> Real {
        self.bound.not_before(self.distance)
    }

    /// Before this time (s) from now neither body has passed through the other, under the same condition.
    pub fn not_through_before(&self) -> Real {
        self.bound.not_before(self.distance.max(0.0) + self.thickness)
    }
}
