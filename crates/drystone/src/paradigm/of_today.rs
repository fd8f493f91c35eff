//! Presets of what engines and papers have done since the thesis.

use super::names::Names;
use super::{Paradigm, Preset, claims};
use crate::ModuleKind;

/// The modules that these presets have in common around their constraint solver.
const AROUND: Names = Names { broad_phase: "aabb-tree", ..Names::BASE };

impl Paradigm {
    /// Small steps with soft contacts.
    pub const SUBSTEP_SOFT: Self = Self {
        name: "substep-soft",
        summary: "four sub-steps per step, soft contacts and joints, relaxation after each: fast, forgiving, joints stay nearly closed",
        source: "Catto 2024 (Solver2D, Box2D 3); Macklin et al. 2019",
        claims: claims::SUBSTEP_SOFT,
        names: Names { constraint_solver: "soft-step", ..AROUND },
        settings: &[(ModuleKind::Lcp, "warm_start", Preset::Bool(true))],
    };

    /// Sequential impulses, and positions corrected one constraint at a time.
    pub const NONLINEAR_GAUSS_SEIDEL: Self = Self {
        name: "nonlinear-gauss-seidel",
        summary: "sequential impulses in eight sweeps, then three over positions, each constraint evaluated at the current poses",
        source: "Catto, Box2D 2; GDC 2009",
        claims: claims::NONLINEAR,
        names: AROUND,
        settings: &[
            (ModuleKind::Lcp, "iterations", Preset::Integer(8)),
            (ModuleKind::Lcp, "warm_start", Preset::Bool(true)),
            (ModuleKind::ConstraintSolver, "correction_solver", Preset::Text("nonlinear")),
            (ModuleKind::ConstraintSolver, "correction_iterations", Preset::Integer(3)),
            // keeps contacts from coming and going
            (ModuleKind::ConstraintSolver, "slop", Preset::Real(5e-3)),
        ],
    };

    /// Positions corrected in many small steps.
    pub const XPBD: Self = Self {
        name: "xpbd",
        summary: "extended position-based dynamics: twenty sub-steps per step, positions corrected in each, velocities from displacements",
        source: "Müller, Macklin, Chentanez, Jeschke and Kim 2020",
        claims: claims::XPBD,
        names: Names { constraint_solver: "xpbd", ..AROUND },
        settings: &[],
    };

    /// Body by body, descends to the minimum of inertia and constraint energies.
    pub const AVBD: Self = Self {
        name: "avbd",
        summary: "augmented vertex block descent: implicit Euler body by body, hard constraints by growing multipliers and stiffness",
        source: "Giles, Diaz and Yuksel 2025",
        claims: claims::AVBD,
        names: Names { constraint_solver: "avbd", ..AROUND },
        settings: &[(ModuleKind::Lcp, "warm_start", Preset::Bool(true))],
    };
}
