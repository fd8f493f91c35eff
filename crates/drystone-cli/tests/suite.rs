//! The tests of this crate: one binary, a module per file.

mod benchmark_mechanisms;
mod budget;
mod bundled_scenes;
mod closed_forms;
mod commands;
mod contradictions;
mod dump_and_replay;
mod fair;
mod fallbacks;
mod files;
mod first_steps;
mod frames;
mod golden_hashes;
mod guide;
mod limits;
#[path = "../../../fuzz/entries/mutate.rs"]
mod mutate;
mod mutated_input;
mod mutated_requests;
mod outside_modules;
mod passive_joints;
mod reference;
mod replay;
mod scene_queries;
mod schema;
mod side_by_side;
mod snapshots;
mod view;
mod written_schemas;
