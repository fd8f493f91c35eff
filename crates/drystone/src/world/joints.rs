//! Joints: adding, replacing, removing, what they bear.

use super::World;
use super::joining::check_strength;
use crate::WorldError;
use crate::kernel::WorldData;
use drystone_core::{
    BodyId, BodyIndex, BodyPair, ConstraintSource, Joint, JointError, JointId, JointReaction, JointStrength,
};
use drystone_math::Real;

impl World {
    /// Adds a joint between two bodies, or a body and the world (`None`). Its bodies do not meet as long as it is there;
    /// [`Self::unignore_pair`] lets them.
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

    /// Puts another source of rows in the place of a joint's, between the same bodies: another motor speed, other limits. One of the same
    /// kind that remembers as many values goes on with those: an angle keeps its full turns.
    /// What the joint remembered is forgotten.
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

    /// Lets the bodies of a joint meet, or keeps them from it, as far as this joint is concerned: `collide` of a scene's joint.
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

    /// Removes a joint. Its bodies meet again, unless another joint or [`Self::ignore_pair`] keeps them from it.
    ///
    /// # Errors
    /// [`WorldError::Missing`].
    pub fn remove_joint(&mut self, joint: JointId) -> Result<(), WorldError> {
        let index = self.joints.remove(joint).ok_or(WorldError::Missing("joint"))? as usize;
        self.engine.edit().forget_forces();
        let removed = self.engine.edit().configuration.joints.remove(index);
        for body in removed.bodies.into_iter().flatten() {
            self.engine.edit().wake(body);
        }
        if let (true, Some(pair)) = (removed.insulates, removed.pair()) {
            self.engine.edit().configuration.ignored_pairs.remove_joint(pair);
        }
        if index < self.engine.data().graph.joint_impulses.len() {
            self.engine.edit().graph.joint_impulses.remove(index);
            self.engine.edit().graph.joint_reactions.remove(index);
        }
        if index < self.engine.data().graph.joint_stiffness.len() {
            self.engine.edit().graph.joint_stiffness.remove(index);
        }
        self.engine.edit().state.remove_joint(index);
        self.happenings.remove_joint(index as u32);
        self.joint_ids.remove(index);
        self.joint_tags.remove(joint);
        self.recipes.remove(joint);
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
        check_strength(&strength)?;
        let held = &mut self.engine.edit().configuration.joints[index];
        held.strength = strength;
        for body in held.bodies.into_iter().flatten() {
            self.engine.edit().wake(body);
        }
        Ok(())
    }

    /// Mends a broken joint: it holds again from the next step on, and draws its bodies together where they went apart.
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
        // what it bore when it broke is no start value
        if let Some(known) = self.engine.edit().graph.joint_impulses.get_mut(index) {
            known.clear();
        }
        if let Some(known) = self.engine.edit().graph.joint_stiffness.get_mut(index) {
            known.clear();
        }
        Ok(())
    }

    /// Keeps two bodies from meeting, whatever joints are between them.
    ///
    /// # Errors
    /// [`WorldError::Missing`]; [`WorldError::SameBody`] for a body and itself.
    pub fn ignore_pair(&mut self, one: BodyId, other: BodyId) -> Result<(), WorldError> {
        let pair = self.pair(one, other)?;
        self.engine.edit().configuration.ignore(pair);
        Ok(())
    }

    /// Lets two bodies meet, also where a joint between them kept them from it.
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

    /// Whether two bodies are kept from meeting, by a rule or by a joint; `None` where one of them does not exist.
    pub fn is_pair_ignored(&self, one: BodyId, other: BodyId) -> Option<bool> {
        let pair = BodyPair::new(self.index(one).ok()?, self.index(other).ok()?)?;
        Some(self.engine.data().configuration.ignores(pair))
    }

    /// Two different bodies as a pair, both awake: what holds between them is about to change.
    fn pair(&mut self, one: BodyId, other: BodyId) -> Result<BodyPair, WorldError> {
        let (one, other) = (self.index(one)?, self.index(other)?);
        let pair = BodyPair::new(one, other).ok_or(WorldError::SameBody)?;
        self.engine.edit().wake(one);
        self.engine.edit().wake(other);
        Ok(pair)
    }

    /// How far a joint is from where it should be.
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

    /// Whether a joint has broken.
    pub fn is_broken(&self, joint: JointId) -> Option<bool> {
        self.joints.get(joint).map(|&j| self.engine.data().state.is_broken(j as usize))
    }

    /// The joints, in the order they were added.
    pub fn joints(&self) -> &[JointId] {
        &self.joint_ids
    }
}
