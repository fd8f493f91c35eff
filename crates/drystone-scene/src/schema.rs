//! The format described: a JSON schema for editors and programs, and the tables of the book, both made from the declarations that the
//! reader goes by.

mod json;
mod reference;

use crate::model::declare::{Kind, Table};
use crate::model::{ModuleCatalogue, PAIR_FILE, QUESTIONS};
use crate::scene::ROOT;
use serde_json::Value as Json;

/// A format that the reader takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Scene files.
    Scene,
    /// Files of `drystone query` with a scene.
    SceneQuery,
    /// Files of `drystone query` with pairs of shapes.
    PairQuery,
}

impl Format {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Self); 3] =
        [("scene", Self::Scene), ("scene-query", Self::SceneQuery), ("pair-query", Self::PairQuery)];

    pub(super) fn root(self) -> &'static Table {
        match self {
            Self::Scene => &ROOT,
            Self::SceneQuery => &QUESTIONS,
            Self::PairQuery => &PAIR_FILE,
        }
    }
}

/// The JSON schema (draft 2020-12) of a format, for a build that offers the modules of a catalogue. TOML files fit it as the JSON that
/// they stand for.
pub fn schema(format: Format, catalogue: &ModuleCatalogue) -> Json {
    json::schema(format, catalogue)
}

/// Every table of scene files with its keys, units and defaults, and an example each, in Markdown.
pub fn reference() -> String {
    reference::scene()
}

/// The examples of all tables of scene files: the table's name and a piece of a scene (TOML).
pub fn examples() -> Vec<(&'static str, &'static str)> {
    let shown = |t: &&'static Table| !t.example.is_empty();
    tables(&ROOT).into_iter().filter(shown).map(|t| (t.name, t.example)).collect()
}

/// A table and all that are inside it, each once, in the order in which they are met.
fn tables(root: &'static Table) -> Vec<&'static Table> {
    let mut found: Vec<&'static Table> = vec![root];
    let mut next = 0;
    while next < found.len() {
        for key in found[next].keys {
            inner(key.kind(), &mut found);
        }
        next += 1;
    }
    found
}

fn inner(kind: &Kind, found: &mut Vec<&'static Table>) {
    let mut put = |t: &'static Table| {
        if !found.iter().any(|f| core::ptr::eq(*f, t)) {
            found.push(t);
        }
    };
    match kind {
        Kind::Table(t) | Kind::Named(t) => put(t),
        Kind::Tagged(_, all) => all.iter().for_each(|(_, t)| put(t)),
        Kind::List(of, ..) => inner(of, found),
        Kind::Either(kinds) => kinds.iter().for_each(|k| inner(k, found)),
        Kind::Flag
        | Kind::Text
        | Kind::Name(_)
        | Kind::Choice(_)
        | Kind::Integer { .. }
        | Kind::Number(_)
        | Kind::Vector(..)
        | Kind::Direction
        | Kind::Preset => {}
    }
}
