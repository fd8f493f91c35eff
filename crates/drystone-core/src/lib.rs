//! The contracts of the drystone engine: identities, configuration, state, the plain data that flows
//! between stages, and the traits at the seams. There is no algorithm in this crate.
//!
//! An outside author of a new module depends on this crate alone. Reading order: what a simulation is made
//! of ([`Configuration`], [`State`]), what flows through a frame ([`BodyPair`], [`Proximity`], [`Manifold`],
//! [`ContactGraph`], [`GroupProblem`]), the eight seams ([`TimeControl`], [`MotionSolver`],
//! [`ConstraintSolver`], [`CollisionSolver`], [`BroadPhase`], [`NarrowPhase`], [`ContactDetermination`],
//! [`CoherenceAnalysis`]), and the port that time control drives ([`Kernel`]).

pub mod catalogue;
mod ids;

// what a simulation is made of
mod body;
mod configuration;
mod fit;
mod ignored_pairs;
mod jam;
mod joint;
mod joint_memory;
mod material;
mod mechanics;
mod state;

// what flows through a frame
mod body_paths;
mod connected;
mod contact_graph;
mod contact_impulse;
mod gone;
mod graph_node;
mod group_answer;
mod group_problem;
mod group_row;
mod groups;
mod impact;
mod impact_work;
mod manifold;
mod marked;
mod pair;
mod pair_material;
mod pair_record;
mod proximity;
mod room;
mod stack_layers;
mod step;
mod turn;

// the eight seams
mod broad_phase;
mod coherence;
mod collision_groups;
mod collision_solver;
mod constraint_solver;
mod contact_determination;
mod module_kind;
mod motion_bound;
mod motion_solver;
mod moving;
mod narrow_phase;
mod near_name;
mod time_control;

// the smaller seams
mod constraint_row;
mod constraint_source;
mod executor;
mod flight;
mod observer;
mod position_corrector;
mod scripted_motion;
mod sleep_policy;
mod softness;
mod sorted_tail;
mod unread;

// the port of time control, and what its verbs answer
mod failure;
mod instant;
mod kernel;
mod phase_times;
mod report;

pub use body::{BodyKind, BodyProperties, MassError, SpinAxis};
pub use body_paths::{BodyPath, BodyPaths};
pub use broad_phase::{BroadPhase, BroadPhaseInput, MOST_PAIRS, ProxyFilter};
pub use coherence::{CoherenceAnalysis, FrameView};
pub use collision_groups::CollisionGroups;
pub use collision_solver::{CollisionLaw, CollisionSolver, ImpactContact, Resolves};
pub use configuration::{Configuration, ForceField, Script};
pub use connected::Connected;
pub use constraint_row::{ConstraintRow, Line, RowLimits};
pub use constraint_solver::ConstraintSolver;
pub use constraint_source::{BodyFrame, ConstraintSource, JointCoordinate, JointError};
pub use contact_determination::{ContactDetermination, PointHistory, determine_each, determine_edge};
pub use contact_graph::{ContactGraph, Edge, EdgeAction, EdgeEntry, EventCounts, Measured, NarrowCache};
pub use contact_impulse::ContactImpulse;
pub use executor::{Executor, OneThread, piece_length, retain_each, run_each};
pub use failure::{FailureKind, LimitedFigure, StepFailure};
pub use fit::ConfigurationError;
pub use flight::Flight;
pub use gone::Gone;
pub use graph_node::{EdgeKind, NoSuchEdge, NodeCategory, NodeKind};
pub use group_answer::GroupAnswer;
pub use group_problem::{
    AnchoredContact, ContactGeometry, ContactSurface, GroupBody, GroupContact, GroupJoint, GroupProblem,
};
pub use group_row::GroupRow;
pub use groups::Groups;
pub use ids::{BodyId, BodyIndex, ForceId, JointId, TimerId};
pub use ignored_pairs::IgnoredPairs;
pub use impact::{Closing, Impact, TOUCHING};
pub use impact_work::ImpactWork;
pub use instant::{Departure, Displacement, Instant, Rate, RateOf, Restore, Save};
pub use jam::{bound_displaced, bound_jammed};
pub use joint::{Joint, JointReaction, JointStrength};
pub use joint_memory::JointMemory;
pub use kernel::{ContactSet, DetectMode, Kernel, LayerStep, Scope};
pub use manifold::{ContactHistory, ContactPoint, FeatureKey, Manifold, NormalOwner, PointMemory};
pub use marked::marked;
pub use material::{CombineRule, Grain, Material, MaterialError, MaterialIndex};
pub use mechanics::{Energy, Momentum, kinetic_energy};
pub use module_kind::ModuleKind;
pub use motion_bound::{ClosingBound, LinkageBound, MotionBound, reach};
pub use motion_solver::MotionSolver;
pub use moving::Moving;
pub use narrow_phase::{NarrowPhase, PairBatch, PosedShape, UnsupportedPair, query_each, query_edge};
pub use near_name::{did_you_mean, near_name};
pub use observer::{Module, StepObserver};
pub use pair::BodyPair;
pub use pair_material::{Materials, PairGrain, PairMaterial};
pub use pair_record::PairRecord;
pub use phase_times::PhaseTimes;
pub use position_corrector::PositionCorrector;
pub use proximity::{ContactSeed, Feature, PartPair, Proximity, Relation};
pub use report::{DetectReport, Guesses, LcpSummary, Penetration, ResolveReport, SolveReport, TimeReport};
pub use room::make_room;
pub use scripted_motion::{ScriptedMotion, ScriptedState};
pub use sleep_policy::{SleepMemory, SleepObservation, SleepPolicy, Slowness};
pub use softness::Softness;
pub use stack_layers::StackLayers;
pub use state::State;
pub use step::{Level, Levels, Step};
pub use time_control::{Bouncing, TimeControl};
pub use turn::{Turn, Turning, Unturned};
pub use unread::Unread;

// whoever calls this crate needs no other of the workspace: the types of its calls are here
pub use drystone_geometry as geometry;
pub use drystone_math as math;

/// The README's Rust blocks, compiled as they stand.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct ReadmeDoctests;
