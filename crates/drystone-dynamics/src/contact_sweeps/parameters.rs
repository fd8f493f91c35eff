use crate::corrector::ProjectionSettings;
use crate::{FrictionModel, GeometricStiffness, RowParameters};
use drystone_core::catalogue::{Implementation, Parameter, Settings, chosen};
use drystone_core::parameters;
use drystone_math::Real;

/// Parameters of [`crate::ContactSweeps`].
#[derive(Debug, Clone, PartialEq)]
pub struct SweepParameters {
    /// Whether friction acts.
    pub rough: bool,
    /// Most sweeps of a group at rest, and of one that moves.
    pub sweeps: usize,
    /// Most sweeps of a group that moves.
    pub least_sweeps: usize,
    /// Most visits of a layer as loads are passed down, in a group at rest.
    pub load_sweeps: usize,
    /// The same in a group that moves.
    pub least_load_sweeps: usize,
    /// The largest change at which sweeps stop, as a part of what gravity adds in a step.
    pub tolerance: Real,
    /// Sweeps of the position correction.
    pub correction_iterations: usize,
    /// Penetration that the correction leaves alone (m).
    pub slop: Real,
    /// Geometric stiffness in groups with joints.
    pub stiffness: GeometricStiffness,
    /// How groups are solved that sweeps of contacts alone do not cover, and what counts as an impact in all of them.
    pub rows: RowParameters,
}

/// Fraction of the inertia that geometric stiffness adds which resists the velocity.
const STIFFNESS_DAMPING: Real = 0.1;

impl Default for SweepParameters {
    fn default() -> Self {
        Self::from_settings(&Settings::defaults(&SWEEPS_DESCRIPTION), true)
    }
}

impl SweepParameters {
    /// From checked settings of [`SWEEPS_DESCRIPTION`]; `warm_start` is a setting of the complementarity solver's table.
    pub fn from_settings(s: &Settings, warm_start: bool) -> Self {
        let rows = RowParameters { warm_start, ..RowParameters::from_settings(s) };
        Self {
            rough: rows.friction != FrictionModel::None,
            sweeps: s.integer("sweeps") as usize,
            least_sweeps: s.integer("moving_sweeps") as usize,
            load_sweeps: s.integer("load_sweeps") as usize,
            least_load_sweeps: s.integer("moving_load_sweeps") as usize,
            tolerance: s.real("tolerance"),
            correction_iterations: s.integer("correction_iterations") as usize,
            slop: s.real("slop"),
            stiffness: GeometricStiffness { factor: s.real("geometric_stiffness"), damping: STIFFNESS_DAMPING },
            rows,
        }
    }
}

/// What the scene reader and `drystone list` know of the solver.
pub const SWEEPS_DESCRIPTION: Implementation = Implementation {
    name: "contact-sweeps",
    summary: "loads passed down, then sweeps over whole contact patches until nothing changes; groups with joints by the solver of the lcp table",
    source: "block Gauss-Seidel over contact patches (Jean and Moreau 1992; Murty 1974), after a pass of loads from the top down",
    parameters: parameters!(&OWN, &IMPACTS, &chosen(ProjectionSettings::PARAMETERS, ["slop"]), &ERRORS),
};

const OWN: [Parameter; 6] = [
    Parameter::choice(
        "friction",
        "disc",
        &["none", "disc", "cone"],
        "friction of a patch: none, a disc at its middle and a twist, or Coulomb's cone point by point (by rows, as are grain, rolling and spinning)",
    ),
    Parameter::integer("sweeps", 60, 1, 1_000_000, "most sweeps of a group at rest"),
    Parameter::integer(
        "moving_sweeps",
        4,
        1,
        1_000_000,
        "most sweeps of a group in which a body moves against what carries it",
    ),
    Parameter::integer(
        "load_sweeps",
        1,
        0,
        1_000_000,
        "most visits of a layer as loads are passed down a group at rest; 0: no pass",
    ),
    Parameter::integer("moving_load_sweeps", 1, 0, 1_000_000, "the same in a group that moves"),
    Parameter::real(
        "tolerance",
        0.001,
        0.0,
        1.0,
        "largest change of a sweep at which it is the last one, as a part of what gravity adds in a step",
    ),
];

/// What counts as an impact is the same for rows and patches.
const IMPACTS: [Parameter; 3] = chosen(RowParameters::PARAMETERS, ["restitution", "restitution_law", "resting_factor"]);

const ERRORS: [Parameter; 2] = [
    Parameter::integer(
        "correction_iterations",
        1,
        0,
        1_000_000,
        "sweeps of the correction over the normals of contacts alone",
    ),
    Parameter::real(
        "geometric_stiffness",
        1.0,
        0.0,
        1e6,
        "part of the joints' geometric stiffness h^2 K that counts as inertia, in groups with joints",
    ),
];
