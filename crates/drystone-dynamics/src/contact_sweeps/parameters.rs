use crate::{FrictionModel, GeometricStiffness, ProjectionSettings, RowParameters};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{choice, settings};
use drystone_math::Real;

choice! {
    /// Friction that contact patches have.
    pub enum PatchFriction {
        /// None.
        None = "none",
        /// A disc at each point of the patch.
        Disc = "disc",
        /// Coulomb's cone, point by point: by rows, not by patches.
        Cone = "cone",
    }
}

impl PatchFriction {
    /// The same set for rows.
    pub(crate) const fn of_rows(self) -> FrictionModel {
        match self {
            Self::None => FrictionModel::None,
            Self::Disc => FrictionModel::Disc,
            Self::Cone => FrictionModel::Cone,
        }
    }
}

settings! {
    /// Parameters of [`crate::ContactSweeps`].
    #[derive(Debug, Clone, PartialEq)]
    pub struct SweepParameters {
        /// friction of a patch: none, a disc at each of its points, or Coulomb's cone (by rows, as are grain, rolling and spinning)
        friction: PatchFriction = choice(Disc),
        /// maximum sweeps of a group at rest, and of the patches of a moving one that are still far off after moving_sweeps
        sweeps: usize = integer(60, 1, 1_000_000),
        /// maximum sweeps of a group in which a body moves relative to its support
        moving_sweeps: usize = integer(4, 1, 1_000_000),
        /// maximum visits per layer when loads are passed down a group at rest; 0: no pass
        load_sweeps: usize = integer(1, 0, 1_000_000),
        /// the same for a moving group
        moving_load_sweeps: usize = integer(1, 0, 1_000_000),
        /// sweeps end when the largest change is below this fraction of the velocity that gravity adds per step
        tolerance: Real = real(0.001, 0.0, 1.0),
        /// Parameters for groups that sweeps of contacts alone do not cover, and the definition of an impact in all of
        /// them.
        rows: RowParameters = some("restitution", "restitution_law", "resting_factor"),
        /// least sub-steps per step of groups with joints, which are solved all at once in each; up to four times as many where bodies spin or swing fast
        sub_steps: usize = integer(1, 1, 100),
        /// Overlap that the correction leaves.
        projection: ProjectionSettings = some("slop"),
        /// sweeps of the correction, over contact normals only
        correction_iterations: usize = integer(1, 0, 1_000_000),
        /// fraction of the joints' geometric stiffness h^2 K that is added to the inertia, in groups with joints
        geometric_stiffness: Real = real(1.0, 0.0, 1e6),
    }
}

impl SweepParameters {
    /// From checked settings of [`SWEEPS_DESCRIPTION`]; `warm_start` is a setting of the complementarity solver's table.
    pub fn with_warm_start(settings: &Settings, warm_start: bool) -> Self {
        let own = Self::from_settings(settings);
        Self { rows: RowParameters { warm_start, ..own.rows }, ..own }
    }

    /// Returns true if friction acts.
    pub(crate) fn is_rough(&self) -> bool {
        self.friction != PatchFriction::None
    }

    /// The geometric stiffness of groups with joints, with the damping that is the same for all of them.
    pub(crate) fn stiffness(&self) -> GeometricStiffness {
        GeometricStiffness { factor: self.geometric_stiffness, ..GeometricStiffness::default() }
    }
}

/// Description of the solver for the scene reader and `drystone list`.
pub const SWEEPS_DESCRIPTION: Implementation = Implementation {
    name: "contact-sweeps",
    summary: "loads passed down, then sweeps over whole contact patches until nothing changes; groups with joints by the solver of the lcp table",
    source: "block Gauss-Seidel over contact patches (Jean and Moreau 1992; Murty 1974), after a pass of loads from the top down",
    parameters: SweepParameters::PARAMETERS,
};
