//! The tests of this crate: one binary, a module per file.

mod batches;
mod box_on_box;
mod compounds;
mod contact_rules;
mod depth_along_normal;
mod fuzz_pairs;
mod leaning_faces;
mod manifold_campaign;
mod mesh_manifolds;
mod round_faces;
