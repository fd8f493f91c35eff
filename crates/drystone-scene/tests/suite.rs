//! The tests of this crate: one binary, a module per file.

mod bad_joints;
mod common;
mod directions;
mod faults_are_named;
mod figures_count;
mod generated_scenes;
mod never_panics;
mod outside_kinds;
mod reads_and_builds;
mod scenes_folder;
