use crate::{CollisionGroups, MaterialIndex};
use drystone_geometry::{MassProperties, Shape};
use drystone_math::{Pose, Quat, Real, SymmetricMat3, Twist, Vec3};
use thiserror::Error;

/// Who owns a body's motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum BodyKind {
    /// Moves by forces and impulses.
    Dynamic,
    /// Never moves.
    Fixed,
    /// Moved by a script or by the user (C-16); other bodies react to it, it reacts to none.
    Scripted,
    /// Created in advance but not in the world yet: it meets no other body and does not move (H-07).
    Passive,
}

/// An axis, in the body frame, about which the orientation update is exact (C-11): a wheel's axle.
pub type SpinAxis = Vec3;

/// Properties of a body that stay constant during a step.
#[derive(Debug, Clone)]
pub struct BodyProperties {
    /// Who owns its motion.
    pub kind: BodyKind,
    /// Its shape, in the body frame.
    pub shape: Shape,
    /// Centre of mass in the body frame (m). [`crate::State`] holds the centre's position.
    pub center: Vec3,
    /// Mass (kg); zero if the body is not dynamic.
    pub mass: Real,
    /// Inertia about the centre of mass in body axes (kg m^2); zero if the body is not dynamic.
    pub inertia: SymmetricMat3,
    /// 1 / mass, or zero: not dynamic, or translation locked (C-15).
    pub inverse_mass: Real,
    /// Inverse of the inertia, or zero: not dynamic, or rotation locked (C-15).
    pub inverse_inertia: SymmetricMat3,
    /// Surface.
    pub material: MaterialIndex,
    /// Bodies on different layers do not meet (I-11, N-08).
    pub layer: i64,
    /// Collision groups, which also decide which bodies meet.
    pub groups: CollisionGroups,
    /// The axis about which the orientation update is to be exact, if there is one.
    pub spin_axis: Option<SpinAxis>,
    /// True if the body may fall asleep.
    pub can_sleep: bool,
    /// Factor on uniform gravity for this body: 1 is normal gravity.
    pub gravity_scale: Real,
    /// Decay rates of its linear and its angular velocity (1/s), zero or more.
    pub damping: [Real; 2],
    /// Continuous collision detection: the motion of the body is swept, and the body stops at anything it would
    /// otherwise pass through or enter from afar.
    pub continuous: bool,
    /// Velocity at which its surface runs along itself, in body axes, beyond the motion of the body (m/s, and rad/s about the origin of the body frame): a
    /// conveyor belt, a driven roller. Only fixed and scripted bodies carry others by it.
    pub surface_velocity: Twist,
    /// Sensor: the body reports overlaps and transmits no force. Other bodies pass through it.
    pub sensor: bool,
}

/// Why a body's mass cannot be used.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MassError {
    /// Mass not finite or not above zero.
    #[error("mass must be finite and above zero, found {0}")]
    Mass(Real),
    /// Inertia not positive definite.
    #[error("inertia must be finite and positive definite, found diagonal {0:?}")]
    Inertia([Real; 3]),
}

impl BodyProperties {
    /// A body that never moves.
    pub fn fixed(shape: Shape) -> Self {
        Self {
            kind: BodyKind::Fixed,
            shape,
            center: Vec3::ZERO,
            mass: 0.0,
            inertia: SymmetricMat3::ZERO,
            inverse_mass: 0.0,
            inverse_inertia: SymmetricMat3::ZERO,
            material: MaterialIndex::default(),
            layer: 0,
            groups: CollisionGroups::default(),
            spin_axis: None,
            can_sleep: true,
            gravity_scale: 1.0,
            damping: [0.0; 2],
            continuous: false,
            surface_velocity: Twist::ZERO,
            sensor: false,
        }
    }

    /// Kinetic energy (J) at an orientation of the body axes and a velocity of the centre of mass.
    pub fn kinetic_energy(&self, orientation: Quat, velocity: Twist) -> Real {
        let w = orientation.conjugate() * velocity.angular;
        0.5 * (self.mass * velocity.linear.length_squared() + self.inertia.quadratic(w))
    }

    /// A body moved by a script.
    pub fn scripted(shape: Shape) -> Self {
        Self { kind: BodyKind::Scripted, ..Self::fixed(shape) }
    }

    /// A body moved by forces and impulses.
    ///
    /// # Errors
    /// [`MassError`] if the mass or the inertia is not finite and positive.
    pub fn dynamic(shape: Shape, mass: &MassProperties) -> Result<Self, MassError> {
        if !(mass.mass.is_finite() && mass.mass > 0.0 && (1.0 / mass.mass).is_finite()) {
            return Err(MassError::Mass(mass.mass));
        }
        let inverse =
            mass.inertia.inverse().filter(|i| i.is_positive_definite() && mass.inertia.is_positive_definite());
        let Some(inverse_inertia) = inverse else {
            return Err(MassError::Inertia(mass.inertia.diagonal.to_array()));
        };
        Ok(Self {
            kind: BodyKind::Dynamic,
            center: mass.center,
            mass: mass.mass,
            inertia: mass.inertia,
            inverse_mass: 1.0 / mass.mass,
            inverse_inertia,
            ..Self::fixed(shape)
        })
    }

    /// Returns true if impulses move the body.
    pub fn is_dynamic(&self) -> bool {
        self.kind == BodyKind::Dynamic
    }

    /// The body frame in the world, from the pose of the centre of mass.
    #[inline]
    pub fn frame(&self, center_pose: &Pose) -> Pose {
        if self.center == Vec3::ZERO {
            return *center_pose;
        }
        Pose::new(center_pose.point(-self.center), center_pose.orientation)
    }
}
