use crate::experiments::runner::Runner;
use crate::references::{self, Named, Reference, SECTIONS};
use crate::root::root;
use crate::tidy::tree::{self, TextFile};
use std::fmt::Write;

/// How many files of a kind are named in a cell.
const MOST_NAMED: usize = 4;

/// The index of sources: what each entry is, where it comes from, which code and which tests name it.
pub(crate) fn index(_: &Runner) -> Result<String, String> {
    let files = tree::text_files(&root())?;
    Ok(table(&references::read(&files)?, &files))
}

fn table(entries: &[Reference], files: &[TextFile]) -> String {
    let named = Named::by_id(files);
    let nobody = Named::default();
    let mut out = String::new();
    for (letter, title) in SECTIONS {
        let rows = entries.iter().filter(|e| e.id.starts_with(*letter)).collect::<Vec<_>>();
        if rows.is_empty() {
            continue;
        }
        let _ = writeln!(
            out,
            "\n## {letter}: {title}\n\n| ID | what | source | code | tests and scenes |\n|---|---|---|---|---|"
        );
        for e in rows {
            let Named { code, tests } = named.get(e.id.as_str()).unwrap_or(&nobody);
            let cell = |t: &str| t.replace('|', "\\|");
            let what = match &e.note {
                Some(note) => format!("{}. *{}*", cell(&e.what), cell(note)),
                None => cell(&e.what),
            };
            let _ = writeln!(out, "| {} | {what} | {} | {} | {} |", e.id, cell(&e.source), list(code), list(tests));
        }
    }
    out
}

fn list(paths: &[&str]) -> String {
    let mut out = paths.iter().take(MOST_NAMED).map(|p| format!("`{}`", short(p))).collect::<Vec<_>>().join(", ");
    if paths.len() > MOST_NAMED {
        let _ = write!(out, " and {} more", paths.len() - MOST_NAMED);
    }
    out
}

/// The path without what every path of its kind begins with.
fn short(path: &str) -> &str {
    path.strip_prefix("crates/").unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart() {
        let file = |path: &str, text: &str| TextFile { path: path.to_owned(), text: text.to_owned() };
        let files = [
            file("crates/a/src/x.rs", "// B-01\n// B-01 again, B-02\n"),
            file("crates/a/tests/y.rs", "// B-01\n"),
            file("crates/a/src/w.rs", "// B-03\n#[cfg(test)]\nmod tests {\n    // B-01\n}\n"),
            file("docs/src/z.md", "B-01\n"),
        ];
        let entry = |id: &str, note: Option<&str>| Reference {
            id: id.to_owned(),
            what: "w".to_owned(),
            source: "s".to_owned(),
            note: note.map(str::to_owned),
        };
        let out = table(&[entry("B-01", None), entry("B-03", Some("a remark"))], &files);
        assert!(out.contains("## B: Time control"));
        assert!(out.contains("| B-01 | w | s | `a/src/x.rs` | `a/tests/y.rs`, `a/src/w.rs` |"));
        assert!(out.contains("| B-03 | w. *a remark* | s | `a/src/w.rs` |  |"));
    }
}
