//! A scene's text as a tree of values that know where they stand: TOML and JSON give the same tree.

mod json;
mod node;
mod open;
mod set;
mod toml_text;

pub(crate) use node::quote;
pub(crate) use node::{Entry, Node, Origin, Value};
pub use open::Document;
