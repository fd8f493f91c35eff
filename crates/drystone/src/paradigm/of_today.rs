//! What engines and papers do since the thesis.

use super::{Paradigm, Preset, claims};
use crate::ModuleKind;

/// The modules that these have in common around their constraint solver, in the order of [`ModuleKind`].
const fn around(constraint_solver: &'static str) -> [&'static str; 10] {
    [
        "fixed",
        "semi-implicit-euler",
        constraint_solver,
        "none",
        "aabb-tree",
        "combined",
        "clipping",
        "contact-graph",
        "projected-gauss-seidel",
        "never",
    ]
}

impl Paradigm {
    /// Small steps, soft contacts.
    pub const SUBSTEP_SOFT: Self = Self {
        name: "substep-soft",
        summary: "four small steps per step, soft contacts and joints, relaxation after each: fast, forgiving, joints stay nearly together",
        source: "Catto 2024 (Solver2D, Box2D 3); Macklin et al. 2019",
        claims: claims::SUBSTEP_SOFT,
        names: around("soft-step"),
        settings: &[(ModuleKind::Lcp, "warm_start", Preset::Bool(true))],
    };

    /// Sequential impulses, and positions put right one constraint after the other.
    pub const NONLINEAR_GAUSS_SEIDEL: Self = Self {
        name: "nonlinear-gauss-seidel",
        summary: "sequential impulses in eight sweeps, then three over positions, each constraint evaluated where its bodies are by then",
        source: "Catto, Box2D 2; GDC 2009",
        claims: claims::NONLINEAR,
        names: around("velocity-complementarity"),
        settings: &[
            (ModuleKind::Lcp, "iterations", Preset::Integer(8)),
            (ModuleKind::Lcp, "warm_start", Preset::Bool(true)),
            (ModuleKind::ConstraintSolver, "correction_solver", Preset::Text("nonlinear")),
            (ModuleKind::ConstraintSolver, "correction_iterations", Preset::Integer(3)),
            // what keeps contacts from coming and going
            (ModuleKind::ConstraintSolver, "slop", Preset::Real(5e-3)),
        ],
    };

    /// Positions put right in many small steps.
    pub const XPBD: Self = Self {
        name: "xpbd",
        summary: "extended position-based dynamics: twenty small steps per step, positions put right in each, velocities from the way",
        source: "Müller, Macklin, Chentanez, Jeschke and Kim 2020",
        claims: claims::XPBD,
        names: around("xpbd"),
        settings: &[],
    };

    /// Body after body to the least of inertia and constraint energies.
    pub const AVBD: Self = Self {
        name: "avbd",
        summary: "augmented vertex block descent: implicit Euler body by body, hard constraints by multipliers and a stiffness that grow",
        source: "Giles, Diaz and Yuksel 2025",
        claims: claims::AVBD,
        names: around("avbd"),
        settings: &[(ModuleKind::Lcp, "warm_start", Preset::Bool(true))],
    };
}
