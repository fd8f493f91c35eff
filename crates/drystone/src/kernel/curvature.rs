//! How contacts bend: where surfaces touch at poses that contacts were not found at, and what steady motion does to their gaps.

use drystone_core::{ContactPoint, GroupBody, NormalOwner};
use drystone_geometry::Shape;
use drystone_math::{Pose, Real, Vec3};

/// Radius of the ball about a point of the body that touches on its behalf (m); zero where a corner or a face does.
pub(super) fn rounding(shape: &Shape) -> Real {
    match shape {
        Shape::Sphere(s) => s.radius(),
        Shape::Capsule(c) => c.radius(),
        _ => 0.0,
    }
}

/// A contact of two surfaces as they touch now: a corner stays with its body and slides over the other's face, a ball rolls on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TouchingPoint {
    /// Midpoint between the surfaces (m).
    pub(super) position: Vec3,
    /// Unit normal from A to B.
    pub(super) normal: Vec3,
    /// Of both surfaces: zero for corners and faces (m).
    radii: [Real; 2],
    /// The points that stay with the bodies: corners, or the centres of balls.
    centres: [Vec3; 2],
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The normal is that of a face of A, or of B.
    Face(usize),
    /// It leads from one ball's centre to the other's.
    Balls,
    /// It stands across two edges.
    Edges,
}

impl TouchingPoint {
    /// That of a contact point with the bodies' frames as they are.
    pub(super) fn of(point: &ContactPoint, frames: [&Pose; 2], shapes: [&Shape; 2], normal: Vec3) -> Self {
        let radii = shapes.map(rounding);
        let surface = [frames[0].point(point.anchor_a), frames[1].point(point.anchor_b)];
        // outward is with the normal for A, against it for B
        let centres = [
            surface[0] - frames[0].direction(point.normal[0]) * radii[0],
            surface[1] + frames[1].direction(point.normal[1]) * radii[1],
        ];
        let kind = match (point.owner, shapes) {
            (_, [Shape::Sphere(_), Shape::Sphere(_)]) => Kind::Balls,
            (NormalOwner::A, _) => Kind::Face(0),
            (NormalOwner::B, _) => Kind::Face(1),
            (NormalOwner::Edges, _) => Kind::Edges,
        };
        let normal = if kind == Kind::Balls { (centres[1] - centres[0]).normalize_or(normal) } else { normal };
        let touch = [centres[0] + normal * radii[0], centres[1] - normal * radii[1]];
        let half = normal * (0.5 * normal.dot(touch[1] - touch[0]));
        let position = match kind {
            Kind::Face(0) => touch[1] - half,
            Kind::Face(_) => touch[0] + half,
            Kind::Balls | Kind::Edges => (touch[0] + touch[1]) * 0.5,
        };
        Self { position, normal, radii, centres, kind }
    }

    /// The rate of the relative velocity at the contact while the bodies go on as they move, with the normal's turn (m/s^2).
    ///
    /// The gap's rate is `n . V` at the point p where the surfaces touch, whatever their shapes, so its second derivative is `n . dV/dt + dn/dt . V`, p moving
    /// with the contact, not with either body. For a corner on a face that is Baraff's `n . (a - b) + 2 dn/dt . (u - v)`.
    pub(super) fn curvature(&self, bodies: [&GroupBody; 2]) -> Vec3 {
        let [a, b] = bodies.map(|body| body.velocity);
        let [from_a, from_b] = bodies.map(|body| body.pose.position);
        let [at_a, at_b] = [a.at(self.centres[0] - from_a), b.at(self.centres[1] - from_b)];
        let n = self.normal;
        let (turn, moves) = match self.kind {
            Kind::Face(side) => {
                let turn = [a, b][side].angular.cross(n);
                let moves = if side == 0 { at_b - turn * self.radii[1] } else { at_a + turn * self.radii[0] };
                (turn, moves)
            }
            Kind::Balls => {
                let apart = at_b - at_a;
                let turn = (apart - n * n.dot(apart)) / (self.centres[1] - self.centres[0]).dot(n);
                (turn, at_a + turn * self.radii[0])
            }
            // right to first order for edges at right angles
            Kind::Edges => (((a.angular + b.angular) * 0.5).cross(n), (at_a + at_b) * 0.5),
        };
        let slip = b.at(self.position - from_b) - a.at(self.position - from_a);
        let bend = b.angular.cross(moves - b.linear) - a.angular.cross(moves - a.linear);
        bend + n * turn.dot(slip)
    }
}
