//! Our vectors and poses as parry has them, and back.

use drystone_math::{Pose, Vec3};
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};

pub(crate) fn to_parry(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

pub(crate) fn from_parry(v: Vector) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

pub(crate) fn pose_to_parry(pose: &Pose) -> ParryPose {
    let q = pose.orientation;
    ParryPose::from_parts(to_parry(pose.position), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}
