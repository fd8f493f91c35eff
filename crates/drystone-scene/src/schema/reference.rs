use super::tables;
use crate::model::declare::{Declared, Kind, Table};
use crate::scene::ROOT;
use std::fmt::Write;

/// The tables of scene files in Markdown.
pub(super) fn scene() -> String {
    let mut out = String::new();
    for table in tables(&ROOT) {
        write_table(table, &mut out);
    }
    out
}

fn write_table(table: &Table, out: &mut String) {
    // writing to a String cannot fail
    let _ = writeln!(out, "### {}\n\n{}\n", title(table), table.doc);
    if table.one {
        out.push_str("Exactly one of:\n\n");
    }
    out.push_str("| key | value | unit | default | meaning |\n|---|---|---|---|---|\n");
    for key in table.keys {
        let default = default_of(*key, table);
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {default} | {} |",
            key.name(),
            cell(&value_of(key.kind())),
            key.unit(),
            cell(key.doc())
        );
    }
    out.push('\n');
    if !table.example.is_empty() {
        let _ = writeln!(out, "```toml\n{}\n```\n", table.example);
    }
}

/// Title of a table in the book.
fn title(table: &Table) -> String {
    table.name.replace('_', " ")
}

fn default_of(key: &dyn Declared, table: &Table) -> String {
    if table.one {
        return String::new();
    }
    if key.is_required() {
        return "required".to_owned();
    }
    key.default().map(|v| format!("`{v}`")).unwrap_or_default()
}

/// Allowed values, with links to the tables that they are made of.
fn value_of(kind: &Kind) -> String {
    let link = |t: &Table| format!("[{}](#{})", title(t), title(t).replace(' ', "-"));
    match kind {
        Kind::Table(t) => link(t),
        Kind::Named(t) => format!("tables by name, each a {}", link(t)),
        Kind::List(of, _, None) => format!("list of {}", value_of(of)),
        Kind::List(of, _, Some(n)) => format!("list of {n}: {}", value_of(of)),
        Kind::Either(kinds) => kinds.iter().map(value_of).collect::<Vec<_>>().join(" or "),
        Kind::Tagged(key, tables) => {
            let one = |(name, t): &(&str, &'static Table)| format!("`{key} = \"{name}\"`: {}", link(t));
            tables.iter().map(one).collect::<Vec<_>>().join(", ")
        }
        Kind::Choice(names) => names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", "),
        Kind::Flag
        | Kind::Text
        | Kind::Name(_)
        | Kind::Integer { .. }
        | Kind::Number(_)
        | Kind::Vector(..)
        | Kind::Direction
        | Kind::Preset => kind.allowed(),
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
