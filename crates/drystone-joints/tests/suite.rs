//! The tests of this crate: one binary, a module per file.

mod allocation;
mod build_errors;
mod every_axis_state;
mod frames;
mod freedoms;
mod reach;
mod rows;
