//! The tests of this crate: one binary, a module per file.

mod all_pairs;
mod allocation;
mod balls_in_meshes;
mod batches;
mod box_box_memory;
#[path = "../examples/campaign/brute_force.rs"]
mod brute_force;
mod campaign;
mod common;
mod compounds;
mod contract;
mod flat_floor;
mod least_depth;
mod map_allocation;
mod map_edges;
mod mesh_depths;
mod mesh_overlaps;
mod meshes;
mod one_pose;
mod primitives;
mod published;
mod regressions;
mod sat;
mod shape_queries;
mod swept;
mod terrain;
mod tolerance_classes;
mod v_clip;
mod witnesses;
