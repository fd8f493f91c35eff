use drystone_core::catalogue::Implementation;
use drystone_core::settings;
use drystone_math::Real;

settings! {
    /// Parameters of an [`super::Xpbd`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct XpbdParameters {
        /// sub-steps within a step; contacts are found once
        sub_steps: u32 = integer(20, 1, 10_000),
        /// passes over the positions per sub-step
        position_iterations: u32 = integer(1, 0, 1_000_000),
        /// contacts that approach slower than this times gravity times the sub-step do not bounce
        resting_factor: Real = real(2.0, 0.0, 1e6),
    }
}

/// Description of the solver for the scene reader and `drystone list`.
pub const XPBD_DESCRIPTION: Implementation = Implementation {
    name: "xpbd",
    summary: "extended position-based dynamics: free motion, position correction, velocities from displacements, in many sub-steps",
    source: "Müller, Macklin, Chentanez, Jeschke and Kim 2020",
    parameters: XpbdParameters::PARAMETERS,
};
