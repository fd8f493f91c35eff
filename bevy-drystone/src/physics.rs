use bevy_ecs::entity::Entity;
use bevy_ecs::message::Message;
use bevy_ecs::resource::Resource;
use drystone::core::{BodyId, JointId, Material, MaterialIndex};
use drystone::{Event, World, WorldError};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The world that is stepped, and which entity is which body.
#[derive(Resource)]
pub struct Physics {
    // a world can be sent to another thread, but not looked at by two at once
    world: Mutex<World>,
    pub(crate) bodies: BTreeMap<BodyId, Entity>,
    pub(crate) joints: BTreeMap<JointId, Entity>,
    /// Surfaces that bodies have, each once.
    surfaces: Vec<(Material, MaterialIndex)>,
    pub(crate) failure: Option<WorldError>,
}

/// What happened in a step: touches, sensors, joints that broke, timers that ticked, sleep. [`Physics::entity`] says whose.
#[derive(Message, Debug, Clone, Copy, PartialEq)]
pub struct Happened(pub Event);

impl Default for Physics {
    fn default() -> Self {
        match World::builder().build() {
            Ok(world) => Self::new(world),
            Err(error) => unreachable!("the default world: {error}"),
        }
    }
}

impl Physics {
    /// Steps a world, with any preset, modules and gravity; bodies that it has already belong to no entity.
    pub fn new(mut world: World) -> Self {
        world.set_keep_events(true);
        Self {
            world: Mutex::new(world),
            bodies: BTreeMap::new(),
            joints: BTreeMap::new(),
            surfaces: Vec::new(),
            failure: None,
        }
    }

    /// The world, to be asked: other systems that ask at the same time wait.
    pub fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The world, to be changed.
    pub fn world_mut(&mut self) -> &mut World {
        self.world.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// The entity of a body.
    pub fn entity(&self, body: BodyId) -> Option<Entity> {
        self.bodies.get(&body).copied()
    }

    /// The entity of a joint.
    pub fn joint_entity(&self, joint: JointId) -> Option<Entity> {
        self.joints.get(&joint).copied()
    }

    /// Why the last step failed; nothing is stepped then until [`Self::go_on`].
    pub fn failure(&self) -> Option<&WorldError> {
        self.failure.as_ref()
    }

    /// Steps again after a failure.
    pub fn go_on(&mut self) {
        self.failure = None;
    }

    /// The index of a surface in the world.
    pub(crate) fn surface(&mut self, surface: Material) -> Result<MaterialIndex, WorldError> {
        if let Some((_, index)) = self.surfaces.iter().find(|(known, _)| *known == surface) {
            return Ok(*index);
        }
        let index = self.world_mut().add_material(surface)?;
        self.surfaces.push((surface, index));
        Ok(index)
    }
}
