//! The tests of this crate: one binary, a module per file.

mod linkage_bound;
mod materials;
mod parts_and_wholes;
mod plain_data;
mod state_columns;
