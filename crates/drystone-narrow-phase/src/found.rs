use drystone_math::{Real, Vec3};

/// Relative position of two cores, in A's frame.
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

impl Found {
    /// The same with a given point of A's core, and for B the point at the distance from it along the normal.
    pub(crate) fn opposite(self, on_a: Vec3) -> Self {
        Self { on_a, on_b: on_a + self.normal * self.distance, ..self }
    }
}
