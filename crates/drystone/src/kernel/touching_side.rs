//! The part of a body that touches: as much of its surface near a contact point as the point's motion depends on.

use drystone_geometry::{ConvexPolyhedron, Shape};
use drystone_math::elementary::hypot;
use drystone_math::{Pose, Real, Vec3};

/// Sine of the angle up to which a normal counts as along or across an axis.
const ALIGNED: Real = 1e-6;

/// Sine of the angle between the axis and the normal below which a round shape lies flat instead of rolling.
const LYING: Real = 0.5;

/// The centre of what touches, and the radius of the surface around it. It is fixed to its body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TouchingSide {
    pub(super) feature: Feature,
    /// The position of a corner, of the point of an edge or a face, or of a ball's centre (m).
    pub(super) centre: Vec3,
    /// The radius of a ball around the centre, or of a cylinder around the line; zero for corners, edges and faces (m).
    pub(super) radius: Real,
}

/// The type of surface around the centre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Feature {
    /// Flat: the normal turns with the body.
    Face,
    /// A corner or a ball.
    Point,
    /// An edge, or the axis of a cylinder: along this unit vector.
    Line(Vec3),
}

impl TouchingSide {
    /// The side of a body at a surface point with an outward normal, both in its frame; a face if the shape is neither round nor a convex polyhedron.
    pub(super) fn of(shape: &Shape, frame: &Pose, at: Vec3, outward: Vec3) -> Self {
        let local = Self::local(shape, at, outward);
        let feature = match local.feature {
            Feature::Line(along) => Feature::Line(frame.direction(along)),
            other => other,
        };
        Self { feature, centre: frame.point(local.centre), ..local }
    }

    /// The radius of a surface at a point with an outward normal (m): zero at corners and edges, infinite at faces. For a cylinder or cone it is the radius of
    /// rolling, on its side as well as on its rim; if it lies flatter than it stands, its rim counts as a face.
    pub(super) fn radius_at(shape: &Shape, at: Vec3, outward: Vec3) -> Real {
        if matches!(shape, Shape::Cylinder(_) | Shape::Cone(_)) {
            let across = hypot(outward.x, outward.z);
            return if across < LYING { Real::INFINITY } else { hypot(at.x, at.z) / across };
        }
        let Self { feature, radius, .. } = Self::local(shape, at, outward);
        if feature == Feature::Face { Real::INFINITY } else { radius }
    }

    fn local(shape: &Shape, at: Vec3, n: Vec3) -> Self {
        let axial = Vec3::new(0.0, at.y, 0.0);
        let round = n.y.abs() < ALIGNED;
        match shape {
            Shape::Sphere(s) => Self::ball(at, n, s.radius()),
            Shape::Capsule(c) if round => Self::line(Vec3::Y, axial, c.radius()),
            Shape::Capsule(c) => Self::ball(at, n, c.radius()),
            Shape::Cylinder(c) if round => Self::line(Vec3::Y, axial, c.radius()),
            Shape::Cone(c) => {
                let (up, out) = (c.radius(), 2.0 * c.half_height());
                let slant = hypot(up, out);
                let from_axis = hypot(at.x, at.z);
                // the ball on the axis that touches the side all round: correct on planes, on which a cone rolls
                let on_side = (n.y - up / slant).abs() < ALIGNED && from_axis > 0.0;
                if on_side { Self::ball(at, n, from_axis * slant / out) } else { Self::end(at, n) }
            }
            Shape::Cylinder(_) => Self::end(at, n),
            Shape::Box(_) => Self::of_box(at, n),
            Shape::Convex(c) => Self::of_polyhedron(c, at, n),
            _ => Self::face(at),
        }
    }

    /// A flat end of a cylinder or cone, or a point of its rim.
    fn end(at: Vec3, n: Vec3) -> Self {
        if hypot(n.x, n.z) < ALIGNED { Self::face(at) } else { Self::point(at) }
    }

    fn of_box(at: Vec3, n: Vec3) -> Self {
        let across = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| (axis, axis.dot(n).abs() < ALIGNED));
        match across.iter().filter(|(_, across)| *across).count() {
            2.. => Self::face(at),
            1 => across
                .iter()
                .find(|(_, across)| *across)
                .map_or(Self::point(at), |(axis, _)| Self::line(*axis, at, 0.0)),
            _ => Self::point(at),
        }
    }

    fn of_polyhedron(shape: &ConvexPolyhedron, at: Vec3, n: Vec3) -> Self {
        if (0..shape.face_count()).any(|f| shape.face_plane(f).0.cross(n).length() < ALIGNED) {
            return Self::face(at);
        }
        // the edge perpendicular to the normal that is nearest to the point
        let mut nearest = (Real::INFINITY, None);
        for edge in shape.edges() {
            let [from, to] = edge.map(|v| shape.vertices()[v as usize]);
            let Some(along) = (to - from).try_normalize() else { continue };
            let way = (at - from).dot(along).clamp(0.0, from.distance(to));
            let apart = at.distance(from + along * way);
            if along.dot(n).abs() < ALIGNED && apart < nearest.0 {
                nearest = (apart, Some(along));
            }
        }
        nearest.1.map_or(Self::point(at), |along| Self::line(along, at, 0.0))
    }

    fn ball(at: Vec3, n: Vec3, radius: Real) -> Self {
        Self { feature: Feature::Point, centre: at - n * radius, radius }
    }

    fn line(along: Vec3, centre: Vec3, radius: Real) -> Self {
        Self { feature: Feature::Line(along), centre, radius }
    }

    fn point(centre: Vec3) -> Self {
        Self { feature: Feature::Point, centre, radius: 0.0 }
    }

    fn face(centre: Vec3) -> Self {
        Self { feature: Feature::Face, centre, radius: 0.0 }
    }

    /// The same side as a point: what touches a face touches it there.
    pub(super) fn as_point(self) -> Self {
        Self { feature: Feature::Point, ..self }
    }

    /// The same side as a face.
    pub(super) fn as_face(self) -> Self {
        Self { feature: Feature::Face, ..self }
    }
}
