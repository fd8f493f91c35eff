use crate::{JointBuildError, JointDescription};
use drystone_core::ConstraintSource;
use drystone_core::catalogue::{Implementation, Settings};
use drystone_math::Pose;
use std::sync::Arc;

/// Makes a joint's source of rows from its description, the initial poses of its bodies' centres of mass (the identity for the world) and the
/// kind's own settings.
pub type MakeJoint = dyn Fn(&JointDescription<'_>, [&Pose; 2], &Settings) -> Result<Box<dyn ConstraintSource>, JointBuildError>
    + Send
    + Sync;

/// A kind of joint from outside this crate, as scene files name it.
///
/// Its keys are the parameters of its description, plus those of a [`JointDescription`] that apply to any joint: anchors, axes, `erp` and `cfm`. It uses
/// those that it needs, and reports a missing required one with [`JointBuildError::Missing`].
#[derive(Clone)]
pub struct JointMaker {
    /// Its name and parameters.
    pub described: Implementation,
    /// True if its bodies collide with each other unless a scene says otherwise.
    pub collides: bool,
    /// The function that makes it.
    pub make: Arc<MakeJoint>,
}

impl JointMaker {
    /// The keys that a joint of any kind has in a scene; no parameter may have one of these names.
    pub const KEYS: [&'static str; 13] = [
        "name",
        "kind",
        "bodies",
        "anchor",
        "anchor2",
        "axis",
        "axis2",
        "erp",
        "cfm",
        "break_force",
        "break_torque",
        "collide",
        "repeat",
    ];
}

impl core::fmt::Debug for JointMaker {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("JointMaker").field("described", &self.described).finish_non_exhaustive()
    }
}

impl PartialEq for JointMaker {
    fn eq(&self, other: &Self) -> bool {
        self.described == other.described && Arc::ptr_eq(&self.make, &other.make)
    }
}
