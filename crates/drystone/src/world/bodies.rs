//! Bodies: adding and removing them, their poses and velocities.

use super::World;
use crate::{Body, BodyLabel, WorldError};
use drystone_core::{
    BodyId, BodyIndex, BodyKind, BodyProperties, ForceId, Gone, Joint, JointId, MaterialError, Script, ScriptedMotion,
    State,
};
use drystone_math::{Pose, Quat, Twist, Vec3};
use std::sync::Arc;

/// Items removed together with a body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Removed {
    /// Joints that held it.
    pub joints: Vec<JointId>,
    /// Forces that acted on it.
    pub forces: Vec<ForceId>,
}

impl World {
    /// Adds a body; this is possible at any time, also while the world runs (N-03).
    ///
    /// # Errors
    /// [`WorldError`] if a number is not finite, the mass is not positive, a dynamic body has no volume, or its material does not exist.
    pub fn add(&mut self, body: Body) -> Result<BodyId, WorldError> {
        let (properties, center, velocity) = body.build()?;
        self.add_properties(properties, center, velocity)
    }

    /// Adds a body whose properties are already known, for instance from a scene, with the pose of its centre of mass and its velocity.
    ///
    /// # Errors
    /// [`WorldError::Property`] if a mass, a pose or a velocity is not a number or the orientation is not a unit quaternion; [`WorldError::Material`] if its
    /// material does not exist. The world is then unchanged.
    pub fn add_properties(
        &mut self,
        properties: BodyProperties,
        center: Pose,
        velocity: Twist,
    ) -> Result<BodyId, WorldError> {
        if !self.engine.data().configuration.materials.contains(properties.material) {
            return Err(MaterialError::Missing(properties.material.0).into());
        }
        let fault = properties.fault().or_else(|| State::fault_of(&center, &velocity));
        if let Some(what) = fault {
            return Err(WorldError::Property(what));
        }
        let index = BodyIndex::new(self.engine.data().state.len());
        self.engine.edit().configuration.bodies.push(properties);
        self.engine.edit().state.push(center, velocity);
        let id = self.bodies.insert(index);
        self.body_ids.push(id);
        self.edited();
        Ok(id)
    }

    /// Removes a body, together with its joints and with the forces that acted on it alone or between it and something else. What touched it wakes up. Returns what
    /// was removed with it.
    ///
    /// # Errors
    /// [`WorldError::MissingBody`].
    ///
    /// # Cost
    /// One move of each column behind the body's, and one look at each joint and each pair of bodies that are near each other. [`Self::remove_many`] does this once
    /// for any number of bodies.
    pub fn remove(&mut self, body: BodyId) -> Result<Removed, WorldError> {
        self.remove_many(&[body])
    }

    /// Removes bodies as [`Self::remove`] does, all at once. The world is as if they had been removed one after the other; a body that is named twice is removed
    /// once. Touches of theirs end in ascending order of pairs.
    ///
    /// ```
    /// use drystone::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().build()?;
    /// let ball = Body::dynamic(Shape::sphere(0.5)?);
    /// let row: Vec<_> = (0..10).map(|k| world.add(ball.clone().at([f64::from(k), 0.0, 0.0]))).collect::<Result<_, _>>()?;
    /// world.join(Joint::ball(row[3], row[4]).anchor([3.5, 0.0, 0.0]))?;
    /// let removed = world.remove_many(&row[2..8])?;
    /// assert_eq!((world.state().len(), removed.joints.len()), (4, 1));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`WorldError::MissingBody`] for the first body that does not exist. The world is then unchanged.
    ///
    /// # Cost
    /// That of removing the first of them alone, and O(log k) for each joint and pair if there are k.
    pub fn remove_many(&mut self, bodies: &[BodyId]) -> Result<Removed, WorldError> {
        let places: Vec<u32> = bodies.iter().map(|b| Ok(self.index(*b)?.0)).collect::<Result<_, WorldError>>()?;
        let gone = Gone::new(places);
        if gone.is_empty() {
            return Ok(Removed::default());
        }
        let joints = &self.engine.data().configuration.joints;
        let held = |j: &Joint| j.bodies.into_iter().flatten().any(|b| gone.has_body(b));
        let joints = self.take_joints(&Gone::new((0..).zip(joints).filter(|(_, j)| held(j)).map(|(k, _)| k)));
        self.end_touches(&gone);
        self.happenings.remove_bodies(&gone);
        for body in bodies {
            self.bodies.remove(*body);
            self.body_tags.remove(*body);
        }
        let dropped = self.engine.forget_bodies(&gone);
        let forces: Vec<ForceId> = dropped.places().iter().map(|i| self.forces[*i as usize]).collect();
        for &force in &forces {
            self.force_ids.remove(force);
        }
        dropped.close_up(&mut self.forces);
        if !forces.is_empty() {
            self.wake_all();
        }
        gone.close_up(&mut self.body_ids);
        let first = gone.places()[0] as usize;
        for (i, id) in self.body_ids.iter().enumerate().skip(first) {
            if let Some(b) = self.bodies.get_mut(*id) {
                *b = BodyIndex::new(i);
            }
        }
        self.edited();
        Ok(Removed { joints, forces })
    }

    /// The present column of a body, by which forces refer to it. It changes when a body in front of it is removed.
    ///
    /// # Errors
    /// [`WorldError::MissingBody`].
    pub fn body_index(&self, body: BodyId) -> Result<BodyIndex, WorldError> {
        self.index(body)
    }

    pub(super) fn index(&self, body: BodyId) -> Result<BodyIndex, WorldError> {
        self.bodies.get(body).copied().ok_or(WorldError::MissingBody(body))
    }

    /// Attaches the body concerned to an error.
    pub(super) fn about(&self, body: BodyIndex, error: impl Into<WorldError>) -> WorldError {
        let id = self.body_ids[body.at()];
        let name = self.name(id).unwrap_or_default().to_owned();
        WorldError::OfBody { body: BodyLabel { id, name }, error: Box::new(error.into()) }
    }

    /// The position of the body frame's origin (m); `None` for a body that does not exist.
    pub fn position(&self, body: BodyId) -> Option<Vec3> {
        self.pose(body).map(|p| p.position)
    }

    /// The body frame in the world.
    pub fn pose(&self, body: BodyId) -> Option<Pose> {
        let index = *self.bodies.get(body)?;
        Some(self.engine.data().configuration.body(index).frame(&self.engine.data().state.pose(index)))
    }

    /// Velocity of the centre of mass, and angular velocity.
    pub fn velocity(&self, body: BodyId) -> Option<Twist> {
        Some(self.engine.data().state.velocity(*self.bodies.get(body)?))
    }

    /// Returns true if the body is sleepy.
    pub fn is_sleepy(&self, body: BodyId) -> Option<bool> {
        Some(self.engine.data().state.sleepy[self.bodies.get(body)?.at()])
    }

    /// Moves a body to another pose, and wakes it and what touched it or was joined to it.
    ///
    /// # Errors
    /// [`WorldError::MissingBody`], [`WorldError::NotFinite`], [`WorldError::Orientation`].
    pub fn set_pose(&mut self, body: BodyId, position: Vec3, orientation: Quat) -> Result<(), WorldError> {
        let index = self.index(body)?;
        if !position.is_finite() {
            return Err(self.about(index, WorldError::NotFinite { what: "position" }));
        }
        let length = orientation.length();
        if !(length.is_finite() && length > 1e-100) {
            return Err(self.about(index, WorldError::Orientation));
        }
        let frame = Pose::new(position, orientation / length);
        let center = self.engine.data().configuration.body(index).center;
        let center = frame.point(center);
        if !center.is_finite() {
            return Err(self.about(index, WorldError::NotFinite { what: "position of the centre of mass" }));
        }
        self.engine.nudge().wake_neighbours(index);
        self.engine.nudge().state.forget_way(index);
        self.engine.edit().state.set_pose(index, Pose::new(center, frame.orientation));
        self.engine.nudge().wake(index);
        self.limits.forget();
        self.engine.note_disturbance();
        self.engine.note_moved_bodies();
        self.queries.changed();
        Ok(())
    }

    /// Sets a body's velocity, and wakes it and what touched it or was joined to it. A scripted body without a script keeps this velocity, like a body moved by a
    /// device (C-16, N-12); a fixed one stays still.
    ///
    /// # Errors
    /// [`WorldError::MissingBody`], [`WorldError::NotFinite`].
    pub fn set_velocity(&mut self, body: BodyId, velocity: Twist) -> Result<(), WorldError> {
        let index = self.index(body)?;
        if !velocity.is_finite() {
            return Err(self.about(index, WorldError::NotFinite { what: "velocity" }));
        }
        if self.engine.data().configuration.body(index).kind != BodyKind::Fixed {
            if velocity != self.engine.data().state.velocity(index) {
                self.engine.nudge().wake_neighbours(index);
            }
            self.engine.nudge().state.forget_way(index);
            self.engine.nudge().state.set_velocity(index, velocity);
            self.limits.forget();
            self.engine.note_disturbance();
            self.engine.nudge().wake(index);
        }
        Ok(())
    }

    /// Takes a dynamic body out of the world without forgetting it, or brings it back. A passive body collides with nothing, does not move and is not counted.
    /// Bringing it back allocates nothing, so that debris can be made in advance (H-07).
    ///
    /// # Errors
    /// [`WorldError::MissingBody`]; [`WorldError::NotDynamic`] for a fixed or scripted body.
    pub fn set_passive(&mut self, body: BodyId, passive: bool) -> Result<(), WorldError> {
        let index = self.index(body)?;
        let kind = &mut self.engine.edit().configuration.bodies[index.at()].kind;
        match *kind {
            BodyKind::Dynamic | BodyKind::Passive => {
                *kind = if passive { BodyKind::Passive } else { BodyKind::Dynamic }
            }
            BodyKind::Fixed | BodyKind::Scripted => return Err(self.about(index, WorldError::NotDynamic)),
        }
        self.engine.nudge().wake_neighbours(index);
        self.engine.nudge().wake(index);
        self.limits.forget();
        self.engine.note_moved_bodies();
        self.queries.changed();
        Ok(())
    }

    /// Gives a scripted body its motion, replacing its script if it has one. The script's orientations must be unit quaternions: a step in which one is not fails.
    ///
    /// # Errors
    /// [`WorldError::MissingBody`]; [`WorldError::NotScripted`] for a dynamic or fixed body.
    pub fn add_script(&mut self, body: BodyId, motion: impl ScriptedMotion + 'static) -> Result<(), WorldError> {
        let body = self.index(body)?;
        if self.engine.data().configuration.body(body).kind != BodyKind::Scripted {
            return Err(self.about(body, WorldError::NotScripted));
        }
        self.engine.nudge().wake_neighbours(body);
        let scripts = &mut self.engine.edit().configuration.scripts;
        scripts.retain(|s| s.body != body);
        scripts.push(Script { body, motion: Arc::new(motion) });
        self.edited();
        Ok(())
    }
}
