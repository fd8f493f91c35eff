use super::distance::corner;
use super::frame::BoxPair;
use super::query::{LEVEL, facing_edges, on_face};
use super::side_by_side::alone;
use crate::gap::Gap;
use crate::segment::closest_points;
use drystone_core::{ContactSeed, FeatureKey};
use drystone_geometry::Cuboid;
use drystone_math::{Pose, Real, Vec2, Vec3};

/// Two boxes, by the old method that thesis 6.3 criticises, with its three failures: the axis of least overlap without
/// any preference (a slight tilt picks an edge pair), corners not considered before the crossings (doubled points), and
/// corners of the reference face never considered (missing points).
///
/// Its contact points go to `seeds`.
///
/// # Source
/// Thesis 6.3, Figure 6.41 (K-10).
pub(crate) fn query(
    a: &Cuboid,
    pose_a: &Pose,
    b: &Cuboid,
    pose_b: &Pose,
    envelope: Real,
    cache: &mut u32,
    seeds: &mut Vec<ContactSeed>,
) -> Gap {
    let pair = alone([a, b], [pose_a, pose_b], 0, 0.0);
    let (p, separations) = (pair.pair(0), pair.separations());
    let mut best = (Real::NEG_INFINITY, 0);
    for axis in 0..15 {
        let s = separations.along(0, axis);
        if s > best.0 {
            best = (s, axis);
        }
    }
    let (s, axis) = best;
    let n = p.direction(axis);
    if s > 0.0 {
        // apart: the distance is the improved method's, the points are the old one's
        let gap = super::improved(a, pose_a, b, pose_b, envelope, cache);
        if gap.distance > envelope {
            return gap;
        }
        contacts(&p, axis, n, s, pose_a, seeds);
        return gap;
    }
    contacts(&p, axis, n, s, pose_a, seeds);
    // its contact points may be missing and differ in depth: the witnesses are the points that meet along the axis
    let (on_a, on_b) = if axis < 6 {
        let (on_a, on_b, _) = on_face(&p, axis, n, s, LEVEL);
        (on_a, on_b)
    } else {
        let [a0, a1, b0, b1] = facing_edges(&p, axis, n);
        closest_points(a0, a1, b0, b1)
    };
    Gap::smooth(s, pose_a.direction(n), pose_a.point(on_a), pose_a.point(on_b))
}

/// The contact points of the chosen axis.
fn contacts(p: &BoxPair, axis: usize, n: Vec3, s: Real, pose_a: &Pose, seeds: &mut Vec<ContactSeed>) {
    let normal = pose_a.direction(n);
    let mut emit = |position: Vec3, separation: Real, key: u64| {
        let position = pose_a.point(position);
        seeds.push(ContactSeed {
            position,
            normal,
            separation,
            key: FeatureKey(key | FeatureKey::SAMPLE),
            parts: None,
        });
    };
    if axis >= 6 {
        // edge against edge: the middle of the closest points of the two lines
        let (i, j) = ((axis - 6) / 3, (axis - 6) % 3);
        let c = p.direction_in_b(n);
        let (mut a0, mut b0) = (Vec3::ZERO, Vec3::ZERO);
        for k in 0..3 {
            a0[k] = p.ha[k].copysign(n[k]);
            b0[k] = -p.hb[k].copysign(c[k]);
        }
        // long segments, since the old method uses the whole lines
        let far = 1e3 * p.size();
        let (da, db) = (Vec3::AXES[i] * far, p.r[j] * far);
        let b0 = p.point_in_a(b0);
        let (x, y) = closest_points(a0 - da, a0 + da, b0 - db, b0 + db);
        emit((x + y) * 0.5, s, 1 << 16 | axis as u64);
        return;
    }
    if axis < 3 {
        face(p, axis, n[axis], &mut |q, d, key| emit(q - n * (0.5 * d), d, key));
    } else {
        let f = p.flipped();
        let out = -p.direction_in_b(n)[axis - 3];
        face(&f, axis - 3, out, &mut |q, d, key| emit(p.point_in_a(q) + n * (0.5 * d), d, 1 << 17 | key));
    }
}

/// The other box's nearest face against the face `axis` of the first box on the side of `sign`: corners inside, and crossings.
/// Calls back with the point on the other box, its distance from the face, and a key.
fn face(p: &BoxPair, axis: usize, sign: Real, emit: &mut dyn FnMut(Vec3, Real, u64)) {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    // the face of B most against the normal
    let c = Vec3::new(p.r[0][axis], p.r[1][axis], p.r[2][axis]) * sign;
    let k = if c.x.abs() >= c.y.abs() && c.x.abs() >= c.z.abs() { 0 } else { 1 + usize::from(c.z.abs() > c.y.abs()) };
    let (k1, k2) = ((k + 1) % 3, (k + 2) % 3);
    let quad = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].map(|(x, y)| {
        let mut q = corner(0, p.hb);
        q[k] = -q[k].copysign(c[k]);
        q[k1] *= x;
        q[k2] *= y;
        p.point_in_a(q)
    });
    let h = Vec2::new(p.ha[u], p.ha[v]);
    let flat = quad.map(|q| Vec2::new(q[u], q[v]));
    let height = quad.map(|q| q[axis] * sign - p.ha[axis]);
    for i in 0..4 {
        if flat[i].abs().cmplt(h).all() && height[i] <= 0.0 {
            emit(quad[i], height[i], i as u64);
        }
    }
    for i in 0..4 {
        let j = (i + 1) % 4;
        let d = flat[j] - flat[i];
        for side in 0..4 {
            let (w, o) = (side & 1, 1 - (side & 1));
            let wall = if side < 2 { h[w] } else { -h[w] };
            let t = (wall - flat[i][w]) / d[w];
            if t.is_finite() && (0.0..=1.0).contains(&t) && (flat[i][o] + t * d[o]).abs() <= h[o] {
                emit(quad[i].lerp(quad[j], t), height[i] + t * (height[j] - height[i]), (4 + 4 * i + side) as u64);
            }
        }
    }
}
