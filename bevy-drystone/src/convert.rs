//! Between Bevy's `f32` and drystone's `f64`.

use crate::Velocity;
use drystone::math::{Pose, Quat, Twist, Vec3};

pub(crate) fn wide(v: bevy_math::Vec3) -> Vec3 {
    Vec3::new(v.x.into(), v.y.into(), v.z.into())
}

pub(crate) fn narrow(v: Vec3) -> bevy_math::Vec3 {
    bevy_math::Vec3::new(v.x as f32, v.y as f32, v.z as f32)
}

pub(crate) fn wide_quat(q: bevy_math::Quat) -> Quat {
    Quat::from_array(q.to_array().map(f64::from))
}

/// Where an entity at a pose is drawn.
pub(crate) fn place(pose: &Pose) -> (bevy_math::Vec3, bevy_math::Quat) {
    let [x, y, z, w] = pose.orientation.to_array();
    (narrow(pose.position), bevy_math::Quat::from_xyzw(x as f32, y as f32, z as f32, w as f32))
}

pub(crate) fn twist(v: Velocity) -> Twist {
    Twist::new(wide(v.linear), wide(v.angular))
}

pub(crate) fn velocity(v: Twist) -> Velocity {
    Velocity { linear: narrow(v.linear), angular: narrow(v.angular) }
}
