//! Entities that become bodies and joints of the world, and cease to be.

use crate::convert::{place, twist, velocity, wide, wide_quat};
use crate::{
    BodyMass, BodyOptions, Collider, JointBetween, Physics, Refusal, Refused, RigidBody, Simulated, SimulatedJoint,
    Velocity,
};
use bevy_ecs::entity::Entity;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::lifecycle::Remove;
use bevy_ecs::observer::On;
use bevy_ecs::query::{Has, Without};
use bevy_ecs::system::{Commands, Query, ResMut};
use bevy_transform::components::Transform;
use drystone::Body;

type NewBody = (
    Entity,
    &'static RigidBody,
    &'static Collider,
    Option<&'static BodyOptions>,
    &'static Transform,
    &'static Velocity,
    Has<ChildOf>,
);

/// New bodies, in the order of their entities.
pub(crate) fn take_bodies(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    new: Query<NewBody, (Without<Simulated>, Without<Refused>)>,
) {
    let mut new: Vec<_> = new.iter().collect();
    new.sort_unstable_by_key(|(entity, ..)| entity.index_u32());
    for (entity, kind, collider, options, transform, velocity, child) in new {
        let taken = if child {
            Err(Refusal::HasParent)
        } else {
            take(&mut physics, *kind, collider, options, transform, *velocity).map_err(Refusal::from)
        };
        match taken {
            Ok(simulated) => {
                physics.bodies.insert(simulated.body, entity);
                commands.entity(entity).insert(simulated);
            }
            Err(why) => {
                commands.entity(entity).insert(Refused(why));
            }
        }
    }
}

fn take(
    physics: &mut Physics,
    kind: RigidBody,
    collider: &Collider,
    options: Option<&BodyOptions>,
    transform: &Transform,
    moves: Velocity,
) -> Result<Simulated, drystone::WorldError> {
    let shape = collider.0.clone();
    let body = match kind {
        RigidBody::Dynamic => Body::dynamic(shape),
        RigidBody::Fixed => Body::fixed(shape),
        RigidBody::Scripted => Body::scripted(shape),
    };
    let default = BodyOptions::default();
    let options = options.unwrap_or(&default);
    let body = match options.mass {
        BodyMass::Density(density) => body.density(density),
        BodyMass::Total(mass) => body.mass(mass),
    };
    let twist = twist(moves);
    let body = body
        .at(wide(transform.translation))
        .oriented(wide_quat(transform.rotation))
        .linear_velocity(twist.linear)
        .angular_velocity(twist.angular)
        .material(physics.surface(options.surface)?)
        .groups(options.collision.groups.membership, options.collision.groups.mask)
        .sensor(options.collision.sensor)
        .continuous(options.collision.continuous)
        .gravity_scale(options.gravity_scale)
        .damping(options.damping[0], options.damping[1])
        .can_sleep(options.can_sleep);
    let world = physics.world_mut();
    let body = world.add(body)?;
    let pose = world.pose(body).unwrap_or_default();
    let moves = world.velocity(body).unwrap_or_default();
    Ok(Simulated { body, place: place(&pose), velocity: velocity(moves) })
}

/// New joints, in the order of their entities; those whose bodies are not there are refused.
pub(crate) fn take_joints(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    new: Query<(Entity, &JointBetween), (Without<SimulatedJoint>, Without<Refused>)>,
    bodies: Query<&Simulated>,
) {
    let mut new: Vec<_> = new.iter().collect();
    new.sort_unstable_by_key(|(entity, _)| entity.index_u32());
    for (entity, between) in new {
        let body = |of: Option<Entity>| match of {
            Some(of) => bodies.get(of).map(|b| Some(b.body)).map_err(|_| Refusal::NoBody(of)),
            None => Ok(None),
        };
        let [first, second] = between.bodies;
        let made = body(first).and_then(|first| Ok((first, body(second)?)));
        let made =
            made.and_then(|(first, second)| Ok(physics.world_mut().join(between.joint.between(first, second))?));
        match made {
            Ok(joint) => {
                physics.joints.insert(joint, entity);
                commands.entity(entity).insert(SimulatedJoint(joint));
            }
            Err(why) => {
                commands.entity(entity).insert(Refused(why));
            }
        }
    }
}

/// A body without its kind is none.
pub(crate) fn no_body_any_more(gone: On<Remove<RigidBody>>, mut commands: Commands) {
    commands.entity(gone.entity).try_remove::<Simulated>();
}

/// The body leaves the world, and the joints on it.
pub(crate) fn let_body_go(
    gone: On<Remove<Simulated>>,
    bodies: Query<&Simulated>,
    mut physics: ResMut<Physics>,
    mut commands: Commands,
) {
    let Ok(simulated) = bodies.get(gone.entity) else { return };
    physics.bodies.remove(&simulated.body);
    if let Ok(removed) = physics.world_mut().remove(simulated.body) {
        for joint in removed.joints {
            if let Some(entity) = physics.joints.remove(&joint)
                && let Ok(mut entity) = commands.get_entity(entity)
            {
                entity.try_remove::<(JointBetween, SimulatedJoint)>();
            }
        }
    }
}

/// A joint without its description is none.
pub(crate) fn no_joint_any_more(gone: On<Remove<JointBetween>>, mut commands: Commands) {
    commands.entity(gone.entity).try_remove::<SimulatedJoint>();
}

/// The joint leaves the world.
pub(crate) fn let_joint_go(
    gone: On<Remove<SimulatedJoint>>,
    joints: Query<&SimulatedJoint>,
    mut physics: ResMut<Physics>,
) {
    let Ok(joint) = joints.get(gone.entity) else { return };
    if physics.joints.remove(&joint.0).is_some() {
        // it is there: a body that takes its joints along takes their entries first
        let _ = physics.world_mut().remove_joint(joint.0);
    }
}
