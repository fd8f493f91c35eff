//! The tests of this crate: one binary, a module per file.

mod contract;
mod queries;
mod sort_and_sweep;
