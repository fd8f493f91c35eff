//! The scene format, its errors, and the recorded figures.
//!
//! A [`Document`] is a scene's text, TOML or JSON, as a tree that knows where each value was written; values can be
//! set on it from outside. A [`Scene`] is a document checked against the whole format, and every fault found is a
//! [`SceneFault`] with file, line or path, the key, what was found and what is allowed. [`Scene::build`] gives the
//! [`BuiltScene`]: configuration and initial state. No file can cause a panic.
//!
//! [`figures`] holds what a run reports, and [`expect`] compares it with what a scene's source says must come out.

mod build;
mod document;
pub mod expect;
mod fault;
pub mod figures;
pub mod generators;
mod model;
mod scene;
mod schema;
mod write;

pub use build::BuiltScene;
pub use document::Document;
pub use fault::{FaultKind, Location, SceneFault, SceneFaults};
pub use model::{
    BodyEntry, BudgetSize, ForceEntry, ForceKind, FrameBudget, IgnoreEntry, JointEntry, MaterialEntry,
    MaterialPairEntry, ModuleCatalogue, ModuleChoice, RayQuestion, Repeat, SceneInfo, SceneQuestions, ScriptEntry,
    ScriptKind, Setting, ShapePair, Simulation, SweepQuestion, force_kinds, script_kinds, shape_kinds,
};
pub use scene::Scene;
pub use schema::{Format, examples, reference, schema};
pub use write::{SavedScene, Tag, Unsayable};

/// The README's Rust blocks, compiled as they stand.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct ReadmeDoctests;
