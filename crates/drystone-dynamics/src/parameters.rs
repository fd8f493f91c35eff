use drystone_core::catalogue::{Implementation, Parameter, Settings};
use drystone_math::Real;

/// Which set the friction impulse of a contact is kept in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FrictionModel {
    /// No friction rows at all.
    None,
    /// Two tangents with constant limits, whatever the normal impulse is (E-26).
    Box,
    /// Two tangents, each limited by mu times the normal impulse inside the solver's loop (E-27): the friction model
    /// of the thesis' chapter 6. Its first tangent is along the slip, where there is one: up to sqrt(2) too much at 45 degrees to that.
    ScaledBox,
    /// Two tangents whose pair is kept in the disc of radius mu times the normal impulse inside the solver's loop, an ellipse
    /// with a grain: Coulomb's cone by rows, alike at any heading.
    #[default]
    Disc,
    /// As the disc, with three rows for each contact, for solvers that keep Coulomb's cone itself.
    Cone,
}

impl FrictionModel {
    /// Whether the tangents are turned along the slip: where the set is a box, which is right along its sides only.
    pub(crate) const fn follows_slip(self) -> bool {
        matches!(self, Self::Box | Self::ScaledBox)
    }

    /// Whether pairs of rows share a disc.
    pub(crate) const fn shares_discs(self) -> bool {
        matches!(self, Self::Disc | Self::Cone)
    }
}

/// What becomes of penetration and joint error in the velocity problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stabilization {
    /// Nothing: the position correction takes it out.
    #[default]
    Projection,
    /// A velocity `erp * error / h` that takes it out, and stays in the system as kinetic energy (E-34).
    Baumgarte,
    /// The same for joints and limits; penetration is left to the position correction (E-44).
    Feedback,
    /// Nothing at all: errors stay.
    None,
}

/// How the force of a soft row, a spring and a damper, is taken over a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SpringRule {
    /// That of the end of the step (E-33): order one, takes energy.
    Implicit,
    /// The mean of both ends where the step resolves the spring: order two, keeps energy; that of the end where it does not.
    #[default]
    Trapezoidal,
}

/// How much of an impact comes back where friction acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RestitutionLaw {
    /// As much as Newton's law says, scaled back to the work that the coefficients of restitution allow ([`drystone_core::ImpactWork`]).
    #[default]
    Energetic,
    /// Of the velocity, which may add energy where friction acts.
    Newton,
}

/// How the rows of a velocity problem are made, whatever solves it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(clippy::struct_excessive_bools, reason = "independent switches, each a key of the scene format")]
pub struct RowParameters {
    /// Friction model.
    pub friction: FrictionModel,
    /// Limit of box friction (N).
    pub box_limit: Real,
    /// What takes out errors.
    pub stabilization: Stabilization,
    /// Part of the error taken out in a step by stabilization, in `[0, 1]`.
    pub erp: Real,
    /// Constraint force mixing of contacts (m/N).
    pub cfm: Real,
    /// Whether restitution is part of the velocity problem; not where a collision solver resolves impacts first.
    pub restitution: bool,
    /// How much comes back.
    pub restitution_law: RestitutionLaw,
    /// A contact is resting where it approaches slower than this times gravity times the horizon; zero: none is.
    pub resting_factor: Real,
    /// Whether the rigid rows of each joint are made orthogonal first, so that a row-by-row solver solves a joint at once.
    pub orthogonal_joints: bool,
    /// Whether the joints of a group are solved among themselves first, exactly, as the start of an iterative solver.
    pub joint_start: bool,
    /// How springs are taken.
    pub spring_rule: SpringRule,
    /// Whether the multipliers of the last solve are the start value.
    pub warm_start: bool,
    /// Part of them that is taken, in `[0, 1]` (F-17).
    pub warm_start_scale: Real,
}

impl Default for RowParameters {
    fn default() -> Self {
        Self::from_settings(&Settings::defaults(&DESCRIPTION), true)
    }
}

impl RowParameters {
    /// From checked settings of `DESCRIPTION`; `warm_start` is a setting of the complementarity solver's table.
    pub fn from_settings(s: &Settings, warm_start: bool) -> Self {
        Self {
            friction: match s.text("friction") {
                "none" => FrictionModel::None,
                "box" => FrictionModel::Box,
                "scaled-box" => FrictionModel::ScaledBox,
                "cone" => FrictionModel::Cone,
                _ => FrictionModel::Disc,
            },
            box_limit: s.real("box_limit"),
            stabilization: match s.text("stabilization") {
                "baumgarte" => Stabilization::Baumgarte,
                "feedback" => Stabilization::Feedback,
                "none" => Stabilization::None,
                _ => Stabilization::Projection,
            },
            erp: s.real("erp"),
            cfm: s.real("cfm"),
            restitution: s.switch("restitution"),
            restitution_law: match s.text("restitution_law") {
                "newton" => RestitutionLaw::Newton,
                _ => RestitutionLaw::Energetic,
            },
            resting_factor: s.real("resting_factor"),
            orthogonal_joints: s.switch("orthogonal_joints"),
            joint_start: s.switch("joint_start"),
            spring_rule: match s.text("spring_rule") {
                "implicit" => SpringRule::Implicit,
                _ => SpringRule::Trapezoidal,
            },
            warm_start,
            warm_start_scale: s.real("warm_start_scale"),
        }
    }
}

/// What the scene reader and `drystone list` know of the solver.
pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "velocity-complementarity",
    summary: "velocity-based complementarity: one boxed problem in the impulses a group, errors taken out by projection",
    source: "Erleben 2005, sections 4.3 to 4.6, 4.14 to 4.16, 6.1 and 6.4; Anitescu-Potra, Stewart-Trinkle",
    parameters: &[
        Parameter::choice(
            "friction",
            "disc",
            &["none", "box", "scaled-box", "disc", "pyramid", "cone"],
            "set of friction impulses: none, constant box, box or disc scaled by the normal impulse, pyramid with auxiliary variables, Coulomb's cone contact by contact (groups with joints: as disc)",
        ),
        Parameter::integer("facets", 4, 4, 64, "directions of the friction pyramid (even)"),
        Parameter::real("box_limit", 1.0, 0.0, 1e12, "limit of constant box friction (N)"),
        Parameter::choice(
            "cone_solver",
            "sweep",
            &[
                "sweep",
                "nonsmooth-gauss-seidel",
                "cone-admm",
                "cone-accelerated-projected-gradient",
                "staggering",
                "nonsmooth-newton",
                "proximal-nonsmooth-newton",
            ],
            "solver of cone friction; all but sweep take groups of plain contacts alone, sweep then takes the others",
        ),
        Parameter::integer("cone_iterations", 100, 1, 1_000_000_000, "largest number of iterations of the cone solver"),
        Parameter::real("cone_tolerance", 1e-9, 0.0, 1e12, "residual (m/s, N s) at which it stops; 0 does them all"),
        Parameter::choice(
            "stabilization",
            "projection",
            &["projection", "baumgarte", "feedback", "none"],
            "what takes out penetration and joint error; feedback is baumgarte for joints, projection for contacts",
        ),
        Parameter::real("erp", 0.8, 0.0, 1.0, "part of the error taken out in a step by baumgarte stabilization"),
        Parameter::real("cfm", 0.0, 0.0, 1e6, "constraint force mixing of contacts (m/N)"),
        Parameter::switch("restitution", true, "restitution inside the velocity problem, all impacts at once"),
        Parameter::choice(
            "restitution_law",
            "energetic",
            &["energetic", "newton"],
            "restitution where friction acts: of the velocity, scaled back to the work that e allows, or not; newton may gain energy",
        ),
        Parameter::real(
            "resting_factor",
            1.0,
            0.0,
            1e6,
            "contacts that approach slower than this times gravity times the step do not bounce",
        ),
        Parameter::real("slop", 1e-6, 0.0, 1.0, "penetration that the correction leaves alone (m)"),
        Parameter::integer("correction_iterations", 5, 0, 1_000_000, "Gauss-Seidel iterations of the correction"),
        Parameter::real(
            "warm_start_scale",
            1.0,
            0.0,
            1.0,
            "part of the last multipliers that a warm start takes; 0.9 spares motors a jerk (ODE)",
        ),
        Parameter::choice(
            "correction_solver",
            "gauss-seidel",
            &["gauss-seidel", "lcp"],
            "solver of the correction: its own Gauss-Seidel, or the one of the lcp table",
        ),
        Parameter::switch(
            "orthogonal_joints",
            true,
            "make the rigid rows of each joint orthogonal, so that a sweep solves a joint at once; direct solvers need it not",
        ),
        Parameter::switch(
            "joint_start",
            true,
            "solve the joints of a group among themselves first, exactly (sparse), as the start of an iterative solver",
        ),
        Parameter::real(
            "geometric_stiffness",
            0.5,
            0.0,
            1e6,
            "part of the joints' geometric stiffness h^2 K that counts as inertia, where the step does not resolve it: 0.25 is the trapezoidal rule, 0.5 is safe where tensions change fast, 0 leaves it out",
        ),
        Parameter::real(
            "geometric_damping",
            0.1,
            0.0,
            10.0,
            "part of that inertia that resists the turning itself: takes energy from stiff modes",
        ),
        Parameter::choice(
            "spring_rule",
            "trapezoidal",
            &["implicit", "trapezoidal"],
            "springs and dampers: by the force at the end of the step, or by the mean of both ends (order 2) where the step resolves them",
        ),
    ],
};
