//! Joints from descriptions, and what can be changed about them while the world runs.

use super::World;
use crate::{Joint, WorldError};
use drystone_core::{BodyId, JointCoordinate, JointId};
use drystone_joints::{JointDescription, JointRecipe, Motor, build};
use drystone_math::{Pose, Real};

impl World {
    /// Makes a joint. Its anchors and axes are fixed to its bodies at their present poses.
    ///
    /// # Errors
    /// [`WorldError::Joint`] if something is missing, crossed, or of no use to this kind of joint; otherwise as [`Self::add_joint`].
    pub fn join(&mut self, joint: Joint) -> Result<JointId, WorldError> {
        let Joint { bodies, description, collide, strength } = joint;
        let mut poses = [Pose::IDENTITY; 2];
        for (pose, body) in poses.iter_mut().zip(bodies) {
            if let Some(body) = body {
                *pose = self.engine.data().state.pose(self.index(body)?);
            }
        }
        check_strength(&strength)?;
        let source = build(&description, &poses[0], &poses[1])?;
        let id = self.add_joint(bodies, source)?;
        self.set_strength(id, strength)?;
        self.set_collide(id, collide)?;
        Ok(id)
    }

    /// Description that a joint was made from, including later changes, if [`Self::join`], a scene or
    /// [`drystone_joints::build`] made it; `None` for any other joint.
    pub fn joint_description(&self, joint: JointId) -> Option<JointDescription<'static>> {
        self.recipe(joint).map(|r| r.description)
    }

    fn recipe(&self, joint: JointId) -> Option<&JointRecipe> {
        let index = *self.joints.get(joint)? as usize;
        JointRecipe::of(self.engine.data().configuration.joints[index].source.as_ref())
    }

    /// Sets the motor of the first coordinate of a joint that has a description ([`Self::joint_description`]); `None` removes it.
    ///
    /// # Errors
    /// [`WorldError::Missing`], also for a joint without a description; [`WorldError::Joint`]. The joint is then unchanged.
    pub fn set_motor(&mut self, joint: JointId, motor: Option<Motor>) -> Result<(), WorldError> {
        self.remake(joint, |d| d.motor = motor)
    }

    /// Sets the motor of the second coordinate.
    ///
    /// # Errors
    /// As [`Self::set_motor`].
    pub fn set_second_motor(&mut self, joint: JointId, motor: Option<Motor>) -> Result<(), WorldError> {
        self.remake(joint, |d| d.motor2 = motor)
    }

    /// Sets the limits of the first coordinate (m or rad); `None` removes them.
    ///
    /// # Errors
    /// As [`Self::set_motor`].
    pub fn set_limits_of(&mut self, joint: JointId, limits: Option<[Real; 2]>) -> Result<(), WorldError> {
        self.remake(joint, |d| d.limits = limits)
    }

    /// Sets the limits of the second coordinate.
    ///
    /// # Errors
    /// As [`Self::set_motor`].
    pub fn set_second_limits_of(&mut self, joint: JointId, limits: Option<[Real; 2]>) -> Result<(), WorldError> {
        self.remake(joint, |d| d.limits2 = limits)
    }

    /// The value of a joint's first free coordinate, and its rate of change; `None` if it has none.
    pub fn joint_coordinate(&self, joint: JointId) -> Option<JointCoordinate> {
        self.coordinate(joint, 1)
    }

    /// The same for the second coordinate.
    pub fn second_joint_coordinate(&self, joint: JointId) -> Option<JointCoordinate> {
        self.coordinate(joint, 2)
    }

    /// The bodies of a joint; `None` as a body is the fixed world.
    pub fn joint_bodies(&self, joint: JointId) -> Option<[Option<BodyId>; 2]> {
        let index = *self.joints.get(joint)? as usize;
        Some(self.engine.data().configuration.joints[index].bodies.map(|b| b.map(|b| self.body_ids[b.at()])))
    }

    fn coordinate(&self, joint: JointId, which: u8) -> Option<JointCoordinate> {
        let index = *self.joints.get(joint)? as usize;
        let held = &self.engine.data().configuration.joints[index];
        let [a, b] = held.bodies.map(|b| self.engine.data().state.body_frame(b));
        held.source.coordinate(which, [&a, &b], self.engine.data().state.joint_memory.of(index))
    }

    fn remake(
        &mut self,
        joint: JointId,
        change: impl FnOnce(&mut JointDescription<'static>),
    ) -> Result<(), WorldError> {
        let mut recipe = *self.recipe(joint).ok_or(WorldError::Missing("joint made from a description"))?;
        change(&mut recipe.description);
        let source = build(&recipe.description, &recipe.poses[0], &recipe.poses[1])?;
        self.set_joint(joint, source)
    }
}

/// Checks that a strength is valid.
pub(super) fn check_strength(strength: &drystone_core::JointStrength) -> Result<(), WorldError> {
    for (what, found) in [("largest force", strength.force), ("largest torque", strength.torque)] {
        if found.is_nan() || found < 0.0 {
            return Err(WorldError::OutOfRange { what, found, allowed: "zero or more, or infinite" });
        }
    }
    Ok(())
}
