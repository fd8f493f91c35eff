use crate::{BodyPair, ClosingBound};
use drystone_math::Real;

/// What a detection says about a pair, with a bound on how its bodies come nearer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairRecord {
    /// The bodies.
    pub pair: BodyPair,
    /// Signed distance (m), or a lower bound on it if they are far apart.
    pub distance: Real,
    /// How fast it can close.
    pub bound: ClosingBound,
    /// How fast the closest points approach each other (m/s); negative if they part.
    pub approach: Real,
    /// Half the thickness of the one and half that of the other (m): before the two have come closer by as much beyond touching, neither has passed through the other.
    pub thickness: Real,
    /// How far the two can come in the time that was looked ahead, each by itself (m).
    pub ways: Real,
    /// Which of the two bodies impulses move.
    pub moves: [bool; 2],
    /// Whether there are contact points between them.
    pub held: bool,
    /// Whether the deepest contact point already existed before this detection.
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
