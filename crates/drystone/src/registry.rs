//! All implementations that can be named: what `drystone list` prints and scenes choose from, including modules from outside.

mod add;
mod aliases;
mod error;
mod lcp;
mod narrow_phase;
mod shelf;

pub use aliases::ALIASES;
pub use error::RegistryError;

use crate::modules::Stages;
use crate::{ModuleKind, Modules, Paradigm, WorldError};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{
    BroadPhase, CoherenceAnalysis, CollisionLaw, CollisionSolver, ConstraintSolver, ContactDetermination, MotionSolver,
    NarrowPhase, PositionCorrector, SleepPolicy, TimeControl,
};
use drystone_dynamics::{Complementarity, RowParameters, SweepParameters};
use drystone_joints::JointMaker;
use drystone_lcp::{LcpError, LcpSolver, SolverInfo};
use drystone_motion::force::ForceMaker;
use lcp::LcpShelf;
use shelf::Shelf;
use std::sync::{Arc, LazyLock};

/// Makes a module from its settings.
type Make<T> = dyn Fn(&Settings) -> Option<Box<T>> + Send + Sync;

/// Makes a constraint solver from its settings and the contents of the `lcp` table.
type MakeConstraintSolver = dyn Fn(&Settings, Complementarity) -> Option<Box<dyn ConstraintSolver>> + Send + Sync;

/// Makes the position corrector that belongs to a constraint solver.
type MakeCorrector = dyn Fn(&Settings, &dyn LcpSolver) -> Option<Box<dyn PositionCorrector>> + Send + Sync;

/// Makers of a constraint solver and of the corrector for the errors that it leaves.
struct MakePair {
    solver: Box<MakeConstraintSolver>,
    corrector: Box<MakeCorrector>,
}

/// Makes a collision law from the settings of the collision solver that uses it.
type MakeLaw = dyn Fn(&Settings) -> Box<dyn CollisionLaw> + Send + Sync;

/// All implementations of all modules, and all presets, by name.
///
/// The default registry has those of this project. Whatever is added is known to everything that is given the registry: a [`crate::WorldBuilder`] and the world that
/// it builds (`set_paradigm` included), and the command line (`drystone_cli::run`) with its scene files, `--set`, `list`, `schema`, `compare` and reports.
///
/// ```
/// use drystone::prelude::*;
/// use drystone::{ModuleChoice, ModuleKind, Registry};
/// use drystone::core::catalogue::Implementation;
/// use drystone::core::{BodyPair, BroadPhase, BroadPhaseInput};
///
/// /// Every pair, boxes aside.
/// struct AllPairs;
///
/// impl BroadPhase for AllPairs {
///     fn name(&self) -> &'static str {
///         "all-pairs"
///     }
///     fn find_pairs(&mut self, input: BroadPhaseInput<'_>, pairs: &mut Vec<BodyPair>) {
///         pairs.clear();
///         for a in 0..input.boxes.len() {
///             let meets = |&b: &usize| input.filters[a].admits(&input.filters[b]) && input.boxes[a].overlaps(&input.boxes[b]);
///             pairs.extend((a + 1..input.boxes.len()).filter(meets).map(|b| BodyPair::ordered(a as u32, b as u32)));
///         }
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// const ALL_PAIRS: Implementation =
///     Implementation { name: "all-pairs", summary: "every pair", source: "oneself", parameters: &[] };
/// let mut registry = Registry::default();
/// registry.add_broad_phase(ALL_PAIRS, |_| Box::new(AllPairs))?;
///
/// let choice = ModuleChoice { kind: ModuleKind::BroadPhase, name: Some("all-pairs".into()), settings: vec![] };
/// let world = World::builder().registry(registry).choose(choice).build()?;
/// assert_eq!(world.modules().name(ModuleKind::BroadPhase), "all-pairs");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Registry {
    time_control: Shelf<Make<dyn TimeControl>>,
    motion_solver: Shelf<Make<dyn MotionSolver>>,
    constraint_solver: Shelf<MakePair>,
    collision_solver: Shelf<Make<dyn CollisionSolver>>,
    broad_phase: Shelf<Make<dyn BroadPhase>>,
    narrow_phase: Shelf<Make<dyn NarrowPhase>>,
    contact_determination: Shelf<Make<dyn ContactDetermination>>,
    coherence: Shelf<Make<dyn CoherenceAnalysis>>,
    sleep_policy: Shelf<Make<dyn SleepPolicy>>,
    lcp: LcpShelf,
    laws: Vec<(Implementation, Arc<MakeLaw>)>,
    joints: Vec<JointMaker>,
    forces: Vec<ForceMaker>,
    paradigms: Vec<Paradigm>,
}

/// A shelf of the implementations that a crate makes by name.
macro_rules! own {
    ($seam:ident, $implementations:path, $by_name:path) => {
        Shelf::of($implementations, |name| -> Arc<Make<dyn $seam>> {
            Arc::new(move |settings: &Settings| $by_name(name, settings))
        })
    };
}

impl Default for Registry {
    fn default() -> Self {
        Self {
            time_control: own!(TimeControl, drystone_time_control::IMPLEMENTATIONS, drystone_time_control::by_name),
            motion_solver: own!(MotionSolver, drystone_motion::IMPLEMENTATIONS, drystone_motion::by_name),
            constraint_solver: Shelf::of(drystone_dynamics::IMPLEMENTATIONS, |name| {
                Arc::new(MakePair {
                    solver: Box::new(move |settings, lcp| drystone_dynamics::by_name_over(name, settings, lcp)),
                    corrector: Box::new(move |settings, lcp| drystone_dynamics::corrector_by_name(name, settings, lcp)),
                })
            }),
            collision_solver: own!(CollisionSolver, drystone_impact::IMPLEMENTATIONS, drystone_impact::by_name),
            broad_phase: own!(BroadPhase, drystone_broad_phase::IMPLEMENTATIONS, drystone_broad_phase::by_name),
            narrow_phase: own!(NarrowPhase, drystone_narrow_phase::IMPLEMENTATIONS, drystone_narrow_phase::by_name),
            contact_determination: own!(
                ContactDetermination,
                drystone_contact::IMPLEMENTATIONS,
                drystone_contact::by_name
            ),
            coherence: own!(
                CoherenceAnalysis,
                drystone_contact_graph::IMPLEMENTATIONS,
                drystone_contact_graph::by_name
            ),
            sleep_policy: own!(
                SleepPolicy,
                drystone_contact_graph::SLEEP_POLICIES,
                drystone_contact_graph::sleep_policy_by_name
            ),
            lcp: LcpShelf::default(),
            laws: Vec::new(),
            joints: Vec::new(),
            forces: Vec::new(),
            paradigms: Paradigm::ALL.to_vec(),
        }
    }
}

impl Registry {
    /// The implementations of a module.
    pub fn implementations(&self, kind: ModuleKind) -> &[Implementation] {
        match kind {
            ModuleKind::TimeControl => self.time_control.described(),
            ModuleKind::MotionSolver => self.motion_solver.described(),
            ModuleKind::ConstraintSolver => self.constraint_solver.described(),
            ModuleKind::CollisionSolver => self.collision_solver.described(),
            ModuleKind::BroadPhase => self.broad_phase.described(),
            ModuleKind::NarrowPhase => self.narrow_phase.described(),
            ModuleKind::ContactDetermination => self.contact_determination.described(),
            ModuleKind::CoherenceAnalysis => self.coherence.described(),
            ModuleKind::Lcp => self.lcp.described(),
            ModuleKind::SleepPolicy => self.sleep_policy.described(),
        }
    }

    /// Kinds of joints in addition to [`drystone_joints::KINDS`].
    pub fn joints(&self) -> &[JointMaker] {
        &self.joints
    }

    /// Kinds of forces in addition to those of the scene format.
    pub fn forces(&self) -> &[ForceMaker] {
        &self.forces
    }

    /// All presets.
    pub fn paradigms(&self) -> &[Paradigm] {
        &self.paradigms
    }

    /// A preset by its name.
    ///
    /// # Errors
    /// [`WorldError::UnknownName`].
    pub fn paradigm(&self, name: &str) -> Result<Paradigm, WorldError> {
        self.paradigms.iter().find(|p| p.name == name).copied().ok_or_else(|| WorldError::UnknownName {
            what: "paradigm",
            found: name.to_owned(),
            allowed: self.paradigms.iter().map(|p| p.name).collect::<Vec<_>>().join(", "),
        })
    }

    /// The solvers of complementarity problems, including those for cones, as `drystone lcp` lists them.
    pub fn lcp_solvers(&self) -> Vec<SolverInfo> {
        self.lcp.solvers()
    }

    /// A solver of boxed problems by its name, with its default parameters; `None` if there is none of that name.
    pub fn lcp_solver(&self, name: &str) -> Option<Box<dyn LcpSolver>> {
        self.lcp.make(name)
    }

    /// A solver of boxed problems with the settings of the table `lcp`.
    ///
    /// # Errors
    /// The solver's own error for a name or a value that it does not accept.
    pub fn lcp_solver_of(&self, name: &str, settings: &Settings) -> Result<Box<dyn LcpSolver>, LcpError> {
        self.lcp.build(name, settings)
    }

    /// A narrow phase by its name with its default settings, on its own: it takes only the pairs that it supports. `None` if there is none of that name.
    pub fn narrow_phase(&self, name: &str) -> Option<Box<dyn NarrowPhase>> {
        let described = self.find(ModuleKind::NarrowPhase, name).ok()?;
        self.narrow_phase.get(described.name)?(&Settings::defaults(&described))
    }

    /// The description of an implementation, by its present or a former name ([`ALIASES`]).
    ///
    /// # Errors
    /// [`WorldError::UnknownName`].
    pub fn find(&self, kind: ModuleKind, name: &str) -> Result<Implementation, WorldError> {
        let all = self.implementations(kind);
        let present = aliases::present_name(kind, name);
        all.iter().find(|i| i.name == present).copied().ok_or_else(|| self.missing(kind, name))
    }

    fn missing(&self, kind: ModuleKind, name: &str) -> WorldError {
        WorldError::UnknownName {
            what: kind.table(),
            found: name.to_owned(),
            allowed: self.implementations(kind).iter().map(|i| i.name).collect::<Vec<_>>().join(", "),
        }
    }

    /// Builds the chosen implementations; `chosen` is in the order of [`ModuleKind::ALL`].
    pub(crate) fn build(&self, chosen: Vec<Chosen>) -> Result<Modules, WorldError> {
        macro_rules! make {
            ($kind:ident, $shelf:ident) => {{
                let (kind, name, settings) = chosen_for(&chosen, ModuleKind::$kind);
                let made = self.$shelf.get(name).and_then(|make| make(settings));
                made.ok_or_else(|| self.missing(*kind, name))?
            }};
        }
        let (_, name, settings) = chosen_for(&chosen, ModuleKind::Lcp);
        let solver = self.lcp.build(name, settings).map_err(|error| WorldError::Solver { error })?;
        let warm_start = lcp::starts_warm(settings);
        let (kind, name, settings) = chosen_for(&chosen, ModuleKind::ConstraintSolver);
        let missing = || self.missing(*kind, name);
        let make = self.constraint_solver.get(name).ok_or_else(missing)?;
        let position_corrector = (make.corrector)(settings, solver.as_ref()).ok_or_else(missing)?;
        let complementarity = Complementarity { solver, warm_start };
        let constraint_solver = (make.solver)(settings, complementarity).ok_or_else(missing)?;
        Ok(Modules {
            time_control: make!(TimeControl, time_control),
            stages: Stages {
                motion_solver: make!(MotionSolver, motion_solver),
                constraint_solver,
                position_corrector,
                collision_solver: make!(CollisionSolver, collision_solver),
                broad_phase: make!(BroadPhase, broad_phase),
                narrow_phase: narrow_phase::with_the_rest(make!(NarrowPhase, narrow_phase)),
                contact_determination: make!(ContactDetermination, contact_determination),
                coherence: make!(CoherenceAnalysis, coherence),
                sleep_policy: make!(SleepPolicy, sleep_policy),
            },
            chosen,
            by_value: Vec::new(),
            corrector_by_value: false,
        })
    }
}

/// The registry of this project alone, made once.
pub(crate) fn own() -> &'static Arc<Registry> {
    static OWN: LazyLock<Arc<Registry>> = LazyLock::new(|| Arc::new(Registry::default()));
    &OWN
}

/// This project's implementations of a module.
pub fn implementations(kind: ModuleKind) -> &'static [Implementation] {
    own().implementations(kind)
}

/// One module's name and settings, as in [`Modules::chosen`](crate::Modules::chosen).
type Chosen = (ModuleKind, &'static str, Settings);

/// The choice for a module; `chosen` must have all of them, in the order of [`ModuleKind::ALL`].
fn chosen_for(chosen: &[Chosen], kind: ModuleKind) -> &Chosen {
    &chosen[kind.position()]
}

/// The row parameters that a full set of choices stands for.
pub fn row_parameters(chosen: &[Chosen]) -> RowParameters {
    let warm_start = lcp::starts_warm(&chosen_for(chosen, ModuleKind::Lcp).2);
    let (_, name, settings) = chosen_for(chosen, ModuleKind::ConstraintSolver);
    if *name == drystone_dynamics::SWEEPS_DESCRIPTION.name {
        return SweepParameters::with_warm_start(settings, warm_start).rows;
    }
    if drystone_dynamics::poses_boxed_problem(name, settings) {
        return RowParameters { warm_start, ..RowParameters::from_settings(settings) };
    }
    // a constraint solver that poses no such problem
    RowParameters::default()
}
