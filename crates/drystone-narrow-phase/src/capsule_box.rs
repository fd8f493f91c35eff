use crate::gap::Gap;
use drystone_core::Feature;
use drystone_geometry::{Capsule, Cuboid};
use drystone_math::{Pose, Real, Vec3};

/// A capsule and a box.
///
/// If the core is outside, the squared distance of the box from a point that runs along the core is convex and
/// piecewise quadratic: the zero of its slope is found exactly. If the core cuts the box, the least of the six
/// separating directions (three face normals, three cross products) parts them.
pub(crate) fn capsule_box(a: &Capsule, pose_a: &Pose, b: &Cuboid, pose_b: &Pose) -> Gap {
    let h = b.half_extents();
    // everything in the box's frame
    let center = pose_b.local_point(pose_a.position);
    let half = pose_b.local_direction(pose_a.direction(Vec3::Y)) * a.half_height();
    let t = nearest_parameter(center, half, h);
    let on_core = center + half * t;
    let on_box = on_core.clamp(-h, h);
    let out = on_core - on_box;
    let length = out.length();
    let gap = if length > 1e-12 * (h.max_element() + a.half_height()) {
        let n = out / length;
        let g = Gap::smooth(length - a.radius(), -n, on_core - n * a.radius(), on_box);
        Gap { feature_b: crate::box_box::feature_of(on_box, h), ..g }
    } else {
        cut(center, half, a.radius(), h)
    };
    Gap { normal: pose_b.direction(gap.normal), on_a: pose_b.point(gap.on_a), on_b: pose_b.point(gap.on_b), ..gap }
}

/// Half the slope of the squared distance between the box and `center + half t`, zero if it could be rounding alone.
fn slope(center: Vec3, half: Vec3, h: Vec3, t: Real) -> Real {
    let p = center + half * t;
    let out = p - p.clamp(-h, h);
    // only coordinates beyond a face carry rounding errors; the core's direction has some from its rotation
    let beyond = Vec3::from_array(core::array::from_fn(|k| if out[k] == 0.0 { 0.0 } else { half[k].abs() }));
    let (size, length) = (h.max_element() + center.abs().max_element() + half.length(), half.length());
    let noise = 4e-16 * size * beyond.element_sum() + 1e-15 * length * out.abs().element_sum();
    let s = out.dot(half);
    if s.abs() <= noise { 0.0 } else { s }
}

/// The `t` in [-1, 1] where `center + half t` is nearest to the box; if a whole stretch is, its middle.
fn nearest_parameter(center: Vec3, half: Vec3, h: Vec3) -> Real {
    // the slope bends where a coordinate passes a face
    let mut knots = [-1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
    let mut n = 1;
    for k in 0..3 {
        if half[k] != 0.0 {
            for face in [-h[k], h[k]] {
                let t = (face - center[k]) / half[k];
                if t > -1.0 && t < 1.0 {
                    knots[n] = t;
                    n += 1;
                }
            }
        }
    }
    n += 1;
    knots[..n].sort_unstable_by(Real::total_cmp);
    let at = |i: usize| slope(center, half, h, knots[i]);
    if at(0) > 0.0 {
        return -1.0;
    }
    if at(n - 1) < 0.0 {
        return 1.0;
    }
    // the slope never decreases: the first zero from the left, and the last
    let zero = |left: Real, right: Real, sl: Real, sr: Real| left + (right - left) * (sl / (sl - sr));
    let (mut lo, mut hi) = (-1.0, 1.0);
    for i in 1..n {
        let (sl, sr) = (at(i - 1), at(i));
        if sl < 0.0 && sr >= 0.0 {
            lo = if sr == 0.0 { knots[i] } else { zero(knots[i - 1], knots[i], sl, sr) };
        }
        if sl <= 0.0 && sr > 0.0 {
            hi = if sl == 0.0 { knots[i - 1] } else { zero(knots[i - 1], knots[i], sl, sr) };
        }
    }
    0.5 * (lo + hi)
}

/// The core cuts the box: the direction that parts them soonest.
fn cut(center: Vec3, half: Vec3, radius: Real, h: Vec3) -> Gap {
    let mut best = (Real::INFINITY, Vec3::Y, 0);
    for k in 0..6 {
        let mut n = Vec3::ZERO;
        n[k % 3] = 1.0;
        if k >= 3 {
            n = half.cross(n);
            let l = n.length();
            if l <= 1e-9 * half.length() {
                continue;
            }
            n /= l;
        }
        let along = n.dot(center);
        let depth = h.dot(n.abs()) + n.dot(half).abs() - along.abs();
        // face normals are preferred over cross products that are no better
        if depth < best.0 - if k >= 3 { 1e-9 * h.max_element() } else { 0.0 } {
            best = (depth, if along < 0.0 { -n } else { n }, k);
        }
    }
    let (depth, out, k) = best;
    // the core's deepest point along the way out, or the middle of the part beside the box if the core runs level
    let lean = out.dot(half);
    let deepest = if k >= 3 {
        // across the box's edge that lies farthest along the way out
        let edge = Vec3::new(h.x.copysign(out.x), h.y.copysign(out.y), h.z.copysign(out.z));
        let across = Vec3::AXES[k - 3].cross(out);
        let t = across.dot(edge - center) / across.dot(half);
        center + half * t.clamp(-1.0, 1.0)
    } else {
        // beside the face: an end that is deeper only by rounding may lie beyond its rim
        let (mut lo, mut hi) = (-1.0_f64, 1.0_f64);
        for j in (0..3).filter(|&j| half[j].abs() > 1e-12 * half.length() && out[j].abs() < 0.9) {
            let (s, e) = ((-h[j] - center[j]) / half[j], (h[j] - center[j]) / half[j]);
            lo = lo.max(s.min(e));
            hi = hi.min(s.max(e));
        }
        let level = lean.abs() <= 1e-9 * half.length();
        let end = if level { 0.5 * (lo + hi) } else { 1.0_f64.copysign(-lean) };
        center + half * if lo <= hi { end.clamp(lo, hi) } else { end.clamp(-1.0, 1.0) }
    };
    let on_capsule = deepest - out * radius;
    let distance = -depth - radius;
    let feature_b = if k < 3 { Feature::Face(2 * k as u32 + u32::from(out[k] < 0.0)) } else { Feature::Surface };
    Gap { feature_b, ..Gap::smooth(distance, -out, on_capsule, on_capsule - out * distance) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::Quat;

    #[test]
    fn level_tilted_and_cut() {
        let cube = Cuboid::new(Vec3::ONE).unwrap();
        let rod = Capsule::new(0.25, 2.0).unwrap();
        let lying = Quat::from_rotation_z(core::f64::consts::FRAC_PI_2);
        let g = capsule_box(&rod, &Pose::new(Vec3::new(0.0, 1.5, 0.0), lying), &cube, &Pose::IDENTITY);
        assert!((g.distance - 0.25).abs() < 1e-15 && g.normal.y < -0.999 && g.on_b.x.abs() < 1e-12);
        let g = capsule_box(&rod, &Pose::new(Vec3::new(0.0, 0.9, 0.0), lying), &cube, &Pose::IDENTITY);
        assert!((g.distance + 0.35).abs() < 1e-15 && g.normal.y < -0.999 && (g.on_b.y - 1.0).abs() < 1e-12);
        // upright above a corner: the lower cap and the corner
        let g = capsule_box(&rod, &Pose::from_position(Vec3::new(2.0, 4.0, 2.0)), &cube, &Pose::IDENTITY);
        assert!((g.distance - (Real::sqrt(3.0) - 0.25)).abs() < 1e-14);
    }
}
