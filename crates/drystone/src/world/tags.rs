//! The user's names and data, and iterators over bodies and joints.

use super::World;
use crate::WorldError;
use drystone_core::{BodyId, BodyKind, JointId, JointReaction};
use drystone_math::{Pose, Twist};
use slotmap::{Key, SecondaryMap};

/// User data of bodies or joints.
#[derive(Debug, Clone, Default)]
pub(super) struct Tags<K: Key> {
    entries: SecondaryMap<K, Tag>,
}

#[derive(Debug, Clone, Default)]
struct Tag {
    name: String,
    data: u128,
}

impl<K: Key> Tags<K> {
    fn entry(&mut self, key: K) -> Option<&mut Tag> {
        self.entries.entry(key).map(slotmap::secondary::Entry::or_default)
    }

    fn name(&self, key: K) -> &str {
        self.entries.get(key).map_or("", |t| t.name.as_str())
    }

    fn data(&self, key: K) -> u128 {
        self.entries.get(key).map_or(0, |t| t.data)
    }

    pub(super) fn remove(&mut self, key: K) {
        self.entries.remove(key);
    }
}

/// The present state of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct BodyView<'w> {
    /// Its key.
    pub id: BodyId,
    /// Its name; empty if it has none.
    pub name: &'w str,
    /// The user's data; zero if there is none.
    pub user_data: u128,
    /// Who owns its motion.
    pub kind: BodyKind,
    /// The body frame in the world.
    pub pose: Pose,
    /// Velocity of the centre of mass, and angular velocity.
    pub velocity: Twist,
    /// True if the body sleeps.
    pub asleep: bool,
}

/// The present state of a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct JointView<'w> {
    /// Its key.
    pub id: JointId,
    /// Its name; empty if it has none.
    pub name: &'w str,
    /// The user's data; zero if there is none.
    pub user_data: u128,
    /// Its kind, as in scene files.
    pub kind: &'static str,
    /// Its bodies; `None` is the fixed world frame.
    pub bodies: [Option<BodyId>; 2],
    /// Its reaction in the last solve; zero before the first.
    pub reaction: JointReaction,
    /// True if the joint has broken.
    pub broken: bool,
}

impl World {
    /// The present state of each body, in the order in which they were added.
    ///
    /// ```
    /// use drystone::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().build()?;
    /// let ball = world.add(Body::dynamic(Shape::sphere(0.1)?).at([0.0, 2.0, 0.0]))?;
    /// world.set_name(ball, "ball")?;
    /// world.set_user_data(ball, 0xcafe)?;
    /// world.advance(0.01)?;
    /// let falling: Vec<_> = world.iter_bodies().filter(|b| b.velocity.linear.y < 0.0).map(|b| (b.name, b.user_data)).collect();
    /// assert_eq!(falling, [("ball", 0xcafe)]);
    /// assert_eq!(world.body_named("ball"), Some(ball));
    /// # Ok(())
    /// # }
    /// ```
    pub fn iter_bodies(&self) -> impl Iterator<Item = BodyView<'_>> {
        self.body_ids.iter().zip(&self.engine.data().configuration.bodies).enumerate().map(|(i, (&id, body))| {
            let (index, state) = (drystone_core::BodyIndex::new(i), &self.engine.data().state);
            BodyView {
                id,
                name: self.body_tags.name(id),
                user_data: self.body_tags.data(id),
                kind: body.kind,
                pose: body.frame(&state.pose(index)),
                velocity: state.velocity(index),
                asleep: state.sleeping[i],
            }
        })
    }

    /// The present state of each joint, in the order in which they were added.
    pub fn iter_joints(&self) -> impl Iterator<Item = JointView<'_>> {
        self.joint_ids.iter().zip(&self.engine.data().configuration.joints).enumerate().map(|(i, (&id, joint))| {
            JointView {
                id,
                name: self.joint_tags.name(id),
                user_data: self.joint_tags.data(id),
                kind: joint.source.kind(),
                bodies: joint.bodies.map(|b| b.map(|b| self.body_ids[b.at()])),
                reaction: self.engine.data().graph.joint_reactions.get(i).copied().unwrap_or_default(),
                broken: self.engine.data().state.is_broken(i),
            }
        })
    }

    /// Names a body. Names need not be unique.
    ///
    /// # Errors
    /// [`WorldError::MissingBody`].
    pub fn set_name(&mut self, body: BodyId, name: impl Into<String>) -> Result<(), WorldError> {
        self.index(body)?;
        self.body_tags.entry(body).ok_or(WorldError::MissingBody(body))?.name = name.into();
        self.engine.forget_kept();
        Ok(())
    }

    /// A body's name, empty if it has none; `None` if the body does not exist.
    pub fn name(&self, body: BodyId) -> Option<&str> {
        self.bodies.get(body).map(|_| self.body_tags.name(body))
    }

    /// The body with this name; if several have it, the first that was added.
    pub fn body_named(&self, name: &str) -> Option<BodyId> {
        self.body_ids.iter().copied().find(|b| self.body_tags.name(*b) == name)
    }

    /// Attaches 128 bits of the user's data to a body.
    ///
    /// # Errors
    /// [`WorldError::MissingBody`].
    pub fn set_user_data(&mut self, body: BodyId, data: u128) -> Result<(), WorldError> {
        self.index(body)?;
        self.body_tags.entry(body).ok_or(WorldError::MissingBody(body))?.data = data;
        self.engine.forget_kept();
        Ok(())
    }

    /// The data attached to a body, zero if there is none; `None` if the body does not exist.
    pub fn user_data(&self, body: BodyId) -> Option<u128> {
        self.bodies.get(body).map(|_| self.body_tags.data(body))
    }

    /// Names a joint, and attaches 128 bits to it.
    ///
    /// # Errors
    /// [`WorldError::Missing`].
    pub fn tag_joint(&mut self, joint: JointId, name: impl Into<String>, data: u128) -> Result<(), WorldError> {
        let missing = WorldError::Missing("joint");
        if !self.joints.contains_key(joint) {
            return Err(missing);
        }
        *self.joint_tags.entry(joint).ok_or(missing)? = Tag { name: name.into(), data };
        self.engine.forget_kept();
        Ok(())
    }

    /// The joint with this name; if several have it, the first that was added.
    pub fn joint_named(&self, name: &str) -> Option<JointId> {
        self.joint_ids.iter().copied().find(|j| self.joint_tags.name(*j) == name)
    }
}
