use drystone_math::{Real, Vec3};

/// How two cores stand, in A's frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    /// Signed distance of the cores (m).
    pub distance: Real,
    /// From A to B, unit.
    pub normal: Vec3,
    /// On A's core (m).
    pub on_a: Vec3,
    /// On B's core (m).
    pub on_b: Vec3,
    /// Iterations.
    pub iterations: u32,
}
