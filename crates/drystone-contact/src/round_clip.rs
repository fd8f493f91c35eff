//! Circular faces over other faces, in closed form.

use drystone_core::PosedShape;
use drystone_geometry::{RoundFace, Shape};
use drystone_math::{Real, Vec3};

/// Fractions of an edge at its ends that count as its corners.
const ENDS: Real = 1e-9;

/// Cosine of the angle to a normal up to which an axis tells a direction along the face.
const ACROSS: Real = 0.75;

/// Halvings of an arc of a sixteenth of a circle: as far as its points can be told apart.
const BISECTIONS: u32 = 44;

/// Axes of two faces are apart if they are farther apart than this fraction of the radius.
const APART: Real = 0.01;

/// A face, an edge or a point in the reference body's frame.
pub(crate) struct Outline<'a> {
    /// Corners, counter-clockwise seen from outside (m); of a circle, those that stand for it.
    pub corners: &'a [Vec3],
    /// The circle, if it is one.
    pub round: Option<RoundFace>,
    /// Outward unit normal of a face.
    pub normal: Option<Vec3>,
}

impl Outline<'_> {
    /// The start of each edge and the vector along it (m); a circle has none.
    fn edges(&self) -> impl Iterator<Item = (u64, Vec3, Vec3)> {
        let count = if self.round.is_some() { 0 } else { self.corners.len() };
        let count = if count == 2 { 1 } else { count };
        (0..count).map(|i| {
            let (p, q) = (self.corners[i], self.corners[(i + 1) % self.corners.len()]);
            (i as u64, p, q - p)
        })
    }

    /// Returns true if it covers a point seen along `axis`, which leads out of it, to within `slack` (m).
    fn covers(&self, axis: Vec3, p: Vec3, slack: Real) -> bool {
        if let Some(c) = self.round {
            return (onto(p, axis, c.center, c.axis) - c.center).length() <= c.radius + slack;
        }
        self.corners.len() > 2
            && self.edges().all(|(_, from, along)| {
                let wall = axis.cross(along);
                wall.dot(p - from) >= -slack * wall.length()
            })
    }
}

/// The point of a plane, through `at` with the normal `n`, that lies opposite `p` along `axis`.
fn onto(p: Vec3, axis: Vec3, at: Vec3, n: Vec3) -> Vec3 {
    p + axis * (n.dot(at - p) / n.dot(axis))
}

/// Calls back with the corners of what two outlines, at least one of them a circle, both cover, seen along the reference face's normal `m`: points of the incident outline, each with
/// its name.
pub(crate) fn clip(
    reference: &Outline<'_>,
    incident: &Outline<'_>,
    m: Vec3,
    slack: Real,
    mut found: impl FnMut(Vec3, u64),
) {
    for (i, &p) in incident.corners.iter().enumerate() {
        if reference.covers(m, p, slack) {
            found(p, i as u64);
        }
    }
    let plane = incident.normal.and_then(|n| Some((*incident.corners.first()?, n)));
    if let Some((at, n)) = plane {
        for (i, &p) in reference.corners.iter().enumerate() {
            if incident.covers(-m, p, slack) {
                found(onto(p, m, at, n), 0x100 | i as u64);
            }
        }
    }
    if let Some(c) = reference.round {
        for (i, p, v) in incident.edges() {
            for (k, t) in through(&c, m, p, v).into_iter().enumerate() {
                if t > ENDS && t < 1.0 - ENDS {
                    found(p + v * t, 0x200 | (2 * i) | k as u64);
                }
            }
        }
    }
    if let Some(c) = incident.round {
        for (i, p, u) in reference.edges() {
            for (k, x) in on_wall(&c, m.cross(u), p).into_iter().flatten().enumerate() {
                let s = u.dot(x - p) / u.length_squared();
                if s > ENDS && s < 1.0 - ENDS {
                    found(x, 0x300 | (2 * i) | k as u64);
                }
            }
        }
    }
    if let (Some(c), Some(d)) = (reference.round, incident.round) {
        let mut of_circles = 0;
        for (i, &p) in incident.corners.iter().enumerate() {
            let q = incident.corners[(i + 1) % incident.corners.len()];
            if let Some(x) = on_arc(&c, m, &d, [p, q]) {
                found(x, 0x400 | of_circles);
                of_circles += 1;
            }
        }
    }
}

/// Parameters at which a line, seen along `m`, passes through a circle; NaN if it does not.
fn through(c: &RoundFace, m: Vec3, p: Vec3, v: Vec3) -> [Real; 2] {
    let flat = |x: Vec3| x - m * m.dot(x);
    let (w, v) = (flat(p - c.center), flat(v));
    let (a, b) = (v.length_squared(), v.dot(w));
    let root = (b * b - a * (w.length_squared() - c.radius * c.radius)).sqrt();
    [(-b - root) / a, (-b + root) / a]
}

/// Points at which a circle passes through the plane through `p` with the normal `wall`.
fn on_wall(c: &RoundFace, wall: Vec3, p: Vec3) -> [Option<Vec3>; 2] {
    let across = wall - c.axis * c.axis.dot(wall);
    let Some(g) = across.try_normalize() else { return [None; 2] };
    let h = wall.dot(p - c.center) / wall.dot(g);
    let square = c.radius * c.radius - h * h;
    if square.is_nan() || square <= 0.0 {
        return [None; 2];
    }
    let half = c.axis.cross(g) * square.sqrt();
    [Some(c.center + g * h - half), Some(c.center + g * h + half)]
}

/// Point at which the arc of a circle between two of its points crosses another circle `c`, seen along the axis `m` of
/// that; `None` if both points lie on the same side of it. Found by bisection of the arc.
fn on_arc(c: &RoundFace, m: Vec3, d: &RoundFace, [mut p, mut q]: [Vec3; 2]) -> Option<Vec3> {
    let inside = |x: Vec3| {
        let from = x - c.center;
        (from - m * m.dot(from)).length_squared() < c.radius * c.radius
    };
    let (first, last) = (inside(p), inside(q));
    if first == last {
        return None;
    }
    let middle = |p: Vec3, q: Vec3| d.center + ((p + q) * 0.5 - d.center).normalize_or_zero() * d.radius;
    for _ in 0..BISECTIONS {
        let x = middle(p, q);
        *(if inside(x) == first { &mut p } else { &mut q }) = x;
    }
    Some(middle(p, q))
}

/// A direction (world frame) along faces that meet with the normal `n`, in which their corners begin: one that does not turn with a round shape about its axis.
pub(crate) fn guide(a: PosedShape<'_>, b: PosedShape<'_>, n: Vec3) -> Vec3 {
    let round = |s: &Shape| matches!(s, Shape::Cylinder(_) | Shape::Cone(_));
    let tells = |d: &Vec3| n.dot(*d).abs() < ACROSS;
    for s in [a, b] {
        let axes: &[Vec3] = if round(s.shape) { &[Vec3::Y] } else { &[Vec3::X, Vec3::Z] };
        if let Some(d) = axes.iter().map(|d| s.pose.direction(*d)).find(tells) {
            return d;
        }
    }
    let between = b.pose.position - a.pose.position;
    let between = between - n * n.dot(between);
    if between.length() > APART * a.shape.bounding_radius().min(b.shape.bounding_radius()) {
        return between;
    }
    if tells(&Vec3::X) { Vec3::X } else { Vec3::Z }
}
