use drystone_math::{Real, SymmetricMat3, Vec3};

/// Mass, centre of mass and inertia of a homogeneous solid.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MassProperties {
    /// Mass (kg).
    pub mass: Real,
    /// Centre of mass in the shape's frame (m).
    pub center: Vec3,
    /// Inertia about the centre of mass, in the axes of the shape's frame (kg m^2).
    pub inertia: SymmetricMat3,
}
