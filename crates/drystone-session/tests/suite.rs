//! The tests of this crate: one binary, a module per file.

mod faults;
mod hand;
mod random_world;
mod save;
mod scenery;
mod unread;
