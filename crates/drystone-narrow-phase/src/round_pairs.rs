//! Pairs of spheres and capsules: points and segments, thickened by a radius.

use crate::gap::Gap;
use crate::segment::closest_points;
use drystone_geometry::{Capsule, Sphere};
use drystone_math::{Pose, Real, Vec3, tangent_basis};

/// Two spheres.
#[inline]
pub(crate) fn sphere_sphere(a: Sphere, pose_a: &Pose, b: Sphere, pose_b: &Pose) -> Gap {
    Gap::of_balls(pose_a.position, a.radius(), pose_b.position, b.radius(), Vec3::Y)
}

/// The end points of a capsule's core in the world (m).
pub(crate) fn core(capsule: &Capsule, pose: &Pose) -> (Vec3, Vec3) {
    let half = pose.direction(Vec3::Y) * capsule.half_height();
    (pose.position - half, pose.position + half)
}

/// A point is on a core if it is nearer than this fraction of the core's half length.
const ON_CORE: Real = 1e-14;

/// A sphere and a capsule.
pub(crate) fn sphere_capsule(a: Sphere, pose_a: &Pose, b: &Capsule, pose_b: &Pose) -> Gap {
    let (q0, q1) = core(b, pose_b);
    let (p, q) = closest_points(pose_a.position, pose_a.position, q0, q1);
    let fallback = tangent_basis(pose_b.direction(Vec3::Y)).0;
    // the place along the core is rounded by its length
    let q = if (p - q).length() <= ON_CORE * b.half_height() { p } else { q };
    Gap::of_balls(p, a.radius(), q, b.radius(), fallback)
}

/// For cores closer than this fraction of their size, the difference of the closest points gives no usable direction.
const CLOSE: Real = 1e-5;

/// Two capsules; if the cores cross, the normal is perpendicular to both.
pub(crate) fn capsule_capsule(a: &Capsule, pose_a: &Pose, b: &Capsule, pose_b: &Pose) -> Gap {
    let ((p0, p1), (q0, q1)) = (core(a, pose_a), core(b, pose_b));
    let (p, q) = closest_points(p0, p1, q0, q1);
    let (u, v, d) = (p1 - p0, q1 - q0, q - p);
    let size = a.half_height().max(b.half_height()).max(a.radius()).max(b.radius());
    if d.length() > CLOSE * size {
        return Gap::of_balls(p, a.radius(), q, b.radius(), Vec3::Y);
    }
    // of the directions that may part the cores, the one that parts them the most
    let middle = pose_b.position - pose_a.position;
    let off = |w: Vec3| d - w * (d.dot(w) / w.length_squared());
    let mut best = (Real::NEG_INFINITY, Vec3::Y);
    for n in [d, u.cross(v), off(u), off(v), tangent_basis(u.normalize_or(Vec3::Y)).0] {
        let Some(n) = n.try_normalize() else { continue };
        let n = if n.dot(middle) < 0.0 { -n } else { n };
        let parted = n.dot(middle) - 0.5 * (n.dot(u).abs() + n.dot(v).abs());
        if parted > best.0 {
            best = (parted, n);
        }
    }
    let (parted, n) = best;
    let between = (p + q - n * parted) * 0.5;
    Gap::smooth(parted - a.radius() - b.radius(), n, between + n * a.radius(), between + n * (parted - b.radius()))
}
