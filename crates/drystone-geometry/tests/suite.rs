//! The tests of this crate: one binary, a module per file.

mod bounding_trees;
mod masses;
mod mesh_files;
mod mesh_soundness;
mod mutated_meshes;
