use crate::error::positive;
use crate::{Aabb, MassProperties, ShapeError};
use drystone_math::{Pose, Real, SymmetricMat3, Vec3};

/// All points within `radius` of a segment along y, centred on the origin of its frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Capsule {
    radius: Real,
    half_height: Real,
}

impl Capsule {
    /// A capsule of the given radius and half length of its core segment (m).
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`] if either is not a finite length above zero.
    pub fn new(radius: Real, half_height: Real) -> Result<Self, ShapeError> {
        Ok(Self { radius: positive("radius", radius)?, half_height: positive("half_height", half_height)? })
    }

    /// Radius (m).
    pub fn radius(&self) -> Real {
        self.radius
    }

    /// Half length of the core segment, without the caps (m).
    pub fn half_height(&self) -> Real {
        self.half_height
    }

    pub(crate) fn aabb(&self, pose: &Pose) -> Aabb {
        let axis = pose.direction(Vec3::Y) * self.half_height;
        Aabb::from_center(pose.position, axis.abs() + Vec3::splat(self.radius))
    }

    pub(crate) fn mass_properties(&self, density: Real) -> MassProperties {
        let (r, l) = (self.radius, self.half_height);
        let cylinder = density * core::f64::consts::PI * r * r * 2.0 * l;
        let caps = density * 4.0 / 3.0 * core::f64::consts::PI * r * r * r;
        // caps: each half ball about its own centre of mass, 3/8 r from the flat side, moved out to the ends
        let along = 0.5 * cylinder * r * r + 0.4 * caps * r * r;
        let across = cylinder * (r * r / 4.0 + l * l / 3.0) + caps * (0.4 * r * r + l * l + 0.75 * l * r);
        MassProperties {
            mass: cylinder + caps,
            center: Vec3::ZERO,
            inertia: SymmetricMat3::from_diagonal(Vec3::new(across, along, across)),
        }
    }
}
