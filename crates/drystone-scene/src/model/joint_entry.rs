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
    /// What a program attached to it; zero if nothing.
    pub user_data: u128,
    /// What it is.
    pub description: JointDescription<'static>,
    /// What makes it and the settings of its kind, where the kind is from outside.
    pub outside: Option<(JointMaker, Settings)>,
    /// What it bears before it breaks: `break_force`, `break_torque`.
    pub strength: JointStrength,
    /// Whether its bodies meet each other.
    pub collide: bool,
    /// Where it stands in the scene.
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
