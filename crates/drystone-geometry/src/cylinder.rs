use crate::error::positive;
use crate::{Aabb, MassProperties, ShapeError, SupportFeature};
use drystone_math::elementary::{cos, sin};
use drystone_math::{Pose, Real, SymmetricMat3, Vec3};

/// A circular cylinder along y, centred on the origin of its frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cylinder {
    radius: Real,
    half_height: Real,
}

/// Number of corners that represent a rim in a support feature.
pub(crate) const RIM: usize = 8;

/// If a direction's sideways component is below this, a cap lies flat and its corners stay where they are.
const FLAT: Real = 1e-3;

/// Corners of the rim of a cap at height `y`, counter-clockwise seen from outside: from `+y` above zero, from `-y` below. One corner lies
/// outermost along `direction`.
pub(crate) fn rim(radius: Real, y: Real, direction: Vec3) -> impl Iterator<Item = Vec3> {
    let side = Vec3::new(direction.x, 0.0, direction.z);
    let e = if side.length() > FLAT { side.normalize() } else { Vec3::X };
    let f = if y > 0.0 { Vec3::Y.cross(e) } else { -Vec3::Y.cross(e) };
    (0..RIM).map(move |i| {
        let w = core::f64::consts::TAU * i as Real / RIM as Real;
        (e * cos(w) + f * sin(w)) * radius + Vec3::Y * y
    })
}

/// The unit direction of a vector's component across y.
pub(crate) fn across(direction: Vec3) -> Vec3 {
    Vec3::new(direction.x, 0.0, direction.z).normalize_or(Vec3::X)
}

impl Cylinder {
    /// A cylinder of the given radius and half height (m).
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

    /// Half height (m).
    pub fn half_height(&self) -> Real {
        self.half_height
    }

    pub(crate) fn support(&self, d: Vec3) -> Vec3 {
        across(d) * self.radius + Vec3::Y * self.half_height.copysign(d.y)
    }

    pub(crate) fn support_feature(&self, d: Vec3) -> SupportFeature {
        if d.y.abs() > core::f64::consts::FRAC_1_SQRT_2 {
            let up = d.y > 0.0;
            let y = self.half_height.copysign(d.y);
            return SupportFeature { points: rim(self.radius, y, d).collect(), radius: 0.0, id: u32::from(up) };
        }
        let (side, end) = (across(d) * self.radius, Vec3::Y * self.half_height);
        SupportFeature { points: [side + end, side - end].into_iter().collect(), radius: 0.0, id: 2 }
    }

    pub(crate) fn aabb(&self, pose: &Pose) -> Aabb {
        let axis = pose.direction(Vec3::Y);
        let disc = (Vec3::ONE - axis * axis).max(Vec3::ZERO).map(Real::sqrt) * self.radius;
        Aabb::from_center(pose.position, axis.abs() * self.half_height + disc)
    }

    pub(crate) fn mass_properties(&self, density: Real) -> MassProperties {
        let (r, l) = (self.radius, self.half_height);
        let mass = density * core::f64::consts::PI * r * r * 2.0 * l;
        let across = mass * (r * r / 4.0 + l * l / 3.0);
        let inertia = SymmetricMat3::from_diagonal(Vec3::new(across, 0.5 * mass * r * r, across));
        MassProperties { mass, center: Vec3::ZERO, inertia }
    }
}
