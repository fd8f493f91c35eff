use super::tree::TextFile;

/// A longer file holds two concepts.
const LONGEST: usize = 500;

// written in two parts, so that this file does not break its own rule
const FORBIDDEN: &[&str] = &[
    concat!("todo", "!("),
    concat!("unimplemented", "!("),
    concat!("dbg", "!("),
    concat!("#[", "ignore"),
    concat!("use std::collections::Hash", "Map"),
];

/// What prints, and what looks at the clock; the command line may, libraries may not.
const OUTWARD: &[&str] = &[concat!("print", "ln!("), concat!("print", "!("), "SystemTime", concat!("std::time", "::")];

/// Folders of single machines have no place in a repository.
const MACHINE_PATHS: &[&str] = &[
    concat!("/ho", "me/"),
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/tm", "p/"),
    concat!("/Us", "ers/"),
    concat!("C:", "\\"),
];

/// Rust files are short and hold none of the macros of unfinished work; libraries neither print nor look at the clock; no
/// file names a machine's folders.
pub(crate) fn check(files: &[TextFile]) -> Vec<String> {
    let mut faults = Vec::new();
    for file in files {
        if file.is_rust() {
            let lines = file.text.lines().count();
            if lines > LONGEST {
                faults.push(format!("{}: {lines} lines, at most {LONGEST}", file.path));
            }
        }
        for (i, line) in file.text.lines().enumerate() {
            let at = |what: &str| format!("{}:{}: {what}", file.path, i + 1);
            if is_library(&file.path) && !line.trim_start().starts_with("//") {
                faults.extend(OUTWARD.iter().filter(|w| line.contains(*w)).map(|w| at(w)));
            }
            if file.is_rust() {
                faults.extend(FORBIDDEN.iter().filter(|w| line.contains(*w)).map(|w| at(w)));
            }
            faults
                .extend(MACHINE_PATHS.iter().filter(|p| names_path(line, p)).map(|p| at(&format!("machine path {p}"))));
        }
    }
    faults
}

/// Whether a file is a part of a library crate, tests and examples beside it left out.
fn is_library(path: &str) -> bool {
    let source = path.starts_with("crates/") && path.contains("/src/");
    source && !path.starts_with("crates/drystone-cli/")
}

/// Whether the text has a path that begins so: a match inside of a longer path or address does not count.
fn names_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(i, _)| {
        let before = line[..i].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(path: &str, text: &str) -> Vec<String> {
        check(&[TextFile { path: path.to_owned(), text: text.to_owned() }])
    }

    #[test]
    fn long_files_are_found() {
        assert!(faults("a.rs", &"x\n".repeat(LONGEST)).is_empty());
        assert_eq!(faults("a.rs", &"x\n".repeat(LONGEST + 1)), ["a.rs: 501 lines, at most 500"]);
        assert!(faults("a.md", &"x\n".repeat(LONGEST + 1)).is_empty());
    }

    #[test]
    fn unfinished_work_is_found() {
        for word in FORBIDDEN {
            assert_eq!(faults("a.rs", &format!("    {word}\n")).len(), 1, "{word}");
        }
    }

    #[test]
    fn libraries_neither_print_nor_look_at_the_clock() {
        for word in OUTWARD {
            let text = format!("    {word}\n    // {word}\n");
            assert_eq!(faults("crates/drystone-lcp/src/a.rs", &text).len(), 1, "{word}");
            assert!(faults("crates/drystone-cli/src/a.rs", &text).is_empty());
            assert!(faults("crates/drystone-lcp/examples/a.rs", &text).is_empty());
        }
    }

    #[test]
    fn machine_paths_are_found() {
        let home = concat!("/ho", "me/");
        assert_eq!(faults("a.toml", &format!("file = \"{home}me/x\"")).len(), 1);
        assert!(faults("a.toml", &format!("see example.org{home}x")).is_empty());
    }
}
