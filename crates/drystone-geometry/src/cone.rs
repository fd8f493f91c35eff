use crate::cylinder::{across, rim};
use crate::error::positive;
use crate::{Aabb, MassProperties, ShapeError, SupportFeature};
use drystone_math::{Pose, Real, SymmetricMat3, Vec3};

/// A circular cone along y: its tip at `+half_height`, its base at `-half_height`. The centre of mass lies below
/// the origin of its frame, at `-half_height / 2`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cone {
    radius: Real,
    half_height: Real,
}

impl Cone {
    /// A cone of the given base radius and half height (m).
    ///
    /// # Errors
    /// [`ShapeError::NotPositive`] if either is not a finite length above zero.
    pub fn new(radius: Real, half_height: Real) -> Result<Self, ShapeError> {
        Ok(Self { radius: positive("radius", radius)?, half_height: positive("half_height", half_height)? })
    }

    /// Radius of the base (m).
    pub fn radius(&self) -> Real {
        self.radius
    }

    /// Half height (m).
    pub fn half_height(&self) -> Real {
        self.half_height
    }

    pub(crate) fn support(&self, d: Vec3) -> Vec3 {
        let rim = across(d) * self.radius - Vec3::Y * self.half_height;
        let tip = Vec3::Y * self.half_height;
        if tip.dot(d) >= rim.dot(d) { tip } else { rim }
    }

    pub(crate) fn support_feature(&self, d: Vec3) -> SupportFeature {
        // the base, if the direction is nearer to straight down than to the side's normal
        let side = across(d);
        let normal = (side * (2.0 * self.half_height) + Vec3::Y * self.radius).normalize();
        if -d.y > normal.dot(d) {
            let points = rim(self.radius, -self.half_height, d).collect();
            return SupportFeature { points, radius: 0.0, id: 0 };
        }
        let (tip, rim) = (Vec3::Y * self.half_height, side * self.radius - Vec3::Y * self.half_height);
        SupportFeature { points: [tip, rim].into_iter().collect(), radius: 0.0, id: 1 }
    }

    pub(crate) fn aabb(&self, pose: &Pose) -> Aabb {
        let axis = pose.direction(Vec3::Y);
        let disc = (Vec3::ONE - axis * axis).max(Vec3::ZERO).map(Real::sqrt) * self.radius;
        let tip = pose.position + axis * self.half_height;
        let base = Aabb::from_center(pose.position - axis * self.half_height, disc);
        base.union(&Aabb::new(tip, tip))
    }

    pub(crate) fn mass_properties(&self, density: Real) -> MassProperties {
        let (r, h) = (self.radius, 2.0 * self.half_height);
        let mass = density * core::f64::consts::PI * r * r * h / 3.0;
        let across = mass * (0.15 * r * r + 0.0375 * h * h);
        let inertia = SymmetricMat3::from_diagonal(Vec3::new(across, 0.3 * mass * r * r, across));
        MassProperties { mass, center: Vec3::new(0.0, -0.5 * self.half_height, 0.0), inertia }
    }
}
