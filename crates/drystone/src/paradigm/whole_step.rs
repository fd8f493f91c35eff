//! Presets that pose one problem per step or frame: in velocities, in distances, in positions.

use super::names::Names;
use super::{Paradigm, Preset, claims};
use crate::ModuleKind;

impl Paradigm {
    /// One convex problem per step: regularised forces, errors removed within a chosen time.
    pub const CONVEX_NEWTON: Self = Self {
        name: "convex-newton",
        summary: "one convex problem per step by Newton's method, all contacts and joints at once; unique forces, hardly any penetration",
        source: "Todorov 2014; MuJoCo's documentation, chapter Computation",
        claims: claims::CONVEX_NEWTON,
        names: Names { constraint_solver: "convex-newton", ..Names::BASE },
        settings: &[(ModuleKind::Lcp, "warm_start", Preset::Bool(true))],
    };

    /// SiLVIA's method: distances at the end of the step are complementary to forces.
    pub const POSITION_NCP: Self = Self {
        name: "position-ncp",
        summary: "contact distances at the end of the step complementary to forces, by Newton's method; friction; no drift, bounce or joints",
        source: "Lennerz, Schömer and Warken 1999, section 3", // E-29, E-30, E-31
        claims: claims::POSITION_NCP,
        names: Names { constraint_solver: "position-ncp", ..Names::BASE },
        settings: &[],
    };

    /// Optimisation-based animation: all collisions of a frame happen at its end.
    pub const COLLISION_SYNCHRONIZATION: Self = Self {
        name: "collision-synchronization",
        summary: "bodies fly to the end of the frame, where a quadratic program removes overlap; collisions and friction act there",
        source: "Milenkovic and Schmidl 2001; Erleben 2005, section 2.4.4", // A-24, E-36
        claims: claims::SYNCHRONIZATION,
        names: Names { time_control: "synchronized", lcp: "sparse-principal-pivoting", ..Names::BASE },
        settings: &[
            // number of multiplications: some hundredths of a second per solve; beyond it Gauss-Seidel takes over
            (ModuleKind::Lcp, "work", Preset::Real(1e7)),
            (ModuleKind::Lcp, "warm_start", Preset::Bool(true)),
            (ModuleKind::ConstraintSolver, "correction_solver", Preset::Text("lcp")),
            (ModuleKind::ConstraintSolver, "orthogonal_joints", Preset::Bool(false)),
        ],
    };
}
