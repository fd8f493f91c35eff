use crate::Aabb;
use drystone_math::{Mat3, Pose, Real, SymmetricMat3, Vec3};

/// A convex region around points, with a quick bound on its distance from another (J-02).
pub trait BoundingVolume: Clone {
    /// The usual name of this kind of volume.
    const NAME: &'static str;

    /// A region around the points (m), of which there must be at least one.
    fn around(points: &[Vec3]) -> Self;

    /// A lower bound (m) on the distance from `other`, whose frame has the pose `other_pose` in this one's frame; zero
    /// if they may overlap.
    fn distance(&self, other: &Self, other_pose: &Pose) -> Real;

    /// A lower bound on the distance of a point (m), zero inside.
    fn distance_to(&self, point: Vec3) -> Real;

    /// A measure of size to compare volumes by (m^3).
    fn volume(&self) -> Real;
}

/// A ball: the cheapest bound, and in distance queries usually the best one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundingBall {
    /// Centre (m).
    pub center: Vec3,
    /// Radius (m).
    pub radius: Real,
}

impl BoundingVolume for BoundingBall {
    const NAME: &'static str = "sphere";

    /// The smallest ball (Welzl), grown by rounding.
    fn around(points: &[Vec3]) -> Self {
        let ball = smallest_ball(points);
        let radius = points.iter().fold(0.0, |r: Real, p| r.max((*p - ball.center).length()));
        Self { center: ball.center, radius: radius * (1.0 + 1e-14) }
    }

    fn distance(&self, other: &Self, other_pose: &Pose) -> Real {
        ((other_pose.point(other.center) - self.center).length() - self.radius - other.radius).max(0.0)
    }

    fn distance_to(&self, point: Vec3) -> Real {
        ((point - self.center).length() - self.radius).max(0.0)
    }

    fn volume(&self) -> Real {
        4.0 / 3.0 * core::f64::consts::PI * self.radius.powi(3)
    }
}

/// The smallest ball around points, by Welzl's algorithm in a shuffled order, without recursion over points.
///
/// # Cost
/// Linear in the points on average over all orders. The order is the same in every run but unrelated to the given one:
/// meshes often list points ring by ring, the worst order there is. Points far out come first, since a ball that holds all
/// others from the start never has to be begun anew.
fn smallest_ball(points: &[Vec3]) -> BoundingBall {
    let mut points = shuffled(points);
    far_ones_first(&mut points);
    let mut ball = BoundingBall { center: points[0], radius: 0.0 };
    let inside = |b: &BoundingBall, p: Vec3| {
        (p - b.center).length_squared() <= b.radius * b.radius * (1.0 + 2e-12) + Real::MIN_POSITIVE
    };
    for i in 1..points.len() {
        if inside(&ball, points[i]) {
            continue;
        }
        ball = BoundingBall { center: points[i], radius: 0.0 };
        for j in 0..i {
            if inside(&ball, points[j]) {
                continue;
            }
            ball = through(&[points[i], points[j]]);
            for k in 0..j {
                if inside(&ball, points[k]) {
                    continue;
                }
                ball = through(&[points[i], points[j], points[k]]);
                for l in 0..k {
                    if !inside(&ball, points[l]) {
                        ball = through(&[points[i], points[j], points[k], points[l]]);
                    }
                }
            }
        }
    }
    ball
}

/// Moves four points that lie far apart to the front: two at the ends, and twice the farthest from the middle of those.
fn far_ones_first(points: &mut [Vec3]) {
    let farthest = |points: &[Vec3], from: Vec3| {
        let mut best = (-1.0, 0);
        for (i, p) in points.iter().enumerate() {
            let d = (*p - from).length_squared();
            if d > best.0 {
                best = (d, i);
            }
        }
        best.1
    };
    let mut from = points[0];
    for k in 0..points.len().min(4) {
        let at = k + farthest(&points[k..], from);
        points.swap(k, at);
        from = if k == 0 { points[0] } else { through(&points[..=k]).center };
    }
}

/// The points in a shuffled order that is always the same (Fisher-Yates, by a multiplicative congruential sequence).
fn shuffled(points: &[Vec3]) -> Vec<Vec3> {
    let mut points = points.to_vec();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for i in (1..points.len()).rev() {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        points.swap(i, ((state >> 33) % (i as u64 + 1)) as usize);
    }
    points
}

/// The smallest ball with all the points, two to four, on its surface; if they are degenerate, through the first ones
/// only.
fn through(p: &[Vec3]) -> BoundingBall {
    let o = p[0];
    let from = |q: &Vec3| *q - o;
    let center = match &p[1..] {
        [a] => from(a) * 0.5,
        [a, b] => {
            let (a, b) = (from(a), from(b));
            let n = a.cross(b);
            let s = 2.0 * n.length_squared();
            if s <= Real::MIN_POSITIVE {
                return through(&p[..2]);
            }
            (n.cross(a) * b.length_squared() + b.cross(n) * a.length_squared()) / s
        }
        [a, b, c] => {
            let (a, b, c) = (from(a), from(b), from(c));
            let det = 2.0 * a.dot(b.cross(c));
            let size = a.length_squared().max(b.length_squared()).max(c.length_squared());
            if det.abs() <= 1e-13 * size * size.sqrt() {
                return through(&p[..3]);
            }
            (b.cross(c) * a.length_squared() + c.cross(a) * b.length_squared() + a.cross(b) * c.length_squared()) / det
        }
        _ => Vec3::ZERO,
    };
    BoundingBall { center: o + center, radius: center.length() }
}

/// A box along the axes of the frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AxisBox {
    /// Smallest corner (m).
    pub min: Vec3,
    /// Largest corner (m).
    pub max: Vec3,
}

impl AxisBox {
    /// Gap between two boxes of one frame along each axis (m); negative if they overlap.
    pub fn apart(&self, other: &Self) -> Vec3 {
        (self.min - other.max).max(other.min - self.max)
    }
}

impl From<Aabb> for AxisBox {
    fn from(b: Aabb) -> Self {
        Self { min: b.min, max: b.max }
    }
}

impl BoundingVolume for AxisBox {
    const NAME: &'static str = "aabb";

    fn around(points: &[Vec3]) -> Self {
        let (min, max) =
            points.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(lo, hi), &p| (lo.min(p), hi.max(p)));
        Self { min, max }
    }

    fn distance(&self, other: &Self, other_pose: &Pose) -> Real {
        let (c, h) = ((other.min + other.max) * 0.5, (other.max - other.min) * 0.5);
        let m = Mat3::from_quat(other_pose.orientation);
        let spread = m.x_axis.abs() * h.x + m.y_axis.abs() * h.y + m.z_axis.abs() * h.z;
        let c = other_pose.point(c);
        (self.min - c - spread).max(c - spread - self.max).max(Vec3::ZERO).length()
    }

    fn distance_to(&self, point: Vec3) -> Real {
        (self.min - point).max(point - self.max).max(Vec3::ZERO).length()
    }

    fn volume(&self) -> Real {
        let s = self.max - self.min;
        s.x * s.y * s.z
    }
}

/// A box along the principal axes of its points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrientedBox {
    /// Centre (m).
    pub center: Vec3,
    /// Axes, orthonormal, as columns.
    pub axes: Mat3,
    /// Half edge lengths (m).
    pub half: Vec3,
}

impl BoundingVolume for OrientedBox {
    const NAME: &'static str = "obb";

    fn around(points: &[Vec3]) -> Self {
        let axes = principal_axes(points);
        let (lo, hi) = points.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(lo, hi), &p| {
            let q = axes.transpose_mul_vec3(p);
            (lo.min(q), hi.max(q))
        });
        Self { center: axes * ((lo + hi) * 0.5), axes, half: (hi - lo) * (0.5 + 1e-14) }
    }

    /// The largest separation along the 15 axes of the two boxes.
    fn distance(&self, other: &Self, other_pose: &Pose) -> Real {
        let rel = self.axes.transpose() * Mat3::from_quat(other_pose.orientation) * other.axes;
        let t = self.axes.transpose_mul_vec3(other_pose.point(other.center) - self.center);
        let r = [rel.x_axis, rel.y_axis, rel.z_axis];
        let ar = r.map(Vec3::abs);
        let (h, g) = (self.half, other.half);
        let own = t.abs() - h - ar[0] * g.x - ar[1] * g.y - ar[2] * g.z;
        let tb = Vec3::new(r[0].dot(t), r[1].dot(t), r[2].dot(t));
        let its = tb.abs() - g - Vec3::new(ar[0].dot(h), ar[1].dot(h), ar[2].dot(h));
        let mut best = own.max_element().max(its.max_element());
        if best > 0.0 {
            return best;
        }
        for i in 0..3 {
            for j in 0..3 {
                let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
                let l2 = r[j][i1] * r[j][i1] + r[j][i2] * r[j][i2];
                if l2 < 1e-10 {
                    continue;
                }
                let along = (t[i2] * r[j][i1] - t[i1] * r[j][i2]).abs();
                let reach = h[i1] * ar[j][i2] + h[i2] * ar[j][i1] + g[j1] * ar[j2][i] + g[j2] * ar[j1][i];
                best = best.max((along - reach) / l2.sqrt());
            }
        }
        best.max(0.0)
    }

    fn distance_to(&self, point: Vec3) -> Real {
        let q = self.axes.transpose_mul_vec3(point - self.center);
        (q.abs() - self.half).max(Vec3::ZERO).length()
    }

    fn volume(&self) -> Real {
        8.0 * self.half.x * self.half.y * self.half.z
    }
}

/// The intersection of slabs along 13 fixed directions: those through the faces, edges and corners of a cube (a
/// 26-DOP). Two of them are compared along the directions of the first only.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KDop {
    low: [Real; 13],
    high: [Real; 13],
    /// A ball around the region, which bounds it in all other directions.
    ball: BoundingBall,
}

/// The directions, unit.
fn slab_directions() -> [Vec3; 13] {
    const D: [[Real; 3]; 13] = [
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 1.0, 0.0],
        [1.0, -1.0, 0.0],
        [0.0, 1.0, 1.0],
        [0.0, 1.0, -1.0],
        [1.0, 0.0, 1.0],
        [1.0, 0.0, -1.0],
        [1.0, 1.0, 1.0],
        [1.0, 1.0, -1.0],
        [1.0, -1.0, 1.0],
        [1.0, -1.0, -1.0],
    ];
    D.map(|d| Vec3::from(d).normalize())
}

impl BoundingVolume for KDop {
    const NAME: &'static str = "k-dop";

    fn around(points: &[Vec3]) -> Self {
        let directions = slab_directions();
        let reach = |d: Vec3| points.iter().fold(Real::NEG_INFINITY, |m, p| m.max(d.dot(*p)));
        Self { low: directions.map(|d| -reach(-d)), high: directions.map(reach), ball: BoundingBall::around(points) }
    }

    fn distance(&self, other: &Self, other_pose: &Pose) -> Real {
        let mut best = self.ball.distance(&other.ball, other_pose);
        // the other's three axis slabs, turned, against each slab of this one
        let middle = Vec3::from_array(core::array::from_fn(|k| 0.5 * (other.low[k] + other.high[k])));
        let half = Vec3::from_array(core::array::from_fn(|k| 0.5 * (other.high[k] - other.low[k])));
        let m = Mat3::from_quat(other_pose.orientation);
        let c = other_pose.point(middle);
        for (k, d) in slab_directions().into_iter().enumerate() {
            let spread = m.transpose_mul_vec3(d).abs().dot(half);
            let at = d.dot(c);
            best = best.max(self.low[k] - at - spread).max(at - spread - self.high[k]);
        }
        best
    }

    fn distance_to(&self, point: Vec3) -> Real {
        let mut best: Real = 0.0;
        for (k, d) in slab_directions().into_iter().enumerate() {
            let at = d.dot(point);
            best = best.max(self.low[k] - at).max(at - self.high[k]);
        }
        best
    }

    fn volume(&self) -> Real {
        (0..3).map(|k| self.high[k] - self.low[k]).product()
    }
}

/// Principal axes of a set of points, by Jacobi rotations of its covariance.
pub(super) fn principal_axes(points: &[Vec3]) -> Mat3 {
    let mean = points.iter().fold(Vec3::ZERO, |s, p| s + *p) / points.len() as Real;
    let mut m = SymmetricMat3::ZERO;
    for p in points {
        let d = *p - mean;
        m.diagonal += d * d;
        m.off_diagonal += Vec3::new(d.y * d.z, d.x * d.z, d.x * d.y);
    }
    let mut a = m.to_mat3();
    let mut v = Mat3::IDENTITY;
    for _ in 0..16 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let apq = a.col(q)[p];
            if apq.abs() <= 1e-15 * (a.col(p)[p].abs() + a.col(q)[q].abs()) {
                continue;
            }
            let theta = (a.col(q)[q] - a.col(p)[p]) / (2.0 * apq);
            let t = 1.0_f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            let mut j = Mat3::IDENTITY;
            j.col_mut(p)[p] = c;
            j.col_mut(q)[q] = c;
            j.col_mut(q)[p] = s;
            j.col_mut(p)[q] = -s;
            a = j.transpose() * a * j;
            v *= j;
        }
    }
    v
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ball_of_a_sphere_listed_ring_by_ring_is_that_sphere() {
        let rings = 40;
        let mut points = Vec::new();
        for i in 0..=rings {
            let latitude = core::f64::consts::PI * Real::from(i) / Real::from(rings);
            for j in 0..80 {
                let longitude = core::f64::consts::TAU * Real::from(j) / 80.0;
                let (s, c) = latitude.sin_cos();
                points.push(Vec3::new(1.0 + s * longitude.cos(), c - 2.0, s * longitude.sin()));
            }
        }
        for part in [&points[..], &points[..800]] {
            let ball = BoundingBall::around(part);
            let far = part.iter().map(|p| p.distance(ball.center)).fold(0.0, Real::max);
            assert!(far <= ball.radius && ball.radius <= 1.0 + 1e-9, "{ball:?}");
        }
        let ball = BoundingBall::around(&points);
        assert!((ball.radius - 1.0).abs() < 1e-9 && ball.center.distance(Vec3::new(1.0, -2.0, 0.0)) < 1e-9);
    }

    #[test]
    fn an_oriented_box_has_its_sides_volume() {
        let axes = Mat3::from_quat(drystone_math::Quat::from_rotation_y(0.4));
        let b = OrientedBox { axes, center: Vec3::ONE, half: Vec3::new(0.5, 1.0, 1.5) };
        assert_eq!(b.volume(), 1.0 * 2.0 * 3.0);
    }
}
