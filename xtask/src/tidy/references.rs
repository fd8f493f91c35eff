use super::tree::TextFile;
use crate::references;
use std::collections::BTreeSet;

/// Every ID of a source entry is in the list of entries, and none is in a text that users see: they are told author, year and section.
pub(crate) fn check(files: &[TextFile]) -> Vec<String> {
    let entries = match references::read(files) {
        Ok(entries) => entries,
        Err(why) => return vec![why],
    };
    let known = entries.iter().map(|e| e.id.as_str()).collect::<BTreeSet<_>>();
    let mut faults = Vec::new();
    if known.len() < entries.len() {
        faults.push("docs/sources.json: an ID stands there twice".to_owned());
    }
    for file in files.iter().filter(|f| references::names_entries(&f.path)) {
        for (i, line) in file.text.lines().enumerate() {
            for (at, id) in references::ids(line) {
                if !known.contains(id) {
                    faults.push(format!("{}:{}: {id} is not in docs/sources.json", file.path, i + 1));
                }
                if is_shown(&file.path, line, at) {
                    faults.push(format!("{}:{}: {id} in a text for users: author, year, section", file.path, i + 1));
                }
            }
        }
    }
    faults
}

/// Whether users see the text at a place in a line: within quotation marks, in what libraries and the command line print and in
/// scenes; expectations are for tests.
fn is_shown(path: &str, line: &str, at: usize) -> bool {
    let printed = path.starts_with("crates/") && path.contains("/src/")
        || path.starts_with("scenes/") && !path.ends_with(".expect.toml");
    let before = &line[..at];
    let comment = ["//", "#"].iter().any(|mark| before.trim_start().starts_with(mark));
    printed && !comment && before.matches('"').count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(path: &str, text: &str) -> usize {
        let list = r#"[{"id": "B-01", "what": "w", "source": "s"}]"#;
        let file = |path: &str, text: &str| TextFile { path: path.to_owned(), text: text.to_owned() };
        check(&[file("docs/sources.json", list), file(path, text)]).len()
    }

    #[test]
    fn unknown_and_printed_ids_are_found() {
        assert_eq!(faults("crates/a/src/x.rs", "// B-01\n"), 0);
        assert_eq!(faults("crates/a/src/x.rs", "// B-02\n"), 1);
        assert_eq!(faults("crates/a/src/x.rs", "source: \"Erleben; B-01\",\n"), 1);
        assert_eq!(faults("crates/a/tests/x.rs", "assert!(x, \"B-01\");\n"), 0);
        assert_eq!(faults("scenes/x.toml", "source = \"B-01\"\n"), 1);
        assert_eq!(faults("scenes/x.toml", "# B-01\n"), 0);
        assert_eq!(faults("scenes/x.expect.toml", "experiment = \"B-01\"\n"), 0);
    }
}
