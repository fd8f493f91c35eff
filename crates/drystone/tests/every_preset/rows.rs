//! How closely each preset is held to each contract suite.

use drystone_testkit::{ConstraintExpectations, CorrectorExpectations, EnergyGain, Heights, NarrowPhaseTolerance};

/// Whether a suite applies to a module.
#[derive(Clone)]
pub(crate) enum Held<T> {
    /// It does, with these tolerances.
    To(T),
    /// It does not, for this reason: the module must then fail the suite, or be absent.
    Exempt(&'static str),
}

use Held::{Exempt, To};

/// What a preset must satisfy, one field for each suite.
#[derive(Clone)]
pub(crate) struct Row {
    pub(crate) preset: &'static str,
    pub(crate) time_control: Held<()>,
    pub(crate) motion_solver: Held<()>,
    pub(crate) constraint_solver: Held<ConstraintExpectations>,
    pub(crate) position_corrector: Held<CorrectorExpectations>,
    pub(crate) collision_solver: Held<()>,
    /// Whether the law may gain energy.
    pub(crate) collision_law: Held<EnergyGain>,
    pub(crate) broad_phase: Held<()>,
    pub(crate) narrow_phase: Held<NarrowPhaseTolerance>,
    pub(crate) contact_determination: Held<()>,
    pub(crate) coherence: Held<Heights>,
    /// Largest residual left on positive definite problems of up to 24 rows.
    pub(crate) lcp: Held<f64>,
    /// Slack in a length, a speed and an angle for rounding and first-order rules.
    pub(crate) kernel: Held<f64>,
}

const STRICT: ConstraintExpectations = ConstraintExpectations {
    speed: 1e-3,
    complementarity: true,
    angular_momentum: 1e-9,
    momentum: 1e-9,
    friction_cone: true,
    joints: true,
};
/// For correctors that make a few sweeps in each of many steps.
const CORRECTOR: CorrectorExpectations = CorrectorExpectations { left: 1e-5, slop: 0.0, rounds: 40, joints: true };
const TOLERANCE: NarrowPhaseTolerance = NarrowPhaseTolerance { distance: 1e-6, depth: true, opposite: true };

/// Checked by every suite; impacts are left to the constraint solver.
const PLAIN: Row = Row {
    preset: "",
    time_control: To(()),
    motion_solver: To(()),
    constraint_solver: To(STRICT),
    position_corrector: To(CORRECTOR),
    collision_solver: Exempt("the constraint solver makes bodies bounce"),
    collision_law: Exempt("no impacts of their own"),
    broad_phase: To(()),
    narrow_phase: To(TOLERANCE),
    contact_determination: To(()),
    coherence: To(Heights::Shortest),
    lcp: To(1e-9),
    kernel: To(1e-4),
};

// largest residual on problems with a random positive definite matrix
const TWENTY_SWEEPS: f64 = 1e-3;
const TEN_SWEEPS: f64 = 3e-2;
const EIGHT_SWEEPS: f64 = 0.1;

const REPAIRED_IN_VELOCITIES: &str = "errors are taken out by velocities of the next step";
const REPAIRED_WITHIN: &str = "the constraint solver keeps positions itself";

/// Presets that resolve impacts one by one, before the constraint solver.
const WITH_IMPACTS: Row = Row {
    collision_solver: To(()),
    collision_law: To(EnergyGain::Never),
    coherence: To(Heights::Carried),
    lcp: To(TWENTY_SWEEPS),
    ..PLAIN
};
const BY_ACCELERATIONS: Row = Row {
    collision_solver: To(()),
    collision_law: Exempt("impacts are resolved all at once, by no law of single ones"),
    position_corrector: To(CORRECTOR),
    ..PLAIN
};

/// The table: a row for each preset.
pub(crate) const ROWS: &[Row] = &[
    Row {
        preset: "real-time",
        // groups with joints are moved, and rows that no joint evaluates anew keep the arms that they had at the start
        constraint_solver: To(ConstraintExpectations { angular_momentum: 1e-2, speed: 2e-2, ..STRICT }),
        ..PLAIN
    },
    Row { preset: "velocity-lcp", lcp: To(TEN_SWEEPS), ..PLAIN },
    Row { preset: "load-propagation", coherence: To(Heights::Carried), lcp: To(TWENTY_SWEEPS), ..PLAIN },
    Row {
        preset: "shock-propagation",
        collision_solver: To(()),
        collision_law: Exempt("impacts are resolved all at once, by no law of single ones"),
        coherence: To(Heights::Carried),
        lcp: To(TWENTY_SWEEPS),
        ..PLAIN
    },
    Row { preset: "first-order", ..PLAIN },
    Row { preset: "mechanism", ..PLAIN },
    Row { preset: "retroactive", ..WITH_IMPACTS },
    Row { preset: "timewarp", ..WITH_IMPACTS },
    Row { preset: "hybrid", ..WITH_IMPACTS },
    Row { preset: "impulse-split", ..WITH_IMPACTS },
    Row {
        preset: "impulse",
        constraint_solver: Exempt("everything is done by impulses of the collision solver"),
        position_corrector: Exempt("contacts are kept open by conservative advancement"),
        collision_solver: To(()),
        collision_law: To(EnergyGain::Never),
        lcp: To(TEN_SWEEPS),
        ..PLAIN
    },
    Row { preset: "ode", position_corrector: Exempt(REPAIRED_IN_VELOCITIES), lcp: To(TWENTY_SWEEPS), ..PLAIN },
    Row {
        preset: "vortex",
        // joint errors are fed back into velocities
        position_corrector: To(CorrectorExpectations { joints: false, ..CORRECTOR }),
        coherence: To(Heights::Shortest),
        ..WITH_IMPACTS
    },
    Row {
        preset: "penalty",
        lcp: To(TEN_SWEEPS),
        constraint_solver: To(ConstraintExpectations { complementarity: false, joints: false, ..STRICT }),
        position_corrector: Exempt("what is left of a penetration is the force that bears the weight"),
        ..PLAIN
    },
    Row {
        preset: "substep-soft",
        lcp: To(TEN_SWEEPS),
        constraint_solver: To(ConstraintExpectations { speed: 0.03, ..STRICT }),
        position_corrector: Exempt(REPAIRED_WITHIN),
        ..PLAIN
    },
    Row {
        preset: "nonlinear-gauss-seidel",
        // it leaves 5 mm of penetration so that contacts do not come and go
        position_corrector: To(CorrectorExpectations { slop: 5e-3, ..CORRECTOR }),
        lcp: To(EIGHT_SWEEPS),
        ..PLAIN
    },
    Row {
        preset: "xpbd",
        lcp: To(TEN_SWEEPS),
        constraint_solver: To(ConstraintExpectations { speed: 0.05, angular_momentum: 3e-3, ..STRICT }),
        position_corrector: Exempt(REPAIRED_WITHIN),
        ..PLAIN
    },
    Row {
        preset: "avbd",
        lcp: To(TEN_SWEEPS),
        constraint_solver: To(ConstraintExpectations { speed: 0.05, momentum: 1e-3, angular_momentum: 0.02, ..STRICT }),
        position_corrector: Exempt(REPAIRED_WITHIN),
        ..PLAIN
    },
    Row { preset: "convex-newton", lcp: To(TEN_SWEEPS), position_corrector: Exempt(REPAIRED_WITHIN), ..PLAIN },
    Row {
        preset: "position-ncp",
        lcp: To(TEN_SWEEPS),
        constraint_solver: To(ConstraintExpectations { speed: 5e-3, joints: false, ..STRICT }),
        position_corrector: Exempt(REPAIRED_WITHIN),
        ..PLAIN
    },
    Row { preset: "collision-synchronization", ..PLAIN },
    Row { preset: "acceleration-lcp", ..BY_ACCELERATIONS },
    Row { preset: "acceleration-lp", ..BY_ACCELERATIONS },
];
