//! The claims of the presets: what they can cope with, each bound with its reason and source.

use crate::{Demands, ModuleKind, World};
use drystone_math::Real;
use std::fmt;

/// A figure that describes what a world demands of a method ([`Demands`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Demand {
    /// [`Demands::bodies`].
    Bodies,
    /// [`Demands::mass_ratio`].
    MassRatio,
    /// [`Demands::linked_mass_ratio`].
    LinkedMassRatio,
    /// [`Demands::levels`].
    Levels,
    /// [`Demands::links`].
    Links,
    /// [`Demands::overlap`].
    Overlap,
    /// [`Demands::gap`].
    Gap,
    /// [`Demands::loops`].
    Loops,
    /// [`Demands::driven`].
    Driven,
    /// [`Demands::meshes`].
    Meshes,
    /// [`Demands::limbs`].
    Limbs,
    /// [`Demands::fall`].
    Fall,
}

impl Demand {
    /// All figures.
    pub const ALL: [Self; 12] = [
        Self::Bodies,
        Self::MassRatio,
        Self::LinkedMassRatio,
        Self::Levels,
        Self::Links,
        Self::Overlap,
        Self::Gap,
        Self::Loops,
        Self::Driven,
        Self::Meshes,
        Self::Limbs,
        Self::Fall,
    ];

    /// Its name in `drystone list --json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bodies => "bodies",
            Self::MassRatio => "mass-ratio",
            Self::LinkedMassRatio => "linked-mass-ratio",
            Self::Levels => "levels",
            Self::Links => "links",
            Self::Overlap => "overlap",
            Self::Gap => "gap",
            Self::Loops => "loops",
            Self::Driven => "driven",
            Self::Meshes => "meshes",
            Self::Limbs => "limbs",
            Self::Fall => "fall",
        }
    }

    /// Summary, in a few words.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Bodies => "dynamic bodies",
            Self::MassRatio => "mass ratio of the heaviest to the lightest of touching bodies",
            Self::LinkedMassRatio => "mass ratio of the heaviest to the lightest of bodies linked by joints or springs",
            Self::Levels => "bodies stacked on one another, at the start",
            Self::Links => "bodies in a chain of joints or springs",
            Self::Overlap => "overlap at the start, in radii of the smaller body",
            Self::Gap => "gap of a joint at the start, in radii of the smaller body",
            Self::Loops => "closed loops of joints",
            Self::Driven => "motors and springs",
            Self::Meshes => "moving meshes",
            Self::Limbs => "joints from end to end of a linkage attached to nothing",
            Self::Fall => "fall per step, gravity times the step squared (m)",
        }
    }

    /// Its value among some demands.
    pub fn of(self, demands: &Demands) -> Real {
        match self {
            Self::Bodies => demands.bodies.into(),
            Self::MassRatio => demands.mass_ratio,
            Self::LinkedMassRatio => demands.linked_mass_ratio,
            Self::Levels => demands.levels.into(),
            Self::Links => demands.links.into(),
            Self::Overlap => demands.overlap,
            Self::Gap => demands.gap,
            Self::Loops => demands.loops.into(),
            Self::Driven => demands.driven.into(),
            Self::Meshes => demands.meshes.into(),
            Self::Limbs => demands.limbs.into(),
            Self::Fall => demands.fall,
        }
    }
}

/// A bound within which a preset claims to cope with a world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// The figure that is bounded.
    pub demand: Demand,
    /// The largest value that is claimed.
    pub most: Real,
    /// Consequence of exceeding the claim, and its cause.
    pub reason: &'static str,
    /// Source: where that is stated or was measured.
    pub source: &'static str,
    /// The module that it is about: with another implementation in its place nothing is claimed or reported.
    pub module: ModuleKind,
}

impl Bound {
    const fn new(demand: Demand, most: Real, reason: &'static str, source: &'static str) -> Self {
        Self { demand, most, reason, source, module: ModuleKind::ConstraintSolver }
    }

    /// The same bound, about the time control.
    const fn of_time_control(self) -> Self {
        Self { module: ModuleKind::TimeControl, ..self }
    }

    /// The same bound, about the complementarity solver.
    const fn of_lcp(self) -> Self {
        Self { module: ModuleKind::Lcp, ..self }
    }
}

use Demand::{Bodies, Driven, Fall, Gap, Levels, Limbs, LinkedMassRatio, Links, MassRatio, Meshes, Overlap};

const TABLE: &str = "measured: the tables of the chapter Which paradigm?";
const SWEEPS: &str = "Erleben 2005, section 6.1.7";

/// Forces that sweeps carry down a stack.
const LEVELS_BY_SWEEPS: Bound =
    Bound::new(Levels, 9.0, "a few sweeps do not carry a load through more, so columns lean", TABLE).of_lcp();
/// The same under a heavy body.
const MASSES_BY_SWEEPS: Bound =
    Bound::new(MassRatio, 50.0, "a few sweeps carry only part of the load, and the light body is pressed in", SWEEPS)
        .of_lcp();
/// The same if redundant contacts are solved exactly. Ten cubes under a heavy one stand to 1e-8 m/s at the bound, creep at two to ten times the bound, and are
/// shot apart from fifteen times on.
const MASSES_BY_PIVOTS: Bound = Bound::new(
    MassRatio,
    1000.0,
    "rounding decides which of the many contacts bear load, pivoting does not end, and the sweeps that replace it press the light bodies in",
    TABLE,
)
.of_lcp();
/// The limit of sweeps if a pair touches in many points.
const MESHES_BY_SWEEPS: Bound =
    Bound::new(Meshes, 4.0, "a few sweeps over the many points of meshes miss most of the load", TABLE).of_lcp();
/// Joints that are evaluated at the start of the step. Projection distributes its correction by the masses that it moves: under a heavy end it moves light links
/// sideways instead of along their direction, and they buckle. Without projection, or with symmetric steps, a chain that stays taut holds at 50 000; one that folds
/// and is pulled taut whips under any of these methods. The bound is measured on such chains, of 2 to 10 links of 0.25 m, let go 30 degrees above level, at 1/60 s
/// for 3 s: the widest gap at the bound is 12 mm, and at thirty times the bound joints open by a link and more.
const WHIPS: Bound = Bound::new(
    LinkedMassRatio,
    100.0,
    "light links that fold under a heavy end whip when it pulls them taut, and joints open",
    TABLE,
);
/// For methods in which overlap is repaired by velocities, or springs back.
const NO_OVERLAP: &str = "overlap becomes velocity, and overlapping bodies are shot apart";
const NO_MASSES: &str = "light bodies are pressed in";
const DENSE: &str = "the time of dense solves grows with the cube of the number of contacts";
const MANY_POINTS: &str = "meshes touch in up to hundreds of points; the time of dense solves grows with their cube";

/// Claims of equal steps with a few sweeps over contacts, starting from the forces of the last step.
pub(super) const VELOCITY_LCP: &[Bound] = &[LEVELS_BY_SWEEPS, MASSES_BY_SWEEPS, WHIPS];

/// Claims of methods that correct joints one by one: at 100 a link gapes by 0.15 m.
pub(super) const NONLINEAR: &[Bound] = &[LEVELS_BY_SWEEPS, MASSES_BY_SWEEPS, Bound { most: 50.0, ..WHIPS }];

/// Claims of methods that pass loads down a stack, with the joints of equal steps.
pub(super) const LOAD_PROPAGATION: &[Bound] = &[WHIPS];

/// Claims of the thesis' scheme. What is below a layer is held while the layer is solved, and gives way to nothing.
pub(super) const SHOCK_PROPAGATION: &[Bound] = &[
    Bound::new(Links, 1.0, "each link is solved on a held one, and none feels what hangs on it", HELD)
        .of_time_control(),
    Bound::new(Driven, 0.0, "what a motor or spring presses is held, and gives no force back", HELD).of_time_control(),
];
const HELD: &str = "Erleben 2005, sections 6.4.1 and 6.4.4";

/// Claims of small steps, whose joints whip too where they do not resolve the motion: 12 mm at the bound.
pub(super) const REAL_TIME: &[Bound] = &[Bound { most: 1e4, ..WHIPS }];

/// Methods that search for times of impact, among bodies that already touch.
const MESHES_TO_IMPACTS: Bound = Bound::new(
    Meshes,
    4.0,
    "between touching bodies, new points of a mesh appear already deep, without a time of impact",
    "Erleben 2005, section 2.2.1",
);

/// Claims of methods that go back to each time of impact.
pub(super) const TO_IMPACTS: &[Bound] = &[
    LEVELS_BY_SWEEPS,
    MASSES_BY_SWEEPS,
    MESHES_TO_IMPACTS,
    WHIPS,
    Bound::new(Bodies, 500.0, "with many bodies, each impact takes the step back once more", TABLE),
];

/// Claims of the method that does so where bodies are fast.
pub(super) const HYBRID: &[Bound] = &[LEVELS_BY_SWEEPS, MASSES_BY_SWEEPS, MESHES_TO_IMPACTS, WHIPS];

pub(super) const IMPULSE_SPLIT: &[Bound] =
    &[Bound { most: 10.0, ..LEVELS_BY_SWEEPS }, MASSES_BY_SWEEPS, MESHES_BY_SWEEPS, WHIPS];

/// Claims of worlds without inertia.
pub(super) const FIRST_ORDER: &[Bound] = &[
    Bound { most: 20.0, ..LEVELS_BY_SWEEPS },
    MASSES_BY_SWEEPS,
    Bound::new(LinkedMassRatio, 50.0, "fifty sweeps do not hold a heavy end, and joints open", SWEEPS).of_lcp(),
];

/// Claims of exact solves of all rows at once.
pub(super) const MECHANISM: &[Bound] = &[
    Bound::new(Bodies, 60.0, "an exact solve with many contacts takes seconds", TABLE).of_lcp(),
    Bound::new(Meshes, 1.0, MANY_POINTS, "Erleben 2005, section 6.2").of_lcp(),
    MASSES_BY_PIVOTS,
    Bound { most: 500.0, ..WHIPS },
];

pub(super) const IMPULSE: &[Bound] = &[
    Bound::new(
        Levels,
        4.0,
        "resting contact is a train of impacts: stacks are slow, hop and creep",
        "Mirtich and Canny 1995",
    ),
    Bound::new(
        MassRatio,
        10.0,
        "the impacts between a heavy body and its support do not end",
        "Mirtich and Canny 1995",
    ),
    Bound::new(Bodies, 20.0, "each impact needs new meeting times for all neighbours", TABLE),
    Bound::new(Overlap, 0.05, "impulses only stop approach: overlap stays", "Mirtich and Canny 1995"),
];

pub(super) const ODE: &[Bound] = &[
    LEVELS_BY_SWEEPS,
    MASSES_BY_SWEEPS,
    MESHES_BY_SWEEPS,
    Bound::new(LinkedMassRatio, 50.0, "twenty sweeps do not hold a heavy end, and joints open", SWEEPS).of_lcp(),
    Bound::new(Overlap, 0.01, NO_OVERLAP, "Erleben 2005, sections 4.15 and 4.17"),
];

pub(super) const VORTEX: &[Bound] = &[
    LEVELS_BY_SWEEPS,
    MASSES_BY_SWEEPS,
    Bound::new(LinkedMassRatio, 50.0, "twenty sweeps do not hold a heavy end, and joints open", SWEEPS).of_lcp(),
];

pub(super) const PENALTY: &[Bound] = &[
    Bound::new(
        Levels,
        1.0,
        "each body sinks by its load over the stiffness: columns bend and fall",
        "Moore and Wilhelms 1988",
    ),
    Bound::new(
        MassRatio,
        10.0,
        "a spring soft enough for a light body does not carry a heavy one",
        "Moore and Wilhelms 1988",
    ),
    Bound::new(Bodies, 100.0, "the bottom of a heap is pressed in by everything above it", TABLE),
    Bound::new(Overlap, 0.01, NO_OVERLAP, "Moore and Wilhelms 1988"),
    Bound::new(Meshes, 0.0, "each of the many points of a mesh has a spring, together too stiff for the step", TABLE),
    Bound::new(
        Fall,
        0.005,
        "the stiffest spring that the step allows yields by a few times this under each body",
        "Moore and Wilhelms 1988",
    ),
];

pub(super) const SUBSTEP_SOFT: &[Bound] = &[
    Bound::new(Levels, 10.0, "one sweep per sub-step: higher columns lean", TABLE),
    Bound::new(MassRatio, 30.0, NO_MASSES, "Catto 2024, Solver2D"),
    Bound::new(LinkedMassRatio, 30.0, "soft joints open under a heavy end", "Catto 2024, Solver2D"),
];

pub(super) const XPBD: &[Bound] = &[
    Bound::new(Levels, 15.0, "one sweep per sub-step: higher columns lean and fall", TABLE),
    Bound::new(MassRatio, 10.0, NO_MASSES, TABLE),
    Bound::new(
        Links,
        30.0,
        "one pass per sub-step carries a load one joint further: a long chain yields, and swings up and down",
        TABLE,
    ),
    Bound::new(LinkedMassRatio, 100.0, "a chain with a heavier end gains energy when it whips", TABLE),
    Bound::new(Overlap, 0.01, NO_OVERLAP, "Müller et al. 2020, Algorithm 2: velocities are those of the way"),
    Bound::new(
        Gap,
        0.01,
        "closing a gap leaves velocity behind",
        "Müller et al. 2020, Algorithm 2: velocities are those of the way",
    ),
    Bound::new(
        Limbs,
        3.0,
        "one pass per sub-step carries a blow one joint further: a body with many joints lands as if on springs, and gives back a third of what a plastic impact should remove",
        TABLE,
    ),
];

pub(super) const AVBD: &[Bound] = &[
    Bound::new(MassRatio, 5e4, NO_MASSES, "Giles, Diaz and Yuksel 2025"),
    Bound::new(LinkedMassRatio, 5e4, "joints open", "Giles, Diaz and Yuksel 2025"),
];

pub(super) const CONVEX_NEWTON: &[Bound] = &[
    Bound::new(MassRatio, 1e3, "contacts yield under the load", "Todorov 2014"),
    Bound::new(LinkedMassRatio, 50.0, "joints yield under the load, and a whipping chain gains energy", TABLE),
    Bound::new(Overlap, 0.05, "removing overlap leaves a lasting velocity", "Todorov 2014"),
    Bound::new(
        Bodies,
        300.0,
        "one factorisation for all: moving bodies need many of them per step, seconds in a large pile",
        TABLE,
    ),
];

pub(super) const POSITION_NCP: &[Bound] = &[
    Bound::new(Levels, 9.0, "the iteration for all distances at once does not converge", TABLE),
    Bound::new(MassRatio, 50.0, "the iteration for all distances at once does not converge", TABLE),
    Bound::new(Overlap, 0.01, NO_OVERLAP, "Lennerz, Schömer and Warken 1999, section 3"),
    Bound::new(Bodies, 15.0, DENSE, "Lennerz, Schömer and Warken 1999, section 3"),
    Bound::new(Meshes, 1.0, MANY_POINTS, "Erleben 2005, section 6.2"),
];

pub(super) const SYNCHRONIZATION: &[Bound] = &[
    Bound::new(Bodies, 60.0, "a quadratic program over all contacts per frame", "Milenkovic and Schmidl 2001").of_lcp(),
    Bound::new(MassRatio, 1e4, "a light body between heavy ones is shot out by the error of the program", TABLE)
        .of_lcp(),
    WHIPS,
];

pub(super) const ACCELERATION: &[Bound] = &[
    Bound::new(Bodies, 5.0, DENSE, "Baraff 1994").of_lcp(),
    Bound::new(Links, 4.0, DENSE, "Baraff 1994").of_lcp(),
    Bound::new(Meshes, 1.0, MANY_POINTS, "Erleben 2005, section 6.2").of_lcp(),
];

pub(super) const ACCELERATION_LP: &[Bound] = &[
    ACCELERATION[0],
    ACCELERATION[1],
    ACCELERATION[2],
    Bound::new(
        Driven,
        0.0,
        "the guess of which forces vanish covers only contacts: with motors and springs it adds energy",
        "Baraff 1989, sections 5 to 7",
    ),
];

/// A demand of a world that exceeds what its preset claims.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beyond {
    /// The bound that is exceeded.
    pub bound: Bound,
    /// The value in this world.
    pub found: Real,
}

impl fmt::Display for Beyond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Bound { demand, most, reason, source, .. } = self.bound;
        let found = (self.found * 1e4).round() * 1e-4;
        write!(f, "{} {found}, claimed up to {most}: {reason} ({source})", demand.summary())
    }
}

/// The modules that must be the preset's own for it to claim anything.
const CLAIMED: [ModuleKind; 2] = [ModuleKind::TimeControl, ModuleKind::ConstraintSolver];

impl World {
    /// The modules that differ from those that the paradigm's claims are about, each as its table, the name of its implementation, and the name of the paradigm's
    /// own. If there is any, nothing is claimed; if it is only the complementarity solver, fewer claims are made.
    pub fn others_modules(&self) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
        let paradigm = self.paradigm();
        let claims = |kind: &ModuleKind| CLAIMED.contains(kind) || paradigm.claims.iter().any(|b| b.module == *kind);
        let pairs = ModuleKind::ALL
            .into_iter()
            .filter(claims)
            .map(|kind| (kind.table(), self.modules().name(kind), paradigm.names()[kind.position()]));
        pairs.filter(|(_, name, own)| name != own).collect::<Vec<_>>().into_iter()
    }

    /// Demands of this world, as it stands, beyond the claims of its paradigm ([`crate::Paradigm::claims`]). The run
    /// may then go wrong, or take long, for a known reason; front ends warn of it before the run. What a preset cannot
    /// do at all is refused instead.
    ///
    /// A preset's claims hold with its own time control and constraint solver, some also only with its own complementarity solver ([`Bound::module`]). With other
    /// implementations nothing is claimed, and nothing reported.
    pub fn beyond_claims(&self) -> Vec<Beyond> {
        self.beyond_claims_in_steps(0.0)
    }

    /// The same if the world is simulated in steps of this length (s), on which some claims depend.
    pub fn beyond_claims_in_steps(&self, time_step: Real) -> Vec<Beyond> {
        let paradigm = self.paradigm();
        let own = |kind: ModuleKind| self.modules().name(kind) == paradigm.names()[kind.position()];
        if paradigm.claims.is_empty() || !CLAIMED.into_iter().all(own) {
            return Vec::new();
        }
        let demands = self.demands_in_steps(time_step);
        let held = paradigm.claims.iter().filter(|bound| own(bound.module));
        let found = held.map(|&bound| Beyond { bound, found: bound.demand.of(&demands) });
        // a value that is not a number exceeds every bound
        found.filter(|b| b.found > b.bound.most || b.found.is_nan()).collect()
    }
}
