//! Rigid-body dynamics by [`drystone`] for the Bevy engine.
//!
//! Entities with a [`RigidBody`] and a [`Collider`] are bodies of one drystone world, entities with a [`JointBetween`] its joints. The world
//! advances in `FixedUpdate` by that schedule's time step; poses and velocities are written back into [`Transform`] and [`Velocity`], and what
//! a system writes there is a body that was moved, or given another velocity.
//!
//! ```
//! use bevy_app::{App, Startup};
//! use bevy_drystone::{Collider, DrystonePlugin, Physics, RigidBody};
//! use bevy_drystone::drystone::math::Vec3;
//! use bevy_drystone::drystone::{Paradigm, World, geometry::Shape};
//! use bevy_ecs::system::Commands;
//! use bevy_time::TimePlugin;
//! use bevy_transform::components::Transform;
//!
//! fn scene(mut commands: Commands) {
//!     commands.spawn((RigidBody::Fixed, Collider(Shape::plane(Vec3::Y, 0.0).unwrap())));
//!     commands.spawn((
//!         RigidBody::Dynamic,
//!         Collider(Shape::cuboid(0.5, 0.5, 0.5).unwrap()),
//!         Transform::from_xyz(0.0, 2.0, 0.0),
//!     ));
//! }
//!
//! let world = World::builder().paradigm(Paradigm::LOAD_PROPAGATION).build().unwrap();
//! App::new()
//!     .add_plugins((TimePlugin, DrystonePlugin))
//!     .insert_resource(Physics::new(world))
//!     .add_systems(Startup, scene)
//!     .update();
//! ```
//!
//! Bevy's numbers are `f32`, drystone's `f64`: a body that nothing but physics moves keeps all of its digits in the world, and [`Transform`] is
//! what is drawn. The same frames give the same bits.

mod components;
mod convert;
mod edits;
mod intake;
mod physics;
mod step;
mod wireframe;

pub use components::{
    BodyMass, BodyOptions, Collider, Collision, JointBetween, Refusal, Refused, RigidBody, Simulated, SimulatedJoint,
    Velocity,
};
pub use drystone;
pub use physics::{Happened, Physics};
pub use wireframe::wireframe;

use bevy_app::{App, FixedUpdate, Plugin};
use bevy_ecs::schedule::{IntoScheduleConfigs, SystemSet};
#[expect(unused_imports, reason = "linked to from the text above")]
use bevy_transform::components::Transform;

/// What of the plugin runs when, one after the other within `FixedUpdate`.
#[derive(SystemSet, Debug, Clone, PartialEq, Eq, Hash)]
pub enum PhysicsSystems {
    /// New bodies and joints come into the world, and what was written into their components since the last step.
    Read,
    /// The world advances.
    Step,
    /// Poses and velocities are written back; events are sent.
    Write,
}

/// Steps a drystone world with Bevy's fixed clock.
///
/// The world is [`Physics`]: one with the default preset and gravity, unless that resource is inserted before or after.
pub struct DrystonePlugin;

impl Plugin for DrystonePlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Physics>().add_message::<Happened>();
        app.configure_sets(FixedUpdate, (PhysicsSystems::Read, PhysicsSystems::Step, PhysicsSystems::Write).chain());
        app.add_systems(
            FixedUpdate,
            (
                (intake::take_bodies, intake::take_joints, edits::take_edits).chain().in_set(PhysicsSystems::Read),
                step::advance.in_set(PhysicsSystems::Step),
                (step::write_back, step::tell).chain().in_set(PhysicsSystems::Write),
            ),
        );
        app.add_observer(intake::no_body_any_more);
        app.add_observer(intake::let_body_go);
        app.add_observer(intake::no_joint_any_more);
        app.add_observer(intake::let_joint_go);
    }
}
