use crate::JointDescription;
use drystone_math::Pose;

/// Description from which [`crate::build`] made a joint. A joint made from it again is anchored in its bodies as
/// before, wherever they are now, and has the same bits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointRecipe {
    /// The description.
    pub description: JointDescription<'static>,
    /// The poses of the bodies' centres of mass to which the description refers; the identity for the world.
    pub poses: [Pose; 2],
}
