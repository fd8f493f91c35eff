use super::BoundingVolume;
use super::volume::principal_axes;
use crate::triangle::closest_on_segments;
use drystone_math::{Mat3, Pose, Real, Vec3};

/// A rectangle thickened by a ball that runs over it (a rectangle swept sphere). The distance between two of them is exact,
/// that of their rectangles less the radii; for flat pieces of a surface near each other this prunes more than boxes do.
///
/// # Source
/// Larsen, Gottschalk, Lin and Manocha 1999, "Fast proximity queries with swept sphere volumes", in the reading list of J-22.
/// Differs in: the rectangle's ends are drawn in corner by corner, as far as the points allow; the distance between two
/// rectangles is the least over corners and edges, not found by a walk over Voronoi regions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SweptRectangle {
    /// Middle of the rectangle (m).
    pub center: Vec3,
    /// Along the rectangle's sides and across it, orthonormal, as columns.
    pub axes: Mat3,
    /// Half lengths of the sides (m).
    pub half: [Real; 2],
    /// Radius of the ball (m).
    pub radius: Real,
}

impl SweptRectangle {
    /// The distance of a point from the rectangle, in the rectangle's own frame (m).
    fn beside(&self, p: Vec3) -> Real {
        let out = |k: usize| (p[k].abs() - self.half[k]).max(0.0);
        Vec3::new(out(0), out(1), p.z).length()
    }

    /// The corners, counter-clockwise, for a frame `axes` at `center`.
    fn corners(&self, center: Vec3, axes: &Mat3) -> [Vec3; 4] {
        let (u, v) = (axes.x_axis * self.half[0], axes.y_axis * self.half[1]);
        [center - u - v, center + u - v, center + u + v, center - u + v]
    }

    /// Returns true if an edge of the loop passes through the rectangle; all in the rectangle's own frame.
    fn is_pierced(&self, corners: &[Vec3; 4]) -> bool {
        (0..4).any(|i| {
            let (p, q) = (corners[i], corners[(i + 1) % 4]);
            (p.z > 0.0) != (q.z > 0.0) && {
                let x = p.lerp(q, p.z / (p.z - q.z));
                x.x.abs() <= self.half[0] && x.y.abs() <= self.half[1]
            }
        })
    }
}

/// The shortest interval along a side with every point within its own reach of it; a single point if that suffices.
fn drawn_in(reaches: impl Iterator<Item = (Real, Real)> + Clone) -> (Real, Real) {
    let lo = reaches.clone().fold(Real::INFINITY, |m, (x, reach)| m.min(x + reach));
    let hi = reaches.fold(Real::NEG_INFINITY, |m, (x, reach)| m.max(x - reach));
    if lo < hi { (lo, hi) } else { (0.5 * (lo + hi), 0.5 * (lo + hi)) }
}

impl BoundingVolume for SweptRectangle {
    const NAME: &'static str = "rss";

    fn around(points: &[Vec3]) -> Self {
        let found = principal_axes(points);
        let extent = |axis: Vec3| {
            points.iter().fold((Real::INFINITY, Real::NEG_INFINITY), |(lo, hi), p| {
                let h = axis.dot(*p);
                (lo.min(h), hi.max(h))
            })
        };
        // across the rectangle the points reach the least
        let mut order = [0, 1, 2].map(|k| {
            let (lo, hi) = extent(found.col(k));
            (hi - lo, k)
        });
        order.sort_by(|x, y| y.0.total_cmp(&x.0));
        let (x, y) = (found.col(order[0].1), found.col(order[1].1));
        let axes = Mat3::from_cols(x, y, x.cross(y));
        let (low, high) = extent(axes.z_axis);
        let level = 0.5 * (low + high);
        let radius = 0.5 * (high - low);
        let local = |p: &Vec3| {
            let q = axes.transpose_mul_vec3(*p);
            Vec3::new(q.x, q.y, q.z - level)
        };
        let reach = |q: &Vec3, off: Real| (radius * radius - q.z * q.z - off * off).max(0.0).sqrt();
        let along = |k: usize| drawn_in(points.iter().map(local).map(move |q| (q[k], reach(&q, 0.0))));
        let (mut x, y) = (along(0), along(1));
        // at a corner the ball reaches less far than along a side
        for q in points.iter().map(local) {
            let off = (y.0 - q.y).max(q.y - y.1).max(0.0);
            let reach = reach(&q, off);
            (x.0, x.1) = (x.0.min(q.x + reach), x.1.max(q.x - reach));
        }
        let middle = Vec3::new(0.5 * (x.0 + x.1), 0.5 * (y.0 + y.1), level);
        let mut made = Self { center: axes * middle, axes, half: [0.5 * (x.1 - x.0), 0.5 * (y.1 - y.0)], radius };
        // grown to take in what rounding left outside
        let outside =
            points.iter().fold(0.0, |m: Real, p| m.max(made.beside(axes.transpose_mul_vec3(*p - made.center))));
        made.radius = made.radius.max(outside) * (1.0 + 1e-14);
        made
    }

    fn distance(&self, other: &Self, other_pose: &Pose) -> Real {
        let turn = Mat3::from_quat(other_pose.orientation) * other.axes;
        let offset = other_pose.point(other.center) - self.center;
        // B in the frame of A, and A in that of B
        let (b_axes, b_center) = (self.axes.transpose() * turn, self.axes.transpose_mul_vec3(offset));
        let (a_axes, a_center) = (turn.transpose() * self.axes, turn.transpose_mul_vec3(-offset));
        let its = other.corners(b_center, &b_axes);
        let own = self.corners(a_center, &a_axes);
        let mut best = Real::INFINITY;
        for k in 0..4 {
            best = best.min(self.beside(its[k])).min(other.beside(own[k]));
        }
        if self.is_pierced(&its) || other.is_pierced(&own) {
            return 0.0;
        }
        let edges = self.corners(Vec3::ZERO, &Mat3::IDENTITY);
        for i in 0..4 {
            for j in 0..4 {
                let (p, q) = closest_on_segments(edges[i], edges[(i + 1) % 4], its[j], its[(j + 1) % 4]);
                best = best.min((q - p).length());
            }
        }
        (best - self.radius - other.radius).max(0.0)
    }

    fn distance_to(&self, point: Vec3) -> Real {
        (self.beside(self.axes.transpose_mul_vec3(point - self.center)) - self.radius).max(0.0)
    }

    fn volume(&self) -> Real {
        let ([x, y], r, pi) = (self.half, self.radius, core::f64::consts::PI);
        8.0 * x * y * r + 2.0 * pi * r * r * (x + y) + 4.0 / 3.0 * pi * r.powi(3)
    }
}
