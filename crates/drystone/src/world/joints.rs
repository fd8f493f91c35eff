//! Joints: adding, replacing and removing them, and the loads that they bear.

use super::World;
use super::joining::check_strength;
use crate::WorldError;
use crate::kernel::WorldData;
use drystone_core::{
    BodyId, BodyIndex, BodyPair, ConstraintSource, Gone, Joint, JointError, JointId, JointReaction, JointStrength,
};
use drystone_math::Real;

impl World {
    /// Adds a joint between two bodies, or a body and the world (`None`). Its bodies do not collide with each other while it exists, unless [`Self::unignore_pair`] lets them.
    ///
    /// # Errors
    /// [`WorldError::JointBodies`], [`WorldError::MissingBody`].
    pub fn add_joint(
        &mut self,
        bodies: [Option<BodyId>; 2],
        source: Box<dyn ConstraintSource>,
    ) -> Result<JointId, WorldError> {
        let mut indices = [None; 2];
        for (index, body) in indices.iter_mut().zip(bodies) {
            *index = body.map(|b| self.index(b)).transpose()?;
        }
        let moves = |b: &Option<BodyIndex>| b.is_some_and(|b| self.engine.data().configuration.body(b).is_dynamic());
        if indices[0] == indices[1] || !indices.iter().any(moves) {
            return Err(WorldError::JointBodies);
        }
        for body in indices.into_iter().flatten() {
            self.engine.edit().wake(body);
        }
        self.engine.edit().state.joint_memory.push(source.memory_len());
        self.engine.edit().forget_forces();
        self.engine.edit().configuration.add_insulating_joint(Joint::new(indices, source));
        let id = self.joints.insert(self.engine.data().configuration.joints.len() as u32 - 1);
        self.joint_ids.push(id);
        self.edited();
        Ok(id)
    }

    /// Replaces a joint's source of rows by another one between the same bodies, with another motor speed or other limits, for instance. A source of the same kind
    /// that remembers as many values takes over what the former one remembered, so that an angle keeps its full turns; otherwise it is forgotten.
    ///
    /// # Errors
    /// [`WorldError::Missing`].
    pub fn set_joint(&mut self, joint: JointId, source: Box<dyn ConstraintSource>) -> Result<(), WorldError> {
        self.limits.forget();
        let index = *self.joints.get(joint).ok_or(WorldError::Missing("joint"))? as usize;
        let WorldData { configuration, state, .. } = self.engine.edit();
        let held = &mut configuration.joints[index];
        if held.source.kind() != source.kind() || held.source.memory_len() != source.memory_len() {
            state.joint_memory.replace(index, source.memory_len());
        }
        held.source = source.into();
        for body in held.bodies.into_iter().flatten() {
            self.engine.edit().wake(body);
        }
        Ok(())
    }

    /// Sets whether the bodies of a joint collide with each other, as far as this joint is concerned: `collide` of a joint in a scene.
    ///
    /// # Errors
    /// [`WorldError::Missing`].
    pub fn set_collide(&mut self, joint: JointId, collide: bool) -> Result<(), WorldError> {
        let index = *self.joints.get(joint).ok_or(WorldError::Missing("joint"))? as usize;
        let configuration = &mut self.engine.edit().configuration;
        let held = &mut configuration.joints[index];
        let Some(pair) = held.pair().filter(|_| held.insulates == collide) else { return Ok(()) };
        held.insulates = !collide;
        if collide {
            configuration.ignored_pairs.remove_joint(pair);
        } else {
            configuration.ignored_pairs.add_joint(pair);
        }
        self.engine.edit().wake(pair.a);
        self.engine.edit().wake(pair.b);
        Ok(())
    }

    /// Removes a joint. Its bodies collide again, unless another joint or [`Self::ignore_pair`] prevents it.
    ///
    /// # Errors
    /// [`WorldError::Missing`].
    pub fn remove_joint(&mut self, joint: JointId) -> Result<(), WorldError> {
        let index = *self.joints.get(joint).ok_or(WorldError::Missing("joint"))?;
        self.take_joints(&Gone::new([index]));
        self.edited();
        Ok(())
    }

    /// Removes joints, all at once, and returns which they were.
    pub(super) fn take_joints(&mut self, gone: &Gone) -> Vec<JointId> {
        if gone.is_empty() {
            return Vec::new();
        }
        let joints: Vec<JointId> = gone.places().iter().map(|k| self.joint_ids[*k as usize]).collect();
        self.engine.edit().forget_joints(gone);
        self.happenings.remove_joints(gone);
        for joint in &joints {
            self.joints.remove(*joint);
            self.joint_tags.remove(*joint);
        }
        gone.close_up(&mut self.joint_ids);
        let first = gone.places()[0] as usize;
        for (i, id) in self.joint_ids.iter().enumerate().skip(first) {
            if let Some(j) = self.joints.get_mut(*id) {
                *j = i as u32;
            }
        }
        joints
    }

    /// Makes a joint breakable: once its reaction in a step exceeds its strength, it holds nothing any more. Its bodies still do not collide.
    ///
    /// # Errors
    /// [`WorldError::Missing`]; [`WorldError::OutOfRange`] for a bound that is negative or not a number.
    pub fn set_strength(&mut self, joint: JointId, strength: JointStrength) -> Result<(), WorldError> {
        let index = *self.joints.get(joint).ok_or(WorldError::Missing("joint"))? as usize;
        check_strength(&strength)?;
        let held = &mut self.engine.edit().configuration.joints[index];
        held.strength = strength;
        for body in held.bodies.into_iter().flatten() {
            self.engine.edit().wake(body);
        }
        Ok(())
    }

    /// Mends a broken joint: it holds again from the next step on, and pulls its bodies together if they have moved apart.
    ///
    /// # Errors
    /// [`WorldError::Missing`]; [`WorldError::NotBroken`].
    pub fn mend_joint(&mut self, joint: JointId) -> Result<(), WorldError> {
        let index = *self.joints.get(joint).ok_or(WorldError::Missing("joint"))? as usize;
        if !self.engine.edit().state.mend_joint(index) {
            return Err(WorldError::NotBroken);
        }
        self.happenings.mend_joint(index as u32);
        for body in self.engine.data().configuration.joints[index].bodies.into_iter().flatten() {
            self.engine.edit().wake(body);
        }
        // what it bore when it broke is no good start value
        if let Some(known) = self.engine.edit().graph.joint_impulses.get_mut(index) {
            known.clear();
        }
        if let Some(known) = self.engine.edit().graph.joint_stiffness.get_mut(index) {
            known.clear();
        }
        Ok(())
    }

    /// Keeps two bodies from colliding, whatever joints are between them.
    ///
    /// # Errors
    /// [`WorldError::Missing`]; [`WorldError::SameBody`] for a body and itself.
    pub fn ignore_pair(&mut self, one: BodyId, other: BodyId) -> Result<(), WorldError> {
        let pair = self.pair(one, other)?;
        self.engine.edit().configuration.ignore(pair);
        Ok(())
    }

    /// Lets two bodies collide, even if a joint between them prevented it.
    ///
    /// # Errors
    /// As [`Self::ignore_pair`].
    pub fn unignore_pair(&mut self, one: BodyId, other: BodyId) -> Result<(), WorldError> {
        let pair = self.pair(one, other)?;
        let configuration = &mut self.engine.edit().configuration;
        configuration.ignored_pairs.remove(pair);
        for joint in configuration.joints.iter_mut().filter(|j| j.pair() == Some(pair)) {
            joint.insulates = false;
        }
        Ok(())
    }

    /// Returns true if two bodies are kept from colliding, by a rule or by a joint; `None` if one of them does not
    /// exist.
    pub fn is_pair_ignored(&self, one: BodyId, other: BodyId) -> Option<bool> {
        let pair = BodyPair::new(self.index(one).ok()?, self.index(other).ok()?)?;
        Some(self.engine.data().configuration.ignores(pair))
    }

    /// Two different bodies as a pair, both woken because what holds between them is about to change.
    fn pair(&mut self, one: BodyId, other: BodyId) -> Result<BodyPair, WorldError> {
        let (one, other) = (self.index(one)?, self.index(other)?);
        let pair = BodyPair::new(one, other).ok_or(WorldError::SameBody)?;
        self.engine.edit().wake(one);
        self.engine.edit().wake(other);
        Ok(pair)
    }

    /// Position error of a joint.
    pub fn joint_error(&self, joint: JointId) -> Option<JointError> {
        self.joints.get(joint).map(|&j| self.configuration().joint_error(self.state(), j as usize))
    }

    /// Multipliers of a joint's rows in the last solve (N s, N m s).
    pub fn joint_impulses(&self, joint: JointId) -> Option<&[Real]> {
        let j = *self.joints.get(joint)? as usize;
        self.engine.data().graph.joint_impulses.get(j).map(smallvec::SmallVec::as_slice)
    }

    /// The reaction of a joint in the last solve; `None` before the first step.
    pub fn joint_reaction(&self, joint: JointId) -> Option<JointReaction> {
        let j = *self.joints.get(joint)? as usize;
        self.engine.data().graph.joint_reactions.get(j).copied()
    }

    /// Returns true if a joint has broken.
    pub fn is_broken(&self, joint: JointId) -> Option<bool> {
        self.joints.get(joint).map(|&j| self.engine.data().state.is_broken(j as usize))
    }

    /// The joints, in the order in which they were added.
    pub fn joints(&self) -> &[JointId] {
        &self.joint_ids
    }
}
