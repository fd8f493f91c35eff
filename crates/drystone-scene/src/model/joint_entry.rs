use crate::fault::Location;
use drystone_core::catalogue::Settings;
use drystone_core::{ConstraintSource, JointStrength};
use drystone_joints::{JointBuildError, JointDescription, JointMaker};
use drystone_math::Pose;

/// An entry of `[[joints]]`; a repeated one is an entry a copy.
#[derive(Debug, Clone, PartialEq)]
pub struct JointEntry {
    /// Its name; empty where it has none.
    pub name: String,
    /// Columns of the two bodies; `None` is the fixed world frame.
    pub bodies: [Option<usize>; 2],
    /// Poses of the two bodies' centres of mass to which the description refers: `made_at`, else the initial ones.
    pub poses: [Pose; 2],
    /// User data; zero if none.
    pub user_data: u128,
    /// Description of the joint.
    pub description: JointDescription<'static>,
    /// Maker and settings of a kind from outside.
    pub outside: Option<(JointMaker, Settings)>,
    /// Load at which it breaks: `break_force`, `break_torque`.
    pub strength: JointStrength,
    /// True if its bodies collide with each other.
    pub collide: bool,
    /// Its place in the scene.
    pub location: Location,
}

impl JointEntry {
    /// The source of its rows.
    ///
    /// # Errors
    /// [`JointBuildError`]; none for a joint of a scene that was read.
    pub fn source(&self) -> Result<Box<dyn ConstraintSource>, JointBuildError> {
        let [a, b] = &self.poses;
        match &self.outside {
            Some((maker, settings)) => (maker.make)(&self.description, [a, b], settings),
            None => drystone_joints::build(&self.description, a, b),
        }
    }
}
