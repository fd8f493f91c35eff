//! Joints: adding, replacing, removing, what they bear.

use super::World;
use crate::WorldError;
use drystone_core::{
    BodyId, BodyIndex, BodyPair, ConstraintSource, Joint, JointError, JointId, JointReaction, JointStrength,
};
use drystone_math::Real;

impl World {
    /// Adds a joint between two bodies, or a body and the world (`None`). Its bodies no longer meet.
    ///
    /// # Errors
    /// [`WorldError::JointBodies`], [`WorldError::Missing`].
    pub fn add_joint(
        &mut self,
        bodies: [Option<BodyId>; 2],
        source: Box<dyn ConstraintSource>,
    ) -> Result<JointId, WorldError> {
        let mut indices = [None; 2];
        for (index, body) in indices.iter_mut().zip(bodies) {
            *index = body.map(|b| self.index(b)).transpose()?;
        }
        let moves = |b: &Option<BodyIndex>| b.is_some_and(|b| self.engine.configuration.body(b).is_dynamic());
        if indices[0] == indices[1] || !indices.iter().any(moves) {
            return Err(WorldError::JointBodies);
        }
        if let [Some(a), Some(b)] = indices
            && let Some(pair) = BodyPair::new(a, b)
        {
            self.engine.configuration.ignore(pair);
        }
        for body in indices.into_iter().flatten() {
            self.engine.wake(body);
        }
        self.engine.configuration.joints.push(Joint::new(indices, source));
        let id = self.joints.insert(self.engine.configuration.joints.len() as u32 - 1);
        self.joint_ids.push(id);
        self.edited();
        Ok(id)
    }

    /// Puts another source of rows in the place of a joint's, between the same bodies: another motor speed, other limits.
    ///
    /// # Errors
    /// [`WorldError::Missing`].
    pub fn set_joint(&mut self, joint: JointId, source: Box<dyn ConstraintSource>) -> Result<(), WorldError> {
        let index = *self.joints.get(joint).ok_or(WorldError::Missing("joint"))? as usize;
        let held = &mut self.engine.configuration.joints[index];
        held.source = source;
        for body in held.bodies.into_iter().flatten() {
            self.engine.wake(body);
        }
        Ok(())
    }

    /// Removes a joint.
    ///
    /// # Errors
    /// [`WorldError::Missing`].
    pub fn remove_joint(&mut self, joint: JointId) -> Result<(), WorldError> {
        let index = self.joints.remove(joint).ok_or(WorldError::Missing("joint"))? as usize;
        let removed = self.engine.configuration.joints.remove(index);
        for body in removed.bodies.into_iter().flatten() {
            self.engine.wake(body);
        }
        if index < self.engine.graph.joint_impulses.len() {
            self.engine.graph.joint_impulses.remove(index);
            self.engine.graph.joint_reactions.remove(index);
        }
        self.engine.state.remove_joint(index);
        self.joint_ids.remove(index);
        for (i, id) in self.joint_ids.iter().enumerate() {
            if let Some(j) = self.joints.get_mut(*id) {
                *j = i as u32;
            }
        }
        self.edited();
        Ok(())
    }

    /// Makes a joint breakable: it holds nothing any more from the step on whose reaction is above its strength. Its
    /// bodies still do not meet.
    ///
    /// # Errors
    /// [`WorldError::Missing`]; [`WorldError::OutOfRange`] for a bound that is negative or not a number.
    pub fn set_strength(&mut self, joint: JointId, strength: JointStrength) -> Result<(), WorldError> {
        let index = *self.joints.get(joint).ok_or(WorldError::Missing("joint"))? as usize;
        for (what, found) in [("largest force", strength.force), ("largest torque", strength.torque)] {
            if found.is_nan() || found < 0.0 {
                return Err(WorldError::OutOfRange { what, found, allowed: "zero or more, or infinite" });
            }
        }
        self.engine.configuration.joints[index].strength = strength;
        Ok(())
    }

    /// How far a joint is from where it should be.
    pub fn joint_error(&self, joint: JointId) -> Option<JointError> {
        self.joints.get(joint).map(|&j| self.configuration().joint_error(self.state(), j as usize))
    }

    /// Multipliers of a joint's rows in the last solve (N s, N m s).
    pub fn joint_impulses(&self, joint: JointId) -> Option<&[Real]> {
        let j = *self.joints.get(joint)? as usize;
        self.engine.graph.joint_impulses.get(j).map(smallvec::SmallVec::as_slice)
    }

    /// The reaction of a joint in the last solve; `None` before the first step.
    pub fn joint_reaction(&self, joint: JointId) -> Option<JointReaction> {
        let j = *self.joints.get(joint)? as usize;
        self.engine.graph.joint_reactions.get(j).copied()
    }

    /// Whether a joint has broken.
    pub fn is_broken(&self, joint: JointId) -> Option<bool> {
        self.joints.get(joint).map(|&j| self.engine.state.is_broken(j as usize))
    }

    /// The joints, in the order they were added.
    pub fn joints(&self) -> &[JointId] {
        &self.joint_ids
    }
}
