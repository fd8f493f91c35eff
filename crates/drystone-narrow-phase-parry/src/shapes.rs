use crate::hulls::Hulls;
use crate::vectors::{pose_to_parry, to_parry};
use drystone_core::PosedShape;
use drystone_geometry::Shape;
use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::shape;
use std::sync::Arc;

/// A shape as parry has it, made on the stack where that is cheap.
pub(crate) enum Form {
    Ball(shape::Ball),
    Cuboid(shape::Cuboid),
    Capsule(shape::Capsule),
    Cylinder(shape::Cylinder),
    Cone(shape::Cone),
    HalfSpace(shape::HalfSpace),
    Hull(Arc<shape::ConvexPolyhedron>),
}

impl Form {
    pub(crate) fn as_shape(&self) -> &dyn shape::Shape {
        match self {
            Self::Ball(s) => s,
            Self::Cuboid(s) => s,
            Self::Capsule(s) => s,
            Self::Cylinder(s) => s,
            Self::Cone(s) => s,
            Self::HalfSpace(s) => s,
            Self::Hull(s) => s.as_ref(),
        }
    }
}

/// A shape and where parry has it.
pub(crate) struct Placed {
    pub(crate) shape: Form,
    pub(crate) pose: ParryPose,
}

/// Returns true if [`Placed::of`] has a form for it.
pub(crate) fn is_known(shape: &Shape) -> bool {
    matches!(
        shape,
        Shape::Sphere(_)
            | Shape::Box(_)
            | Shape::Capsule(_)
            | Shape::Cylinder(_)
            | Shape::Cone(_)
            | Shape::Plane(_)
            | Shape::Convex(_)
    )
}

impl Placed {
    /// `None` for what parry is not asked about.
    pub(crate) fn of(posed: PosedShape<'_>, hulls: &Hulls) -> Option<Self> {
        let mut pose = posed.pose;
        let shape = match posed.shape {
            Shape::Sphere(s) => Form::Ball(shape::Ball::new(s.radius())),
            Shape::Box(s) => Form::Cuboid(shape::Cuboid::new(to_parry(s.half_extents()))),
            Shape::Capsule(s) => Form::Capsule(shape::Capsule::new_y(s.half_height(), s.radius())),
            Shape::Cylinder(s) => Form::Cylinder(shape::Cylinder::new(s.half_height(), s.radius())),
            Shape::Cone(s) => Form::Cone(shape::Cone::new(s.half_height(), s.radius())),
            Shape::Plane(s) => {
                // theirs goes through the origin of its frame
                pose.position = pose.point(s.normal() * s.offset());
                Form::HalfSpace(shape::HalfSpace::new(to_parry(s.normal())))
            }
            Shape::Convex(s) => Form::Hull(hulls.get(s)?),
            _ => return None,
        };
        Some(Self { shape, pose: pose_to_parry(&pose) })
    }
}
