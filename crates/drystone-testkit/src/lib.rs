//! Contract suites: what every implementation of a drystone module trait must do, as functions to call from its tests.
//!
//! Each suite runs the implementation (or a way to make one) through seeded scenes and asserts the contract documented at the trait in `drystone-core`. The author
//! of a new module calls the suite of its trait from a test:
//!
//! | trait | suite |
//! |---|---|
//! | `BroadPhase` | [`check_broad_phase`] |
//! | `NarrowPhase` | [`check_narrow_phase`], [`check_witnesses`] |
//! | `ContactDetermination` | [`check_contact_determination`] |
//! | `CoherenceAnalysis` | [`check_coherence_analysis`] |
//! | `CollisionSolver` | [`check_collision_solver`] |
//! | `CollisionLaw` | [`check_collision_law`] |
//! | `ConstraintSolver` | [`check_constraint_solver`] |
//! | `MotionSolver` | [`check_motion_solver`] |
//! | `TimeControl` | [`check_time_control`] |
//! | `Kernel` | [`check_kernel`] |
//!
//! In addition there are seeded random numbers ([`Random`]), scenes ([`BoxScene`], [`GraphScene`], [`problem`]), a kernel that records what it is told
//! ([`FakeKernel`]), one that breaks a law ([`BrokenKernel`]), and executors ([`Threads`], [`Backwards`]).

mod random;

mod box_scene;
mod broken_kernel;
mod executors;
mod fake_kernel;
mod graph_scene;
pub mod problem;

mod broad_phase;
mod coherence;
mod collision_law;
mod collision_solver;
mod constraint_solver;
mod constraint_source;
mod contact_determination;
mod kernel;
mod motion_solver;
mod narrow_phase;
mod pin;
mod position_corrector;
mod surface;
mod time_control;
mod witnesses;

pub use box_scene::BoxScene;
pub use broad_phase::{brute_force, check_broad_phase};
pub use broken_kernel::{BrokenKernel, Fault};
pub use coherence::{Heights, check_coherence_analysis};
pub use collision_law::{EnergyGain, check_collision_law};
pub use collision_solver::check_collision_solver;
pub use constraint_solver::{ConstraintExpectations, check_constraint_solver};
pub use constraint_source::{SourceExpectations, check_constraint_source};
pub use contact_determination::check_contact_determination;
pub use executors::{Backwards, Threads};
pub use fake_kernel::{FakeKernel, Verb};
pub use graph_scene::GraphScene;
pub use kernel::check_kernel;
pub use motion_solver::check_motion_solver;
pub use narrow_phase::{NarrowPhaseTolerance, check_narrow_phase};
pub use position_corrector::{CorrectorExpectations, check_position_corrector};
pub use random::Random;
pub use surface::from_surface;
pub use time_control::check_time_control;
pub use witnesses::{WitnessErrors, WitnessReport, check_witnesses, measure_witnesses};

/// The README's Rust blocks, compiled as they stand.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct ReadmeDoctests;
