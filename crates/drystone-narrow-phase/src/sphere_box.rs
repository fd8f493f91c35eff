use crate::gap::Gap;
use drystone_core::Feature;
use drystone_geometry::{Cuboid, Sphere};
use drystone_math::{Pose, Vec3};

/// A sphere and a box: the box point nearest to the centre, or the nearest face if the centre is inside.
pub(crate) fn sphere_box(a: Sphere, pose_a: &Pose, b: &Cuboid, pose_b: &Pose) -> Gap {
    let (r, h) = (a.radius(), b.half_extents());
    let c = pose_b.local_point(pose_a.position);
    let q = c.clamp(-h, h);
    let out = c - q;
    let length = out.length();
    let (outward, on_box, depth, feature_b) = if length > 1e-14 * h.max_element() {
        (out / length, q, length, crate::box_box::feature_of(q, h))
    } else {
        // inside: leave through the nearest face
        let gap = h - c.abs();
        let k = if gap.x <= gap.y && gap.x <= gap.z { 0 } else { 1 + usize::from(gap.z < gap.y) };
        let mut n = Vec3::ZERO;
        n[k] = 1.0_f64.copysign(c[k]);
        let mut on = c;
        on[k] = h[k].copysign(c[k]);
        (n, on, -gap[k], Feature::Face(2 * k as u32 + u32::from(c[k].is_sign_negative())))
    };
    let normal = -pose_b.direction(outward);
    let on_b = pose_b.point(on_box);
    let distance = depth - r;
    Gap { feature_b, ..Gap::smooth(distance, normal, pose_a.position + normal * r, on_b) }
}
