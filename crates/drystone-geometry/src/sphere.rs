use crate::error::positive;
use crate::{Aabb, MassProperties, ShapeError};
use drystone_math::{Real, SymmetricMat3, Vec3};

/// A ball about the origin of its frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    radius: Real,
}

impl Sphere {
    /// A ball of the given radius (m).
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`] if the radius is not a finite length above zero.
    pub fn new(radius: Real) -> Result<Self, ShapeError> {
        Ok(Self { radius: positive("radius", radius)? })
    }

    /// Radius (m).
    pub fn radius(&self) -> Real {
        self.radius
    }

    pub(crate) fn aabb(self, center: Vec3) -> Aabb {
        Aabb::from_center(center, Vec3::splat(self.radius))
    }

    pub(crate) fn mass_properties(self, density: Real) -> MassProperties {
        let r = self.radius;
        let mass = density * 4.0 / 3.0 * core::f64::consts::PI * r * r * r;
        let inertia = SymmetricMat3::from_diagonal(Vec3::splat(0.4 * mass * r * r));
        MassProperties { mass, center: Vec3::ZERO, inertia }
    }
}
