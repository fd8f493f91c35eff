use crate::experiments::runner::Runner;
use crate::references::{self, Reference, SECTIONS};
use crate::root::root;
use crate::tidy::tree::{self, TextFile};
use std::collections::BTreeMap;
use std::fmt::Write;

/// How many files of a kind are named in a cell.
const MOST_NAMED: usize = 4;

/// The index of sources: what each entry is, where it comes from, which code and which tests name it.
pub(crate) fn index(_: &Runner) -> Result<String, String> {
    let files = tree::text_files(&root())?;
    Ok(table(&references::read(&files)?, &files))
}

fn table(entries: &[Reference], files: &[TextFile]) -> String {
    let named = naming_files(files);
    let nobody = Vec::new();
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
            let (tests, code): (Vec<&str>, Vec<&str>) =
                named.get(e.id.as_str()).unwrap_or(&nobody).iter().partition(|p| is_test(p));
            let cell = |t: &str| t.replace('|', "\\|");
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} |",
                e.id,
                cell(&e.what),
                cell(&e.source),
                list(&code),
                list(&tests)
            );
        }
    }
    out
}

/// By ID, the files that name it, sorted; documents count only where nothing else is to be found.
fn naming_files(files: &[TextFile]) -> BTreeMap<&str, Vec<&str>> {
    let mut named: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for file in files.iter().filter(|f| references::names_entries(&f.path)) {
        let is_code = file.is_rust() || file.path.starts_with("scenes/");
        for (_, id) in file.text.lines().filter(|_| is_code).flat_map(references::ids) {
            let paths = named.entry(id).or_default();
            // expectations are part of their scene
            let scene = files.iter().find(|f| Some(f.path.as_str()) == scene_of(&file.path).as_deref());
            let path = scene.unwrap_or(file).path.as_str();
            if paths.last() != Some(&path) {
                paths.push(path);
            }
        }
    }
    named
}

/// The scene whose expectations a file has.
fn scene_of(path: &str) -> Option<String> {
    path.strip_suffix(".expect.toml").map(|scene| format!("{scene}.toml"))
}

fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.starts_with("scenes/") || path.contains("/examples/") || path.contains("/benches/")
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
            file("docs/src/z.md", "B-01\n"),
        ];
        let entry = |id: &str| Reference { id: id.to_owned(), what: "w".to_owned(), source: "s".to_owned() };
        let out = table(&[entry("B-01"), entry("B-03")], &files);
        assert!(out.contains("## B: Time control"));
        assert!(out.contains("| B-01 | w | s | `a/src/x.rs` | `a/tests/y.rs` |"));
        assert!(out.contains("| B-03 | w | s |  |  |"));
    }
}
