use drystone_core::catalogue::{Implementation, Parameter, Settings};
use drystone_math::Real;

/// How an [`super::Xpbd`] steps.
#[derive(Debug, Clone, PartialEq)]
pub struct XpbdParameters {
    /// Sub-steps.
    pub sub_steps: u32,
    /// Passes over the positions a sub-step.
    pub position_iterations: u32,
    /// A contact is resting where it approaches slower than this times gravity times the sub-step.
    pub resting_factor: Real,
}

impl XpbdParameters {
    /// From checked settings.
    pub fn from_settings(s: &Settings) -> Self {
        Self {
            sub_steps: s.integer("sub_steps") as u32,
            position_iterations: s.integer("position_iterations") as u32,
            resting_factor: s.real("resting_factor"),
        }
    }
}

impl Default for XpbdParameters {
    fn default() -> Self {
        Self::from_settings(&Settings::defaults(&XPBD_DESCRIPTION))
    }
}

/// What the scene reader and `drystone list` know of the solver.
pub const XPBD_DESCRIPTION: Implementation = Implementation {
    name: "xpbd",
    summary: "extended position-based dynamics: free motion, positions put right, velocities from the way, in many small steps",
    source: "Müller, Macklin, Chentanez, Jeschke and Kim 2020",
    parameters: &[
        Parameter::integer("sub_steps", 20, 1, 10_000, "sub-steps within a step; contacts are found once"),
        Parameter::integer("position_iterations", 1, 0, 1_000_000, "passes over the positions a sub-step"),
        Parameter::real(
            "resting_factor",
            2.0,
            0.0,
            1e6,
            "contacts that approach slower than this times gravity times the sub-step do not bounce",
        ),
    ],
};
