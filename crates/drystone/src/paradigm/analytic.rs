//! The presets of analytic simulation.

use super::names::Names;
use super::{Paradigm, Preset, claims};
use crate::ModuleKind;

impl Paradigm {
    /// Analytic simulation with friction: forces at the level of accelerations, advancing from collision to collision.
    pub const ACCELERATION_LCP: Self = Self {
        name: "acceleration-lcp",
        summary: "contact forces at acceleration level by Dantzig's pivoting, Runge-Kutta 4 from collision to collision",
        source: "Baraff 1994 and 1995; Baraff 1989, section 8, for impacts", // E-10 to E-14, B-16 to B-22, C-04 to C-06, L-06
        claims: claims::ACCELERATION,
        names: Names {
            time_control: "event-driven",
            constraint_solver: "acceleration-complementarity",
            collision_solver: "simultaneous",
            lcp: "dantzig",
            ..Names::BASE
        },
        // accelerations from the equations of motion, at the state of each stage
        settings: &[(ModuleKind::MotionSolver, "gyroscopic_rule", Preset::Text("explicit"))],
    };

    /// Analytic simulation without friction, by linear programs.
    pub const ACCELERATION_LP: Self = Self {
        name: "acceleration-lp",
        summary: "frictionless contact forces at acceleration level by linear programs that guess which contacts break",
        source: "Baraff 1989", // E-01 to E-09, B-21
        claims: claims::ACCELERATION_LP,
        names: Names {
            time_control: "event-driven",
            constraint_solver: "acceleration-program",
            collision_solver: "simultaneous",
            lcp: "dantzig",
            ..Names::BASE
        },
        settings: &[
            (ModuleKind::MotionSolver, "gyroscopic_rule", Preset::Text("explicit")),
            (ModuleKind::CollisionSolver, "friction", Preset::Bool(false)),
        ],
    };
}
