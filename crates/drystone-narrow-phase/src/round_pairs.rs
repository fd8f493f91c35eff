//! Pairs of spheres and capsules: points and segments, thickened by a radius.

use crate::gap::Gap;
use crate::segment::closest_points;
use drystone_geometry::{Capsule, Sphere};
use drystone_math::{Pose, Vec3, tangent_basis};

/// Two spheres.
pub(crate) fn sphere_sphere(a: Sphere, pose_a: &Pose, b: Sphere, pose_b: &Pose) -> Gap {
    Gap::of_balls(pose_a.position, a.radius(), pose_b.position, b.radius(), Vec3::Y)
}

/// The end points of a capsule's core in the world (m).
pub(crate) fn core(capsule: &Capsule, pose: &Pose) -> (Vec3, Vec3) {
    let half = pose.direction(Vec3::Y) * capsule.half_height();
    (pose.position - half, pose.position + half)
}

/// A sphere and a capsule.
pub(crate) fn sphere_capsule(a: Sphere, pose_a: &Pose, b: &Capsule, pose_b: &Pose) -> Gap {
    let (q0, q1) = core(b, pose_b);
    let (p, q) = closest_points(pose_a.position, pose_a.position, q0, q1);
    let fallback = tangent_basis(pose_b.direction(Vec3::Y)).0;
    Gap::of_balls(p, a.radius(), q, b.radius(), fallback)
}

/// Two capsules; where the cores cross, the normal is perpendicular to both.
pub(crate) fn capsule_capsule(a: &Capsule, pose_a: &Pose, b: &Capsule, pose_b: &Pose) -> Gap {
    let ((p0, p1), (q0, q1)) = (core(a, pose_a), core(b, pose_b));
    let (p, q) = closest_points(p0, p1, q0, q1);
    let across = (p1 - p0).cross(q1 - q0);
    let fallback = if across.length_squared() > 1e-20 * (p1 - p0).length_squared() * (q1 - q0).length_squared() {
        across.normalize()
    } else {
        tangent_basis(pose_a.direction(Vec3::Y)).0
    };
    Gap::of_balls(p, a.radius(), q, b.radius(), fallback)
}
