use super::{Impact, Motion, approach};
use crate::gjk_epa::separation_toward;
use crate::minkowski::Difference;
use drystone_geometry::bvh::Branch;
use drystone_geometry::triangle::closest_between_triangles;
use drystone_geometry::{MeshShape, Shape};
use drystone_math::{Pose, Real, Vec3};
use smallvec::SmallVec;

/// One side of a pair: a mesh with its tree, or a convex shape in one piece.
#[derive(Clone, Copy)]
enum Side<'a> {
    Mesh(&'a MeshShape),
    Convex(&'a Shape),
}

/// A ball about a part of a side: its centre in the world, its radius, and how far the part reaches from its frame's origin (m).
#[derive(Clone, Copy)]
struct Part {
    center: Vec3,
    radius: Real,
    reach: Real,
}

/// Two moving sides, at least one of them a mesh.
pub(crate) struct Advance<'a> {
    a: Side<'a>,
    b: Side<'a>,
    motion_a: &'a Motion,
    motion_b: &'a Motion,
    tolerance: Real,
}

/// Time until the nearest parts may touch (s), and two parts that are within the tolerance now.
#[derive(Clone, Copy)]
struct Safe {
    step: Real,
    touch: Option<Near>,
}

/// Relative position of two leaves: in A's frame, or in the world if stated.
#[derive(Clone, Copy)]
pub(crate) struct Near {
    /// Distance (m), zero if they overlap.
    pub gap: Real,
    /// Unit, from A to B.
    pub normal: Vec3,
    /// The nearest point of a triangle (m).
    pub point: Vec3,
}

impl<'a> Side<'a> {
    fn of(shape: &'a Shape) -> Option<Self> {
        match shape {
            Shape::Mesh(m) => Some(Self::Mesh(m)),
            s if s.is_convex() => Some(Self::Convex(s)),
            _ => None,
        }
    }

    fn part(self, node: usize, pose: &Pose) -> Part {
        match self {
            Self::Mesh(m) => {
                let ball = m.balls().volume(node);
                let reach = ball.center.length() + ball.radius;
                Part { center: pose.point(ball.center), radius: ball.radius, reach }
            }
            Self::Convex(s) => {
                let radius = s.bounding_radius();
                Part { center: pose.position, radius, reach: radius }
            }
        }
    }

    fn branch(self, node: usize) -> Branch {
        match self {
            Self::Mesh(m) => m.balls().branch(node),
            Self::Convex(_) => Branch::Leaf(0),
        }
    }

    /// Distance from the frame's origin to the farthest point of a triangle, or of the whole shape (m).
    fn leaf_reach(self, triangle: usize) -> Real {
        match self {
            Self::Mesh(m) => m.mesh().corners(triangle).iter().fold(0.0, |r: Real, p| r.max(p.length())),
            Self::Convex(s) => s.bounding_radius(),
        }
    }
}

impl<'a> Advance<'a> {
    /// `None` if there is no mesh, or if a shape is neither a mesh nor convex.
    pub(crate) fn new(
        (a, motion_a): (&'a Shape, &'a Motion),
        (b, motion_b): (&'a Shape, &'a Motion),
        tolerance: Real,
    ) -> Option<Self> {
        let (a, b) = (Side::of(a)?, Side::of(b)?);
        let mesh = |s: Side<'_>| matches!(s, Side::Mesh(_));
        (mesh(a) || mesh(b)).then_some(Self { a, b, motion_a, motion_b, tolerance })
    }

    pub(crate) fn run(&self, duration: Real, iterations: u32) -> Impact {
        let mut time = 0.0;
        for _ in 0..iterations {
            let safe = self.safe(time, duration - time);
            if safe.touch.is_some() {
                return Impact::At(time);
            }
            time += safe.step;
            if time > duration {
                return Impact::Never;
            }
        }
        Impact::NotBefore(time)
    }

    /// The parts that touch at a time (s), in the world.
    pub(crate) fn touch(&self, time: Real) -> Option<Near> {
        let near = self.safe(time, 0.0).touch?;
        let pose = self.motion_a.at(time);
        Some(Near { normal: pose.direction(near.normal), point: pose.point(near.point), ..near })
    }

    /// The safe step at a time, by branch and bound over both trees; at most slightly longer than `left` (s).
    fn safe(&self, time: Real, left: Real) -> Safe {
        let (pose_a, pose_b) = (self.motion_a.at(time), self.motion_b.at(time));
        let rel = pose_b.relative_to(&pose_a);
        let parts = |m: usize, n: usize| (self.a.part(m, &pose_a), self.b.part(n, &pose_b));
        let bound = |m: usize, n: usize| {
            let (x, y) = parts(m, n);
            let d = y.center - x.center;
            let length = d.length();
            let gap = length - x.radius - y.radius;
            if gap <= self.tolerance {
                return 0.0;
            }
            self.time_to_close(gap, d / length, [x.reach, y.reach])
        };
        let mut safe = Safe { step: left * (1.0 + 1e-9) + Real::MIN_POSITIVE, touch: None };
        let mut stack: SmallVec<[(Real, usize, usize); 128]> = SmallVec::from_slice(&[(bound(0, 0), 0, 0)]);
        while let Some((at_least, m, n)) = stack.pop() {
            if at_least >= safe.step {
                continue;
            }
            let children = match (self.a.branch(m), self.b.branch(n)) {
                (Branch::Leaf(s), Branch::Leaf(t)) => {
                    let near = self.leaves(s, t, &rel);
                    if near.gap <= self.tolerance {
                        return Safe { step: 0.0, touch: Some(near) };
                    }
                    let reach = [self.a.leaf_reach(s), self.b.leaf_reach(t)];
                    safe.step = safe.step.min(self.time_to_close(near.gap, pose_a.direction(near.normal), reach));
                    continue;
                }
                (Branch::Split(l, r), second) => {
                    let (x, y) = parts(m, n);
                    match second {
                        Branch::Split(p, q) if y.radius > x.radius => [(m, p), (m, q)],
                        _ => [(l, n), (r, n)],
                    }
                }
                (Branch::Leaf(_), Branch::Split(p, q)) => [(m, p), (m, q)],
            };
            let mut open = children.map(|(m, n)| (bound(m, n), m, n));
            // the more urgent one goes on top
            if open[0].0 <= open[1].0 {
                open.swap(0, 1);
            }
            stack.extend(open);
        }
        safe
    }

    /// The time (s) after which a gap (m) along `n` can at the earliest have closed to half the tolerance.
    fn time_to_close(&self, gap: Real, n: Vec3, reach: [Real; 2]) -> Real {
        let speed = approach(self.motion_a, self.motion_b, n, reach);
        if speed <= 0.0 { Real::INFINITY } else { (gap - 0.5 * self.tolerance) / speed }
    }

    /// Distance and direction of two leaves, in A's frame.
    fn leaves(&self, s: usize, t: usize, rel: &Pose) -> Near {
        match (self.a, self.b) {
            (Side::Mesh(x), Side::Mesh(y)) => {
                let q = y.mesh().corners(t).map(|p| rel.point(p));
                let (p, q) = closest_between_triangles(x.mesh().corners(s), q);
                let d = q - p;
                Near { gap: d.length(), normal: d.normalize_or(Vec3::Y), point: p }
            }
            (Side::Mesh(x), Side::Convex(y)) => before_triangle(x.mesh().corners(s), y, rel),
            (Side::Convex(x), Side::Mesh(y)) => {
                let back = Pose::IDENTITY.relative_to(rel);
                let near = before_triangle(y.mesh().corners(t), x, &back);
                Near { normal: rel.direction(-near.normal), point: rel.point(near.point), ..near }
            }
            (Side::Convex(_), Side::Convex(_)) => Near { gap: 0.0, normal: Vec3::Y, point: Vec3::ZERO },
        }
    }
}

/// Relative position of a convex shape and a triangle, in the triangle's frame: the normal points from the triangle to
/// the shape.
fn before_triangle(t: [Vec3; 3], shape: &Shape, pose: &Pose) -> Near {
    let Some(d) = Difference::of_triangle(t, shape, pose) else {
        return Near { gap: 0.0, normal: Vec3::Y, point: t[0] };
    };
    let found = separation_toward(&d, pose.position - t[0], Real::INFINITY);
    Near { gap: (found.distance - d.radius).max(0.0), normal: found.normal, point: found.on_a }
}
