//! What others wrote into the components of bodies and joints since the last step.

use crate::convert::{twist, wide, wide_quat};
use crate::{
    BodyMass, BodyOptions, Collider, JointBetween, Physics, Refused, RigidBody, Simulated, SimulatedJoint, Velocity,
};
use bevy_ecs::change_detection::{DetectChanges, Ref};
use bevy_ecs::entity::Entity;
use bevy_ecs::system::{Commands, Query, ResMut};
use bevy_transform::components::Transform;
use drystone::WorldError;
use drystone::core::BodyKind;

type HeldBody = (
    Entity,
    Ref<'static, Simulated>,
    Ref<'static, RigidBody>,
    Ref<'static, Collider>,
    Option<Ref<'static, BodyOptions>>,
    &'static Transform,
    &'static Velocity,
);

/// Moves, reshapes and retypes bodies as their components say; a change that the world does not take is told by [`Refused`].
pub(crate) fn take_edits(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    bodies: Query<HeldBody>,
    joints: Query<(Entity, &SimulatedJoint, Ref<JointBetween>)>,
) {
    for (entity, simulated, kind, collider, options, transform, velocity) in &bodies {
        // one that just came has all of it
        let edited = if simulated.is_added() {
            Ok(())
        } else {
            rework(&mut physics, &simulated, &kind, &collider, options.as_ref())
        };
        let moved = edited.and_then(|()| displace(&mut physics, &simulated, transform, *velocity));
        if let Err(why) = moved {
            commands.entity(entity).insert(Refused(why.into()));
        }
    }
    for (entity, joint, between) in &joints {
        if between.is_changed() && !between.is_added() {
            // made anew, where the bodies stand now
            physics.joints.remove(&joint.0);
            let _ = physics.world_mut().remove_joint(joint.0);
            commands.entity(entity).remove::<SimulatedJoint>();
        }
    }
}

fn rework(
    physics: &mut Physics,
    simulated: &Simulated,
    kind: &Ref<RigidBody>,
    collider: &Ref<Collider>,
    options: Option<&Ref<BodyOptions>>,
) -> Result<(), WorldError> {
    let body = simulated.body;
    if kind.is_changed() {
        let kind = match **kind {
            RigidBody::Dynamic => BodyKind::Dynamic,
            RigidBody::Fixed => BodyKind::Fixed,
            RigidBody::Scripted => BodyKind::Scripted,
        };
        physics.world_mut().set_kind(body, kind)?;
    }
    if collider.is_changed() {
        physics.world_mut().set_shape(body, collider.0.clone())?;
    }
    let Some(options) = options.filter(|o| o.is_changed()) else { return Ok(()) };
    let surface = physics.surface(options.surface)?;
    let world = physics.world_mut();
    if **kind == RigidBody::Dynamic {
        let mass = match options.mass {
            BodyMass::Total(mass) => mass,
            BodyMass::Density(density) => {
                let shape = &collider.0;
                shape.mass_properties(density).ok_or(WorldError::Unbounded(shape.kind()))?.mass
            }
        };
        world.set_mass(body, mass)?;
    }
    world.set_material(body, surface)?;
    world.set_groups(body, options.collision.groups.membership, options.collision.groups.mask)?;
    world.set_sensor(body, options.collision.sensor)?;
    world.set_continuous(body, options.collision.continuous)?;
    world.set_gravity_scale(body, options.gravity_scale)?;
    world.set_damping(body, options.damping[0], options.damping[1])?;
    world.set_can_sleep(body, options.can_sleep)
}

/// Puts a body where someone else put its entity.
fn displace(
    physics: &mut Physics,
    simulated: &Simulated,
    transform: &Transform,
    velocity: Velocity,
) -> Result<(), WorldError> {
    let world = physics.world_mut();
    if (transform.translation, transform.rotation) != simulated.place {
        world.set_pose(simulated.body, wide(transform.translation), wide_quat(transform.rotation))?;
    }
    if velocity != simulated.velocity {
        world.set_velocity(simulated.body, twist(velocity))?;
    }
    Ok(())
}
