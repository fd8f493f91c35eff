use crate::BodyLabel;
use drystone_core::catalogue::SettingError;
use drystone_core::{
    BodyId, ConfigurationError, Levels, MassError, MaterialError, ModuleKind, StepFailure, did_you_mean,
};
use drystone_geometry::ShapeError;
use drystone_joints::JointBuildError;
use drystone_lcp::LcpError;
use thiserror::Error;

/// Why a world cannot be built or changed.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum WorldError {
    /// A shape is malformed.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A surface is malformed.
    #[error(transparent)]
    Material(#[from] MaterialError),
    /// The configuration and state cannot be simulated together.
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    /// A mass or inertia is malformed.
    #[error(transparent)]
    Mass(#[from] MassError),
    /// A dynamic body needs a shape of finite volume.
    #[error("a {0} has no finite mass: it can only be fixed or scripted")]
    Unbounded(&'static str),
    /// Only a dynamic body will do, and this one is not dynamic.
    #[error("it is not dynamic; allowed: a dynamic body")]
    NotDynamic,
    /// Only a scripted body will do, and this one is not scripted.
    #[error("it is not scripted; allowed: a body added by Body::scripted")]
    NotScripted,
    /// A number that must be finite is not.
    #[error("{what} must be finite")]
    NotFinite {
        /// Which.
        what: &'static str,
    },
    /// A number is out of its range.
    #[error("{what}: found {found}, allowed: {allowed}")]
    OutOfRange {
        /// Which.
        what: &'static str,
        /// Its value.
        found: f64,
        /// The values that are allowed.
        allowed: &'static str,
    },
    /// An orientation without length.
    #[error("an orientation must be a quaternion of length above zero")]
    Orientation,
    /// Something was asked of a body that exists, and could not be done; [`Self::cause`] is the reason alone.
    #[error("{body}: {error}")]
    OfBody {
        /// The body.
        body: BodyLabel,
        /// The reason.
        error: Box<WorldError>,
    },
    /// A property of a body that is out of its range.
    #[error("{0}")]
    Property(&'static str),
    /// A body that was removed, or that belongs to another world.
    #[error("no such body: {0:?} was removed, or is another world's")]
    MissingBody(BodyId),
    /// A joint, force or timer that does not exist, or no longer does.
    #[error("no such {0}")]
    Missing(&'static str),
    /// A module cannot do what the world asks for.
    #[error("paradigm '{paradigm}' takes no {what}: module '{module}' has nothing for them")]
    Refused {
        /// The paradigm.
        paradigm: &'static str,
        /// The module that cannot.
        module: &'static str,
        /// Item that it cannot handle.
        what: &'static str,
    },
    /// A joint between a body and itself, or between two bodies that cannot move.
    #[error("a joint needs two different bodies, one of them dynamic")]
    JointBodies,
    /// A joint that cannot be built.
    #[error(transparent)]
    Joint(#[from] JointBuildError),
    /// A pair that consists of the same body twice.
    #[error("a pair needs two different bodies")]
    SameBody,
    /// A joint that is to be mended is not broken.
    #[error("the joint is not broken")]
    NotBroken,
    /// A paradigm, module or implementation that does not exist.
    #[error("unknown {what} '{found}'{}; allowed: {allowed}", did_you_mean(found, allowed))]
    UnknownName {
        /// The kind of name.
        what: &'static str,
        /// The name that was given.
        found: String,
        /// The names that exist.
        allowed: String,
    },
    /// A time control needs levels at which the constraint solver does not solve.
    #[error(
        "time control '{time_control}' asks for {needs}, constraint solver '{constraint_solver}' solves for {levels}"
    )]
    Levels {
        /// The time control.
        time_control: &'static str,
        /// The levels that it needs.
        needs: Levels,
        /// The constraint solver.
        constraint_solver: &'static str,
        /// The levels at which it solves.
        levels: Levels,
    },
    /// A time control and another module that do not work together.
    #[error("time control '{time_control}' does not work with {} '{module}', which {why}", kind.table().replace('_', " "))]
    Mismatch {
        /// The time control.
        time_control: &'static str,
        /// The kind of the other module.
        kind: ModuleKind,
        /// The other module.
        module: &'static str,
        /// Reason.
        why: &'static str,
    },
    /// A setting that an implementation does not take.
    #[error("{table}: {error}")]
    Setting {
        /// The module's table.
        table: &'static str,
        /// Fault.
        error: SettingError,
    },
    /// There is not enough memory for this many bodies.
    #[error("{bodies} bodies take about {bytes} bytes, which cannot be had")]
    Memory {
        /// The number of bodies.
        bodies: usize,
        /// The memory that they take.
        bytes: usize,
    },
    /// Settings were given for a module that was given by value.
    #[error("the {0} was given by value and takes no settings; allowed: naming another implementation with them")]
    GivenByValue(&'static str),
    /// A value that a complementarity solver does not accept.
    #[error("lcp: {error}")]
    Solver {
        /// Fault.
        error: LcpError,
    },
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepFailure),
    /// The threads could not be started.
    #[error("no pool of {0} threads could be started")]
    Threads(usize),
}

impl WorldError {
    /// The error itself, without the body that it is about.
    pub fn cause(&self) -> &Self {
        match self {
            Self::OfBody { error, .. } => error.cause(),
            other => other,
        }
    }
}
