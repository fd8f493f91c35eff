use crate::{BodyIndex, BodyPair, ConstraintSource};
use drystone_math::{Real, Vec3};
use std::sync::Arc;

/// A constraint between two bodies that persists: a joint with its limits and motors.
#[derive(Clone)]
pub struct Joint {
    /// The bodies it holds; `None` is the fixed world frame.
    pub bodies: [Option<BodyIndex>; 2],
    /// Constraint of the joint: the motion that it allows and drives.
    pub source: Arc<dyn ConstraintSource>,
    /// Load at which it breaks.
    pub strength: JointStrength,
    /// True if its two bodies do not collide; the pair is then counted in [`crate::Configuration::ignored_pairs`].
    pub insulates: bool,
}

impl Joint {
    /// A joint that does not break, between bodies that may meet.
    pub fn new(bodies: [Option<BodyIndex>; 2], source: Box<dyn ConstraintSource>) -> Self {
        Self { bodies, source: source.into(), strength: JointStrength::UNBREAKABLE, insulates: false }
    }

    /// Its bodies as a pair; `None` if one of them is the world frame.
    pub fn pair(&self) -> Option<BodyPair> {
        match self.bodies {
            [Some(a), Some(b)] => BodyPair::new(a, b),
            _ => None,
        }
    }
}

/// The reaction above which a joint breaks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointStrength {
    /// Largest force (N), zero or more; infinite for no limit.
    pub force: Real,
    /// Largest torque about the anchor (N m), likewise.
    pub torque: Real,
}

impl JointStrength {
    /// Bears everything.
    pub const UNBREAKABLE: Self = Self { force: Real::INFINITY, torque: Real::INFINITY };

    /// Returns true if the joint withstands the reaction.
    pub fn bears(&self, reaction: &JointReaction) -> bool {
        reaction.force.length() <= self.force && reaction.torque.length() <= self.torque
    }
}

/// Wrench of a joint on its second body over the last solve, world frame: `J^T lambda / h`, motors and limits included.
/// The first body has the opposite.
// G-03
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JointReaction {
    /// Mean force over the step (N).
    pub force: Vec3,
    /// Mean torque about `point` (N m).
    pub torque: Vec3,
    /// The joint's anchor at the start of the step, or the second body's centre of mass if the joint has none (m).
    pub point: Vec3,
}
