//! The contact graph and its spatial-temporal coherence analysis.
//!
//! Purpose: between the stages of collision detection, remember each pair of bodies in proximity as an edge, decide
//! which pairs must be tested again, find the groups of bodies that can be solved alone, and order each group in
//! stack layers. The graph itself is plain data in [`drystone_core::ContactGraph`]; this crate maintains it.
//!
//! - [`GraphAnalysis`]: the analysis, hook by hook.
//! - [`GroupLayers`]: a group's layers from the bottom up, for shock propagation.
//! - [`remove_bodies`], [`forget_body`]: what to do with the graph when the configuration is edited.
//! - [`EventLog`], [`EventQueue`]: what began and ceased, also for simulators that go back in time.
//! - [`SwitchCriterion`]: whether a group suits impulses or constraints.
//! - [`sleep`]: policies that say whether a body is calm enough to sleep.
//!
//! # Source
//! Erleben 2005, chapter 5 and sections 6.4.2, 6.5.

mod analysis;
mod buckets;
mod coherence_test;
mod edge_update;
mod edit;
mod event;
mod event_queue;
mod group_finder;
mod group_layers;
mod links;
mod method_hint;
mod obsolete;
mod reduction;
mod registry;
mod regrouping;
pub mod sleep;
mod sorted_list;
mod stack_height;
mod support_height;
mod touching;
mod union_find;

pub use analysis::{GraphAnalysis, GraphSettings};
pub use coherence_test::CoherenceTest;
pub use edit::{forget_body, remove_bodies};
pub use event::{ContactEvent, EventKind, EventLog, EventMark, Meeting};
pub use event_queue::EventQueue;
pub use group_layers::{GroupLayers, StackLayer, edge_layer, joint_layer, layer_count};
pub use method_hint::{MethodHint, SwitchCriterion, normal_speed};
pub use obsolete::is_obsolete;
pub use registry::{IMPLEMENTATIONS, SLEEP_POLICIES, by_name, sleep_policy_by_name};
pub use stack_height::StackHeight;

// whoever calls this crate needs no other of the workspace: the types of its calls are here
pub use drystone_core as core;
pub use drystone_geometry as geometry;
pub use drystone_math as math;

/// The README's Rust blocks, compiled as they stand.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct ReadmeDoctests;
