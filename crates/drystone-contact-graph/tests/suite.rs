//! The tests of this crate: one binary, a module per file.

mod allocation;
mod contract;
mod edges;
mod events;
mod groups;
mod method_hint;
mod paths;
mod sleep;
mod stack_layers;
