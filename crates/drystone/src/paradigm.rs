mod analytic;
mod claims;
mod names;
mod of_today;
mod whole_step;

use crate::{ModuleKind, WorldError};
pub use claims::{Beyond, Bound, Demand};
use drystone_core::catalogue::Value;
use drystone_math::Real;
use names::Names;

/// A constant value of a paradigm's setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Preset {
    Bool(bool),
    Integer(i64),
    Real(Real),
    Text(&'static str),
}

impl Preset {
    fn of(value: Value) -> Self {
        match value {
            Value::Bool(v) => Self::Bool(v),
            Value::Integer(v) => Self::Integer(v),
            Value::Real(v) => Self::Real(v),
            Value::Text(v) => Self::Text(Box::leak(v.into_boxed_str())),
        }
    }

    pub(crate) fn to_value(self) -> Value {
        match self {
            Self::Bool(v) => Value::Bool(v),
            Self::Integer(v) => Value::Integer(v),
            Self::Real(v) => Value::Real(v),
            Self::Text(v) => Value::Text(v.to_owned()),
        }
    }
}

/// Settings of paradigms that have a collision solver beside the velocity-based constraint solver.
const RETROACTIVE_SETTINGS: &[(ModuleKind, &str, Preset)] = &[
    // by which body carries which, if a paradigm asks for stack heights
    (ModuleKind::CoherenceAnalysis, "stack_height", Preset::Text("gravity")),
    (ModuleKind::Lcp, "iterations", Preset::Integer(20)),
    (ModuleKind::Lcp, "warm_start", Preset::Bool(true)),
    (ModuleKind::ConstraintSolver, "correction_iterations", Preset::Integer(5)),
];

/// Settings of paradigms for stacks.
const STACK_SETTINGS: &[(ModuleKind, &str, Preset)] = &[
    // by which body carries which: in piles, a short path to the ground is no support (L-23, P-02)
    (ModuleKind::CoherenceAnalysis, "stack_height", Preset::Text("gravity")),
    // L-25: at the text's 10 the noise of the sweeps outgrows what a wall of 200 bricks bears unless it sleeps at once
    (ModuleKind::Lcp, "iterations", Preset::Integer(20)),
    (ModuleKind::Lcp, "warm_start", Preset::Bool(true)),
    (ModuleKind::ConstraintSolver, "correction_iterations", Preset::Integer(5)),
    // half the squared speed that gravity gives in a step of 0.01 s: slower bodies cannot be told from resting ones
    (ModuleKind::SleepPolicy, "threshold", Preset::Real(5e-3)),
    (ModuleKind::SleepPolicy, "slack", Preset::Real(0.1)),
];

/// A named choice of an implementation for each of the eight modules.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paradigm {
    /// Its name in scene files.
    pub name: &'static str,
    /// One-sentence summary.
    pub summary: &'static str,
    /// Source: paper or origin of the method.
    pub source: &'static str,
    /// The bounds within which it claims to cope with a world; a figure without a bound may have any value. [`World::beyond_claims`](crate::World::beyond_claims) checks them.
    pub claims: &'static [Bound],
    names: Names,
    pub(crate) settings: &'static [(ModuleKind, &'static str, Preset)],
}

impl Default for Paradigm {
    /// The paradigm of worlds and scenes that name none: [`Paradigm::REAL_TIME`].
    fn default() -> Self {
        Self::REAL_TIME
    }
}

impl Paradigm {
    /// Velocity-based complementarity with projection, in equal steps.
    // F-27
    pub const VELOCITY_LCP: Self = Self {
        name: "velocity-lcp",
        summary: "velocity-based complementarity, warm-started Gauss-Seidel, errors removed by projection",
        source: "Erleben 2005, sections 4.3 to 4.6 and 6.1", // B-15
        claims: claims::VELOCITY_LCP,
        names: Names::BASE,
        settings: &[
            (ModuleKind::Lcp, "iterations", Preset::Integer(10)),
            (ModuleKind::Lcp, "warm_start", Preset::Bool(true)),
            (ModuleKind::ConstraintSolver, "correction_iterations", Preset::Integer(5)),
        ],
    };

    /// For stacks: loads are passed down where bodies rest, one solve for all where they move; sleeping.
    pub const LOAD_PROPAGATION: Self = Self {
        name: "load-propagation",
        summary: "for stacks: velocity-based complementarity with 20 + 5 iterations, loads passed down where bodies rest, sleeping",
        source: "after Guendelman, Bridson and Fedkiw 2003, and Erleben 2005, section 6.4",
        claims: claims::LOAD_PROPAGATION,
        names: Names { time_control: "load-propagation", sleep_policy: "kinetic-energy-relative", ..Names::BASE },
        settings: STACK_SETTINGS,
    };

    /// The thesis' simulator for stacks: impacts of all contacts at once, then the step layer by layer from the ground up with the lower bodies held; sleeping.
    /// Held bodies take no momentum from what is above them: what presses, tips or hangs wants [`Self::LOAD_PROPAGATION`].
    pub const SHOCK_PROPAGATION: Self = Self {
        name: "shock-propagation",
        summary: "the thesis' scheme for stacks: impacts at once, then each layer solved and projected from the ground up on bodies held fixed, sleeping",
        source: "Erleben 2005, sections 6.4 and 6.5", // A-37, B-33
        claims: claims::SHOCK_PROPAGATION,
        names: Names {
            time_control: "shock-propagation",
            // at f = 0 "a simple simultaneous resolving of initial impacts" (section 6.4.4)
            collision_solver: "simultaneous",
            sleep_policy: "kinetic-energy-relative",
            ..Names::BASE
        },
        settings: STACK_SETTINGS,
    };

    /// A world without inertia, for laying things out: no friction, no bounce, nothing moves unless it is pushed.
    pub const FIRST_ORDER: Self = Self {
        name: "first-order",
        summary: "no inertia, friction or bounce: bodies move as long as they are pushed, and push what they touch",
        source: "Baraff 1995, equation (2); Erleben 2005, section 4.16", // C-03, N-04, N-14, L-01, L-03, L-04
        claims: claims::FIRST_ORDER,
        names: Names { motion_solver: "first-order", ..Names::BASE },
        settings: &[
            (ModuleKind::Lcp, "iterations", Preset::Integer(50)),
            (ModuleKind::Lcp, "warm_start", Preset::Bool(true)),
            (ModuleKind::ConstraintSolver, "friction", Preset::Text("none")),
            (ModuleKind::ConstraintSolver, "restitution", Preset::Bool(false)),
            (ModuleKind::ConstraintSolver, "correction_iterations", Preset::Integer(5)),
            // implicit Euler: without inertia a link under tension oscillates if its stiffness times the step exceeds twice its mass
            (ModuleKind::ConstraintSolver, "geometric_stiffness", Preset::Real(1.0)),
            (ModuleKind::ConstraintSolver, "geometric_damping", Preset::Real(1.0)),
        ],
    };

    /// For joints: a symmetric step of order two, exact sparse solves, rotations that conserve energy and momentum, long chains at large steps.
    pub const MECHANISM: Self = Self {
        name: "mechanism",
        summary: "for joints: symmetric steps of order two, sparse exact solves, rotations that conserve energy and momentum",
        source: "Strang 1968, SHAKE and RATTLE; Baraff 1996; Tournier et al. 2015; Erleben 2005, sections 4.7 to 4.13",
        claims: claims::MECHANISM,
        names: Names {
            time_control: "leapfrog",
            motion_solver: "lie-midpoint",
            lcp: "sparse-principal-pivoting",
            ..Names::BASE
        },
        settings: &[
            // number of multiplications: a tenth or two of a second per solve; beyond it Gauss-Seidel takes over
            (ModuleKind::Lcp, "work", Preset::Real(1e8)),
            (ModuleKind::Lcp, "warm_start", Preset::Bool(true)),
            (ModuleKind::ConstraintSolver, "correction_solver", Preset::Text("lcp")),
            (ModuleKind::ConstraintSolver, "geometric_stiffness", Preset::Real(1.0)),
            (ModuleKind::ConstraintSolver, "orthogonal_joints", Preset::Bool(false)),
        ],
    };

    /// For worlds that must keep up with the clock: loads are passed down, followed by as few sweeps over contact patches as necessary.
    pub const REAL_TIME: Self = Self {
        name: "real-time",
        summary: "fast and robust: loads passed down, then sweeps over contact patches until nothing changes; exact joints; sleeping",
        source: "Jean and Moreau 1992, after a pass of loads; Baraff 1996 for joints; Erleben 2005, sections 4.3 to 4.6",
        claims: claims::REAL_TIME,
        names: Names {
            motion_solver: "lie-midpoint",
            constraint_solver: "contact-sweeps",
            broad_phase: "aabb-tree",
            lcp: "sparse-principal-pivoting",
            sleep_policy: "kinetic-energy-relative",
            ..Names::BASE
        },
        settings: &[
            // one midpoint step: of order two for bodies that spin under a torque, at the price of semi-implicit Euler
            (ModuleKind::MotionSolver, "composition", Preset::Text("none")),
            // number of multiplications: a few milliseconds per solve; beyond it Gauss-Seidel takes over
            (ModuleKind::Lcp, "work", Preset::Real(1e7)),
            (ModuleKind::Lcp, "warm_start", Preset::Bool(true)),
            // edges that nothing needs any more are dropped at once
            (ModuleKind::CoherenceAnalysis, "obsolete_factor", Preset::Real(0.0)),
            // a hundred-thousandth of a radius: resting bodies keep their contacts, moving ones are not affected; at ten times that, piles of boxes creep and slip late
            (ModuleKind::CoherenceAnalysis, "reuse", Preset::Bool(true)),
            (ModuleKind::CoherenceAnalysis, "reuse_distance", Preset::Real(1e-5)),
            (ModuleKind::CoherenceAnalysis, "reuse_angle", Preset::Real(1e-5)),
            (ModuleKind::SleepPolicy, "threshold", Preset::Real(5e-3)),
            (ModuleKind::SleepPolicy, "slack", Preset::Real(0.1)),
        ],
    };

    /// Derives a preset of one's own from this one, for [`crate::Registry::add_paradigm`].
    #[must_use]
    pub fn named(self, name: &'static str, summary: &'static str, source: &'static str) -> Self {
        Self { name, summary, source, ..self }
    }

    /// The same preset with another implementation for a module; settings for the former implementation are dropped. A preset lives as long as the program.
    #[must_use]
    pub fn with(mut self, kind: ModuleKind, implementation: &'static str) -> Self {
        let kept: Vec<_> = self.settings.iter().copied().filter(|(k, ..)| *k != kind).collect();
        self.settings = Box::leak(kept.into_boxed_slice());
        *self.names.of_mut(kind) = implementation;
        self
    }

    /// The same preset with one setting of one of its modules changed.
    #[must_use]
    pub fn set(mut self, kind: ModuleKind, key: &'static str, value: Value) -> Self {
        let others = self.settings.iter().copied().filter(|(k, name, _)| *k != kind || *name != key);
        let all: Vec<_> = others.chain([(kind, key, Preset::of(value))]).collect();
        self.settings = Box::leak(all.into_boxed_slice());
        self
    }

    /// Backtracking: steps are taken back to the time of impact.
    pub const RETROACTIVE: Self = Self {
        name: "retroactive",
        summary: "steps taken back to the time of impact, impacts resolved there one by one, velocity-based complementarity in between",
        source: "Erleben 2005, sections 2.2.1 and 4.12; Baraff 1989, 1995; Stewart and Trinkle 1996",
        claims: claims::TO_IMPACTS,
        names: Names { time_control: "retroactive", collision_solver: "sequential", ..Names::BASE },
        settings: RETROACTIVE_SETTINGS,
    };

    /// Each contact group on its own clock; only the groups that collide are taken back.
    pub const TIMEWARP: Self = Self {
        name: "timewarp",
        summary: "each contact group on its own clock: only groups that collide, or meet others, are taken back",
        source: "Mirtich 2000; Erleben 2005, section 2.2.1",
        claims: claims::TO_IMPACTS,
        names: Names { time_control: "timewarp", collision_solver: "sequential", ..Names::BASE },
        settings: RETROACTIVE_SETTINGS,
    };

    /// Equal steps for resting bodies, times of impact for fast ones.
    pub const HYBRID: Self = Self {
        name: "hybrid",
        summary: "equal steps, but times of impact for groups in which fast bodies can meet, decided by the contact graph",
        source: "Erleben 2005, sections 2.2.1 and 2.4.5",
        claims: claims::HYBRID,
        names: Names { time_control: "hybrid", collision_solver: "sequential", ..Names::BASE },
        settings: RETROACTIVE_SETTINGS,
    };

    /// Collisions, then velocities, then contacts, then positions.
    pub const IMPULSE_SPLIT: Self = Self {
        name: "impulse-split",
        summary: "collisions found by a trial motion before the velocity update, contacts after it, projection from the ground up",
        source: "Guendelman, Bridson and Fedkiw 2003; Erleben 2005, section 6.4.1",
        claims: claims::IMPULSE_SPLIT,
        names: Names { time_control: "impulse-split", collision_solver: "sequential", ..Names::BASE },
        settings: RETROACTIVE_SETTINGS,
    };

    /// Impulses alone: free flight from impact to impact.
    pub const IMPULSE: Self = Self {
        name: "impulse",
        summary: "impulses only: free flight to the earliest impact, resting contact as a train of micro-collisions; no joints",
        source: "Mirtich and Canny 1995; Erleben 2005, section 2.4.3",
        claims: claims::IMPULSE,
        names: Names {
            time_control: "impulse",
            constraint_solver: "none",
            collision_solver: "micro-collisions",
            ..Names::BASE
        },
        settings: &[],
    };

    /// The Open Dynamics Engine as the thesis describes it: penetration and drift are repaired in the velocities of the next step.
    ///
    /// Its sweeps divide by the diagonal without the mixing (CFM), as in the thesis. If a row mixes in more than its own diagonal, h^2/m against the mixing of a
    /// limit, that would diverge, and such a row divides by the mixing too; the published engine (`quickstep.cpp`) does so in every row.
    pub const ODE: Self = Self {
        name: "ode",
        summary: "Open Dynamics Engine 0.035: errors corrected by velocities (ERP), soft rows (CFM), its sweeps started from 0.9 of the last forces",
        source: "Smith 2000 to 2003 as in Erleben 2005, sections 2.5.1, 4.8, 4.15 and 6.1.3, equations (4.239), (6.57) and (6.58)", // A-26, F-26, F-17
        claims: claims::ODE,
        names: Names { broad_phase: "hash-grid", ..Names::BASE },
        settings: &[
            // it does not prevent contacts: only what touches at the start of the step is a contact
            (ModuleKind::TimeControl, "predictive", Preset::Bool(false)),
            (ModuleKind::ConstraintSolver, "stabilization", Preset::Text("baumgarte")),
            (ModuleKind::ConstraintSolver, "erp", Preset::Real(0.8)),
            (ModuleKind::ConstraintSolver, "cfm", Preset::Real(1e-9)),
            (ModuleKind::ConstraintSolver, "friction", Preset::Text("scaled-box")),
            (ModuleKind::ConstraintSolver, "restitution_law", Preset::Text("newton")),
            (ModuleKind::ConstraintSolver, "orthogonal_joints", Preset::Bool(false)),
            (ModuleKind::ConstraintSolver, "joint_start", Preset::Bool(false)),
            (ModuleKind::ConstraintSolver, "geometric_stiffness", Preset::Real(0.0)),
            (ModuleKind::ConstraintSolver, "warm_start_scale", Preset::Real(0.9)),
            (ModuleKind::Lcp, "iterations", Preset::Integer(20)),
            // the diagonal without the mixing, where that converges; a new random order now and then
            (ModuleKind::Lcp, "ode_diagonal", Preset::Bool(true)),
            (ModuleKind::Lcp, "permute_every", Preset::Integer(7)),
            (ModuleKind::Lcp, "warm_start", Preset::Bool(true)),
        ],
    };

    /// Vortex as the thesis describes it, with its stable stepper: collisions are resolved before the step.
    pub const VORTEX: Self = Self {
        name: "vortex",
        summary: "Vortex 2.01: collisions resolved before each step (stable stepper), scaled box friction, joints relaxed by gamma (their erp)",
        source: "CMLabs as in Erleben 2005, section 2.5.2",
        claims: claims::VORTEX,
        names: Names { collision_solver: "sequential", ..Names::BASE },
        settings: &[
            // gamma is each joint's own erp
            (ModuleKind::ConstraintSolver, "stabilization", Preset::Text("feedback")),
            // its epsilon: constraints a little springy where they are singular
            (ModuleKind::ConstraintSolver, "cfm", Preset::Real(1e-9)),
            (ModuleKind::ConstraintSolver, "friction", Preset::Text("scaled-box")),
            (ModuleKind::ConstraintSolver, "joint_start", Preset::Bool(false)),
            (ModuleKind::ConstraintSolver, "geometric_stiffness", Preset::Real(0.0)),
            (ModuleKind::ConstraintSolver, "correction_iterations", Preset::Integer(5)),
            (ModuleKind::Lcp, "iterations", Preset::Integer(20)),
            (ModuleKind::Lcp, "warm_start", Preset::Bool(true)),
        ],
    };

    /// Springs and dampers at contacts, in small steps.
    pub const PENALTY: Self = Self {
        name: "penalty",
        summary: "springs and dampers where bodies penetrate, four steps per frame; bodies sink by their weight over the stiffness; no joints",
        source: "Moore and Wilhelms 1988; Erleben 2005, section 2.4.2", // A-20, E-28
        claims: claims::PENALTY,
        names: Names { constraint_solver: "penalty", ..Names::BASE },
        settings: &[
            (ModuleKind::TimeControl, "predictive", Preset::Bool(false)),
            (ModuleKind::TimeControl, "sub_steps", Preset::Integer(4)),
        ],
    };

    /// All paradigms.
    pub const ALL: &'static [Self] = &[
        Self::REAL_TIME,
        Self::VELOCITY_LCP,
        Self::LOAD_PROPAGATION,
        Self::SHOCK_PROPAGATION,
        Self::FIRST_ORDER,
        Self::MECHANISM,
        Self::RETROACTIVE,
        Self::TIMEWARP,
        Self::HYBRID,
        Self::IMPULSE_SPLIT,
        Self::IMPULSE,
        Self::ODE,
        Self::VORTEX,
        Self::PENALTY,
        Self::SUBSTEP_SOFT,
        Self::NONLINEAR_GAUSS_SEIDEL,
        Self::XPBD,
        Self::AVBD,
        Self::CONVEX_NEWTON,
        Self::POSITION_NCP,
        Self::COLLISION_SYNCHRONIZATION,
        Self::ACCELERATION_LCP,
        Self::ACCELERATION_LP,
    ];

    /// A paradigm by its name.
    ///
    /// # Errors
    /// [`WorldError::UnknownName`].
    pub fn by_name(name: &str) -> Result<Self, WorldError> {
        Self::ALL.iter().find(|p| p.name == name).copied().ok_or_else(|| WorldError::UnknownName {
            what: "paradigm",
            found: name.to_owned(),
            allowed: Self::ALL.iter().map(|p| p.name).collect::<Vec<_>>().join(", "),
        })
    }

    /// The implementation of each module, in the order of [`ModuleKind::ALL`].
    pub fn names(&self) -> [&'static str; 10] {
        self.names.listed()
    }
}
