use crate::error::positive;
use crate::{Aabb, MassProperties, ShapeError};
use drystone_math::{Mat3, Pose, Real, SymmetricMat3, Vec3};

/// A box about the origin of its frame, its edges along the axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cuboid {
    half_extents: Vec3,
    /// Half the diagonal (m).
    radius: Real,
}

impl Cuboid {
    /// A box of the given half edge lengths (m).
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`] if one is not a finite length above zero.
    pub fn new(half_extents: Vec3) -> Result<Self, ShapeError> {
        for h in half_extents.to_array() {
            positive("half_extents", h)?;
        }
        Ok(Self { half_extents, radius: half_extents.length() })
    }

    /// Half edge lengths (m).
    #[inline]
    pub fn half_extents(&self) -> Vec3 {
        self.half_extents
    }

    #[inline]
    pub(crate) fn radius(&self) -> Real {
        self.radius
    }

    pub(crate) fn aabb(&self, pose: &Pose) -> Aabb {
        let r = Mat3::from_quat(pose.orientation);
        let h = self.half_extents;
        Aabb::from_center(pose.position, r.x_axis.abs() * h.x + r.y_axis.abs() * h.y + r.z_axis.abs() * h.z)
    }

    pub(crate) fn mass_properties(&self, density: Real) -> MassProperties {
        let h = self.half_extents;
        let mass = density * 8.0 * h.x * h.y * h.z;
        let s = h * h;
        let inertia = SymmetricMat3::from_diagonal(Vec3::new(s.y + s.z, s.z + s.x, s.x + s.y) * (mass / 3.0));
        MassProperties { mass, center: Vec3::ZERO, inertia }
    }
}
