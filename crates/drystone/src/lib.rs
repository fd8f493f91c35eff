//! Modular rigid-body dynamics: eight swappable modules behind one facade.
//!
//! A [`World`] holds bodies, joints and forces; a [`Paradigm`] names one choice for each of the eight modules of
//! Erleben's design, and any of them can be replaced, also while the world runs.
//!
//! ```
//! use drystone::prelude::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut world = World::builder().paradigm(Paradigm::LOAD_PROPAGATION).build()?;
//! world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0)?))?;
//! let mut top = None;
//! for i in 0..25 {
//!     let place = [0.0, 0.5 + f64::from(i), 0.0];
//!     top = Some(world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5)?).at(place).density(10.0))?);
//! }
//! for _ in 0..10 {
//!     world.advance(0.01)?;
//! }
//! let top = world.position(top.unwrap()).unwrap();
//! assert!((top.y - 24.5).abs() < 1e-3);
//! # Ok(())
//! # }
//! ```
//!
//! The crates behind it can be used one by one; [`math`], [`geometry`], [`lcp`] and [`core`] re-export the ones whose
//! types appear here.

mod body;
mod builder;
mod convergence;
mod error;
mod event;
mod history;
mod joint;
mod kernel;
mod label;
mod limits;
mod modules;
mod pace;
mod paradigm;
mod query;
pub mod registry;
mod replacements;
mod report;
mod snapshot;
mod stopwatch;
mod world;

pub use body::Body;
pub use builder::WorldBuilder;
pub use drystone_contact_graph::{ContactEvent, EventKind, Meeting};
pub use drystone_core as core;
pub use drystone_core::ModuleKind;
pub use drystone_core::PhaseTimes;
pub use drystone_dynamics as dynamics;
pub use drystone_geometry as geometry;
pub use drystone_joints::{AxisFreedom, JointDescription, JointKind, Motor, Spring};
pub use drystone_lcp as lcp;
pub use drystone_math as math;
pub use error::WorldError;
pub use event::{Event, Touch};
pub use history::History;
pub use joint::Joint;
pub use label::BodyLabel;
pub use limits::Limits;
pub use modules::{Ineffective, LeftOut, ModuleChoice, Modules, NotRead, Stages};
pub use pace::{Budget, FrameReport, Pacer};
pub use paradigm::{Beyond, Bound, Demand, Paradigm};
pub use query::{Demands, Hit, Query, QueryError, RayQuery};
pub use registry::{Registry, RegistryError};
pub use replacements::Replacement;
pub use report::StepReport;
pub use snapshot::{Snapshot, SnapshotError};
pub use world::{BodyView, ContactView, GraphEdge, GraphNode, JointView, Removed, World};

/// Items that most programs need.
pub mod prelude {
    pub use crate::{AxisFreedom, Joint, JointKind, Motor, Spring};
    pub use crate::{Body, Paradigm, Snapshot, StepReport, World, WorldError};
    pub use crate::{Event, Hit, QueryError, Touch};
    pub use drystone_core::{BodyId, BodyKind, CollisionGroups, ForceId, JointId, Material, TimerId};
    pub use drystone_geometry::Shape;
    pub use drystone_math::{Pose, Quat, Real, Twist, Vec3};
}

/// The README's Rust blocks, compiled as they stand.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct ReadmeDoctests;

/// The Rust blocks of the README at the root and of the book.
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../docs/src/modular-design.md")]
#[cfg(doctest)]
pub struct BookDoctests;

/// The Rust blocks of the guide by task.
#[doc = include_str!("../../../docs/src/guide/first-stack.md")]
#[doc = include_str!("../../../docs/src/guide/shapes-and-mass.md")]
#[doc = include_str!("../../../docs/src/guide/joints-and-motors.md")]
#[doc = include_str!("../../../docs/src/guide/limits-and-springs.md")]
#[doc = include_str!("../../../docs/src/guide/rag-doll.md")]
#[doc = include_str!("../../../docs/src/guide/sensors-and-events.md")]
#[doc = include_str!("../../../docs/src/guide/rays-and-sweeps.md")]
#[doc = include_str!("../../../docs/src/guide/fast-bodies.md")]
#[doc = include_str!("../../../docs/src/guide/conveyors-and-lifts.md")]
#[doc = include_str!("../../../docs/src/guide/contact-forces.md")]
#[doc = include_str!("../../../docs/src/guide/saving-and-replay.md")]
#[doc = include_str!("../../../docs/src/guide/determinism.md")]
#[doc = include_str!("../../../docs/src/guide/a-scene-that-explodes.md")]
#[doc = include_str!("../../../docs/src/guide/writing-a-solver.md")]
#[cfg(doctest)]
pub struct GuideDoctests;
