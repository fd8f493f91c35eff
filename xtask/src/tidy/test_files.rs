//! No test file is left out of the binaries. Where a manifest says `autotests = false`, cargo runs only what it names.

use super::tree::TextFile;
use std::path::Path;

/// Checks that each `tests/NAME.rs` beside such a manifest is a `[[test]]` or a module of one.
pub(crate) fn check(files: &[TextFile]) -> Vec<String> {
    let manifests = files.iter().filter(|f| f.path.ends_with("Cargo.toml") && f.text.contains("\nautotests = false"));
    manifests.flat_map(|manifest| left_out(manifest, files)).collect()
}

fn left_out(manifest: &TextFile, files: &[TextFile]) -> Vec<String> {
    let folder = manifest.path.replace("Cargo.toml", "tests/");
    let named = |path: &str| manifest.text.contains(&format!("path = \"tests/{path}\""));
    let beside: Vec<(&str, &TextFile)> = files
        .iter()
        .filter_map(|f| Some((f.path.strip_prefix(&folder)?, f)))
        .filter(|(path, _)| {
            Path::new(path).extension().is_some_and(|e| e == "rs")
                && (!path.contains('/') || path.ends_with("/main.rs"))
        })
        .collect();
    let is_module = |path: &str| {
        let line = format!("mod {};", path.trim_end_matches(".rs"));
        beside.iter().any(|(root, f)| named(root) && f.text.lines().any(|l| l == line))
    };
    let unread = beside.iter().filter(|(path, _)| !named(path) && !is_module(path));
    unread.map(|(_, f)| format!("{}: no binary of {} has it", f.path, manifest.path)).collect()
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::tree::TextFile;

    #[test]
    fn a_test_that_no_binary_has_is_a_fault() {
        let file = |path: &str, text: &str| TextFile { path: path.to_owned(), text: text.to_owned() };
        let manifest = "[package]\nautotests = false\n[[test]]\nname = \"suite\"\npath = \"tests/suite.rs\"\n";
        let mut files = vec![
            file("crates/a/Cargo.toml", manifest),
            file("crates/a/tests/suite.rs", "mod joints;\n"),
            file("crates/a/tests/joints.rs", ""),
            file("crates/a/tests/common/mod.rs", ""),
            file("crates/b/Cargo.toml", "[package]\n"),
            file("crates/b/tests/alone.rs", ""),
        ];
        assert!(check(&files).is_empty());
        files.push(file("crates/a/tests/left.rs", ""));
        files.push(file("crates/a/tests/whole/main.rs", ""));
        assert_eq!(check(&files).len(), 2);
    }
}
