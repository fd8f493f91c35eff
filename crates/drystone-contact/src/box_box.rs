use crate::candidate::{Candidate, Candidates};
use crate::reference::Reference;
use drystone_core::Proximity;
use drystone_geometry::Cuboid;
use drystone_math::{Mat3, Pose, Real, Vec2, Vec3};
use smallvec::SmallVec;

/// Cosine of the angle up to which a normal belongs to a face.
const ALIGNED: Real = 0.995;

/// B's face is the reference only where it is better aligned by this cosine.
const PREFERENCE: Real = 1e-6;

/// A corner this far outside (part of the size) still counts as inside.
const CORNER: Real = 1e-5;

/// The contact candidates of two boxes no further apart than the envelope (m), none where no face meets the normal.
///
/// # Source
/// Thesis 6.3 (K-11): corners of both faces first; a crossing of two edges only where not both ends of one of them
/// are contacts already, and the ends of each lie on opposite sides of the other.
pub(crate) fn candidates(
    a: &Cuboid,
    b: &Cuboid,
    pose_a: Pose,
    pose_b: Pose,
    proximity: &Proximity,
    envelope: Real,
    out: &mut Candidates,
) -> Option<Reference> {
    let n_a = pose_a.local_direction(proximity.normal);
    let n_b = pose_b.local_direction(-proximity.normal);
    let (best_a, best_b) = (n_a.abs().max_element(), n_b.abs().max_element());
    if best_a.max(best_b) < ALIGNED {
        return None;
    }
    let is_b = best_b > best_a + PREFERENCE;
    let (h, g, n, other) = if is_b {
        (b.half_extents(), a.half_extents(), n_b, pose_a.relative_to(&pose_b))
    } else {
        (a.half_extents(), b.half_extents(), n_a, pose_b.relative_to(&pose_a))
    };
    let k = if n.x.abs() >= n.y.abs() && n.x.abs() >= n.z.abs() { 0 } else { 1 + usize::from(n.z.abs() > n.y.abs()) };
    let sign = 1.0_f64.copysign(n[k]);
    let mut normal = Vec3::ZERO;
    normal[k] = sign;
    let reference = Reference { is_b, normal, on_edges: false, other, noise: 1e-6 * h.max_element() };
    let faces = Faces::new(h, g, &other, k, sign, u64::from(is_b) << 40);
    faces.collect(&mut Found { out, envelope, at: SmallVec::new() });
    Some(reference)
}

/// The candidates so far.
struct Found<'a> {
    out: &'a mut Candidates,
    /// What is further apart is left out (m).
    envelope: Real,
    /// (u, v) of all that were found, left out or not.
    at: SmallVec<[Vec2; 16]>,
}

impl Found<'_> {
    /// Whether something was found at `(u, v)` already.
    fn holds(&self, x: Vec2, tolerance: Real) -> bool {
        self.at.iter().any(|at| (*at - x).abs().max_element() <= tolerance)
    }
}

/// The reference face, a rectangle with half sides `h2`, and the other box's face opposite, in coordinates (u, v) of the plane
/// with heights above it.
struct Faces {
    axis: usize,
    sign: Real,
    /// Where the plane is along the axis, outwards (m).
    level: Real,
    h2: Vec2,
    /// Corners of the other face: u, v and along the axis, outwards.
    corner: [Vec3; 4],
    flat: [Vec2; 4],
    height: [Real; 4],
    /// Height of the other face: `slope . (u, v) + base`.
    slope: Vec2,
    base: Real,
    tolerance: Real,
    key: u64,
}

impl Faces {
    fn new(h: Vec3, g: Vec3, other: &Pose, axis: usize, sign: Real, key: u64) -> Self {
        let m = Mat3::from_quat(other.orientation);
        let outwards = |v: Vec3| turned(v, axis) * Vec3::new(1.0, 1.0, sign);
        let r = [m.x_axis, m.y_axis, m.z_axis].map(outwards);
        // the other box's face most against the normal
        let c = [r[0].z, r[1].z, r[2].z];
        let far = |x: usize, y: usize| c[x].abs() >= c[y].abs();
        let j = if far(0, 1) && far(0, 2) { 0 } else { 1 + usize::from(c[2].abs() > c[1].abs()) };
        let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
        let center = outwards(other.position) - r[j] * g[j].copysign(c[j]);
        let (x, y) = (r[j1] * g[j1], r[j2] * g[j2]);
        let corner = [center + x + y, center - x + y, center - x - y, center + x - y];
        let h = turned(h, axis);
        let height = corner.map(|p| p.z - h.z);
        let slope = r[j].truncate() * (-1.0 / r[j].z);
        let flat = corner.map(Vec3::truncate);
        Self {
            axis,
            sign,
            level: h.z,
            h2: h.truncate(),
            corner,
            flat,
            height,
            slope,
            base: height[0] - slope.dot(flat[0]),
            tolerance: CORNER * h.max_element().max(g.max_element()),
            key: key
                | (axis as u64) << 36
                | u64::from(sign < 0.0) << 35
                | (j as u64) << 33
                | u64::from(c[j] < 0.0) << 32,
        }
    }

    /// The point of the reference box's frame `height` over `(u, v)` of the plane.
    fn lift(&self, p: Vec2, height: Real) -> Vec3 {
        self.placed(p.extend(self.level + height))
    }

    /// A point by (u, v) and its place along the axis, in the reference box's frame.
    fn placed(&self, p: Vec3) -> Vec3 {
        let z = self.sign * p.z;
        match self.axis {
            0 => Vec3::new(z, p.x, p.y),
            1 => Vec3::new(p.y, z, p.x),
            _ => Vec3::new(p.x, p.y, z),
        }
    }

    #[inline]
    fn push(&self, found: &mut Found<'_>, p: Vec2, height: Real, on_other: Vec3, key: u64) {
        found.at.push(p);
        if height <= found.envelope {
            let on_reference = self.lift(p, 0.0);
            found.out.push(Candidate { on_reference, on_other, separation: height, key: self.key | key });
        }
    }

    /// Which sides of the rectangle a corner of the other face lies beyond, a bit for each: u = +h, v = +h, u = -h, v = -h.
    fn beyond(&self, p: Vec2) -> usize {
        let (h, bit) = (self.h2, usize::from);
        bit(p.x > h.x) | bit(p.y > h.y) << 1 | bit(p.x > -h.x) << 2 | bit(p.y > -h.y) << 3
    }

    fn collect(&self, found: &mut Found<'_>) {
        let tol = self.tolerance;
        // corners of the other face over the rectangle
        let inside = self.flat.map(|p| (p.abs() - self.h2).max_element() <= tol);
        for i in (0..4).filter(|&i| inside[i]) {
            self.push(found, self.flat[i], self.height[i], self.placed(self.corner[i]), i as u64);
        }
        if inside == [true; 4] {
            return;
        }

        // corners of the rectangle under the other face, where no corner is already
        let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
        let edge: [Vec2; 4] = core::array::from_fn(|i| self.flat[(i + 1) % 4] - self.flat[i]);
        let length = edge.map(Vec2::length);
        let turn = 1.0_f64.copysign(edge[0].perp_dot(edge[1]));
        let reach = |p: Vec2, i: usize| turn * edge[i].perp_dot(p - self.flat[i]) + tol * length[i];
        let mut covered = [false; 4];
        for (m, &(x, y)) in corners.iter().enumerate() {
            let p = Vec2::new(x * self.h2.x, y * self.h2.y);
            covered[m] = (0..4).all(|i| reach(p, i) >= 0.0);
            if covered[m] && !(0..4).any(|i| inside[i] && (self.flat[i] - p).abs().max_element() <= 2.0 * tol) {
                let height = self.slope.dot(p) + self.base;
                self.push(found, p, height, self.lift(p, height), 4 + m as u64);
            }
        }
        if covered == [true; 4] {
            return;
        }

        // crossings of an edge of the one with an edge of the other
        let beyond = self.flat.map(|p| self.beyond(p));
        for i in 0..4 {
            let j = (i + 1) % 4;
            // sides whose line the edge crosses
            let mut crossed = beyond[i] ^ beyond[j];
            if crossed == 0 || (inside[i] && inside[j]) {
                continue;
            }
            let (p, q) = (self.flat[i], self.flat[j]);
            while crossed != 0 {
                let side = crossed.trailing_zeros() as usize;
                crossed &= crossed - 1;
                // the ends of a side are corners `side - 1` and `side`
                if covered[(side + 3) % 4] && covered[side] {
                    continue;
                }
                let (w, o) = (side % 2, 1 - side % 2);
                let wall = if side < 2 { self.h2[w] } else { -self.h2[w] };
                let (dp, dq) = (p[w] - wall, q[w] - wall);
                if dp * dq >= 0.0 {
                    continue;
                }
                let t = dp / (dp - dq);
                let x = p.lerp(q, t);
                if x[o].abs() >= self.h2[o] || found.holds(x, 2.0 * tol) {
                    continue;
                }
                let height = self.height[i] + t * (self.height[j] - self.height[i]);
                let on_other = self.placed(self.corner[i].lerp(self.corner[j], t));
                self.push(found, x, height, on_other, (8 + 4 * i + side) as u64);
            }
        }
    }
}

/// The coordinates of a vector in turn, that along `axis` last.
fn turned(v: Vec3, axis: usize) -> Vec3 {
    match axis {
        0 => Vec3::new(v.y, v.z, v.x),
        1 => Vec3::new(v.z, v.x, v.y),
        _ => v,
    }
}
