use crate::{Aabb, ShapeError};
use drystone_math::{Pose, Real, Vec3};

/// The half space of all points with `normal . x <= offset`: solid below, free above.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    normal: Vec3,
    offset: Real,
}

impl Plane {
    /// The half space below the plane `normal . x = offset`; the normal may have any length above zero.
    ///
    /// # Errors
    /// [`ShapeError::ZeroDirection`] or [`ShapeError::NotFinite`].
    pub fn new(normal: Vec3, offset: Real) -> Result<Self, ShapeError> {
        if !normal.is_finite() {
            return Err(ShapeError::NotFinite { what: "normal", found: normal.x + normal.y + normal.z });
        }
        if !offset.is_finite() {
            return Err(ShapeError::NotFinite { what: "offset", found: offset });
        }
        let scale = normal.abs().max_element();
        if scale == 0.0 {
            return Err(ShapeError::ZeroDirection { what: "normal" });
        }
        // scaled first so that tiny and huge normals keep their digits; a unit normal is left as it is
        let unit = if (normal.length_squared() - 1.0).abs() < 1e-15 { normal } else { (normal / scale).normalize() };
        Ok(Self { normal: unit, offset })
    }

    /// Unit normal, out of the solid, body frame.
    pub fn normal(&self) -> Vec3 {
        self.normal
    }

    /// Distance of the plane from the frame's origin along the normal (m).
    pub fn offset(&self) -> Real {
        self.offset
    }

    /// The plane in the world: unit normal and offset.
    pub fn placed(&self, pose: &Pose) -> (Vec3, Real) {
        let n = pose.direction(self.normal);
        (n, self.offset + n.dot(pose.position))
    }

    pub(crate) fn aabb(&self, pose: &Pose) -> Aabb {
        let (n, d) = self.placed(pose);
        let mut b = Aabb::ALL;
        // bounded on one side, and only if the normal is along an axis
        for k in 0..3 {
            if n[k] == 1.0 {
                b.max[k] = d;
            } else if n[k] == -1.0 {
                b.min[k] = -d;
            }
        }
        b
    }
}
