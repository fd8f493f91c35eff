//! Bodies, contacts and joints as lines.

use crate::convert::narrow;
use crate::{Physics, wireframe};
use bevy_app::{App, Plugin, PostUpdate};
use bevy_color::Color;
use bevy_ecs::resource::Resource;
use bevy_ecs::system::{Res, ResMut};
use bevy_gizmos::gizmos::Gizmos;
use drystone::core::{BodyFrame, BodyKind};
use drystone::math::Vec3;

/// Draws the world through Bevy's gizmos, after each frame's updates. Needs [`bevy_gizmos::GizmoPlugin`], which Bevy's default plugins have.
pub struct DebugGizmosPlugin;

/// What is drawn.
#[derive(Resource, Debug, Clone, Copy, PartialEq)]
pub struct DrawPhysics {
    /// Shapes of the bodies: those that move, sleep, or are held.
    pub shapes: bool,
    /// Contacts of the last step, with their normal impulses.
    pub contacts: bool,
    /// Joints, from body to anchor to body.
    pub joints: bool,
    /// Length of an impulse's line (m/(N s)).
    pub impulse_scale: f64,
}

impl Default for DrawPhysics {
    fn default() -> Self {
        Self { shapes: true, contacts: true, joints: true, impulse_scale: 0.01 }
    }
}

impl Plugin for DebugGizmosPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<DrawPhysics>().add_systems(PostUpdate, draw);
    }
}

const MOVES: Color = Color::srgb(0.15, 0.45, 0.85);
const SLEEPS: Color = Color::srgb(0.55, 0.55, 0.6);
const HELD: Color = Color::srgb(0.35, 0.35, 0.35);
const CONTACT: Color = Color::srgb(0.9, 0.3, 0.1);
const JOINT: Color = Color::srgb(0.2, 0.65, 0.3);
/// Half the size of the cross at a contact (m).
const CROSS: f64 = 0.02;

fn draw(mut physics: ResMut<Physics>, what: Res<DrawPhysics>, mut gizmos: Gizmos) {
    let world = physics.world_mut();
    if what.shapes {
        for (view, body) in world.iter_bodies().zip(&world.configuration().bodies) {
            let color = match view.kind {
                BodyKind::Passive => continue,
                BodyKind::Dynamic if view.asleep => SLEEPS,
                BodyKind::Dynamic => MOVES,
                BodyKind::Fixed | BodyKind::Scripted => HELD,
            };
            for [from, to] in wireframe(&body.shape) {
                gizmos.line(narrow(view.pose.point(from)), narrow(view.pose.point(to)), color);
            }
        }
    }
    if what.contacts {
        for contact in world.contacts() {
            let at = contact.position;
            for side in [Vec3::X, Vec3::Y, Vec3::Z] {
                gizmos.line(narrow(at - side * CROSS), narrow(at + side * CROSS), CONTACT);
            }
            let impulse = contact.normal * (contact.impulse.normal * what.impulse_scale);
            gizmos.line(narrow(at), narrow(at + impulse), CONTACT);
        }
    }
    if what.joints {
        let state = world.state();
        for (_, joint) in world.configuration().joints.iter().enumerate().filter(|(j, _)| !state.is_broken(*j)) {
            let frames = joint.bodies.map(|b| BodyFrame::of(state, b));
            let ends = [0, 1].map(|k| joint.bodies[k].map(|_| frames[k].pose.position));
            let anchor = joint.source.anchor([&frames[0], &frames[1]]).or(ends[1]).or(ends[0]);
            for (end, anchor) in ends.into_iter().flatten().zip(anchor.into_iter().cycle()) {
                gizmos.line(narrow(end), narrow(anchor), JOINT);
            }
        }
    }
}
