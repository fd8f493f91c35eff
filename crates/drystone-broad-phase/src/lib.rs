//! Broad phases: from one axis-aligned box per body to the sorted list of overlapping pairs.
//!
//! Every method answers the same question through [`drystone_core::BroadPhase`] and gives the same list;
//! [`Exhaustive`] is the reference that the others are tested against.
//!
//! | name | type | cost of a call |
//! |---|---|---|
//! | `exhaustive` | [`Exhaustive`] | n (n - 1) / 2 tests |
//! | `sweep-and-prune` | [`SweepAndPrune`] | n + exchanges; at worst n log n + overlaps along one axis |
//! | `hash-grid` | [`HashGrid`] | n times the number of sizes, by factors of two |
//! | `aabb-tree` | [`AabbTree`] | n + moved log n + overlaps |
//!
//! The crate also has queries for rays, boxes and nearest bodies on a [`BoxTree`], and boxes that contain a motion
//! ([`BallisticMotion`]).
//!
//! ```
//! use drystone_broad_phase::SweepAndPrune;
//! use drystone_core::{BroadPhase, BroadPhaseInput, BodyPair, ProxyFilter};
//! use drystone_geometry::Aabb;
//! use drystone_math::Vec3;
//!
//! let boxes = [0.0, 0.8, 5.0].map(|x| Aabb::from_center(Vec3::X * x, Vec3::splat(0.5)));
//! let filters = [ProxyFilter::new(true, 0); 3];
//! let mut pairs = Vec::new();
//! SweepAndPrune::default().find_pairs(BroadPhaseInput::new(&boxes, &filters), &mut pairs);
//! assert_eq!(pairs, [BodyPair::ordered(0, 1)]);
//! ```

mod aabb_tree;
mod axes;
mod box_tree;
mod candidate;
mod endpoint_list;
mod exact;
mod exhaustive;
mod hash_grid;
mod leaf_renewal;
mod outward_box;
mod pair_sort;
mod radix;
mod sorted_axis;
mod stripes;
mod sweep_and_prune;
mod swept_volume;
mod tree_node;
mod tree_query;

mod registry;

pub use aabb_tree::AabbTree;
pub use axes::Axes;
pub use box_tree::{BoxTree, TreeSettings, TreeUpdate};
pub use drystone_geometry::Ray;
pub use endpoint_list::{Endpoint, EndpointList};
pub use exhaustive::Exhaustive;
pub use hash_grid::{GridSettings, HashGrid};
pub use pair_sort::PairSort;
pub use registry::{IMPLEMENTATIONS, by_name};
pub use sweep_and_prune::{SweepAndPrune, SweepMethod, SweepSettings};
pub use swept_volume::BallisticMotion;

// whoever calls this crate needs no other of the workspace: the types of its calls are here
pub use drystone_core as core;
pub use drystone_geometry as geometry;
pub use drystone_math as math;

/// The README's Rust blocks, compiled as they stand.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct ReadmeDoctests;
