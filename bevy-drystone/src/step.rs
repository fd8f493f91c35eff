//! A step, and what comes of it.

use crate::convert::{place, velocity};
use crate::{Happened, Physics, Simulated, Velocity};
use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::message::MessageWriter;
use bevy_ecs::system::{Query, Res, ResMut};
use bevy_time::Time;
use bevy_transform::components::Transform;

/// One step of the fixed clock; none after a failure.
pub(crate) fn advance(mut physics: ResMut<Physics>, time: Res<Time>) {
    if physics.failure.is_some() {
        return;
    }
    let dt = time.delta_secs_f64();
    if let Err(failure) = physics.world_mut().advance(dt) {
        physics.failure = Some(failure);
    }
}

/// Where bodies are now; what did not move is not marked as changed.
pub(crate) fn write_back(
    mut physics: ResMut<Physics>,
    mut bodies: Query<(&mut Simulated, &mut Transform, &mut Velocity)>,
) {
    let world = physics.world_mut();
    for (mut simulated, mut transform, mut moves) in &mut bodies {
        let (Some(pose), Some(twist)) = (world.pose(simulated.body), world.velocity(simulated.body)) else { continue };
        let simulated = simulated.bypass_change_detection();
        (simulated.place, simulated.velocity) = (place(&pose), velocity(twist));
        let (translation, rotation) = simulated.place;
        transform.set_if_neq(Transform { translation, rotation, scale: transform.scale });
        moves.set_if_neq(simulated.velocity);
    }
}

/// What happened, to whoever listens.
pub(crate) fn tell(mut physics: ResMut<Physics>, mut happened: MessageWriter<Happened>) {
    happened.write_batch(physics.world_mut().drain_events().map(Happened));
}
