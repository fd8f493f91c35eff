use super::tree::TextFile;
use crate::references::{self, Named, Reference};
use std::collections::BTreeSet;

/// The sections whose entries are each carried by code and a test, or say in a note why not.
const CARRIED: &[char] = &['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'M', 'N'];

/// Every ID of a source entry is in the list of entries, and none is in a text that users see: they are told author, year and section. No text points into
/// papers that its readers have not got.
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
    faults.extend(files.iter().flat_map(private));
    faults.extend(without_carrier(CARRIED, &entries, files));
    faults
}

/// References to notes that are not in this repository: numbered "seeds", and entries of a "catalogue".
fn private(file: &TextFile) -> Vec<String> {
    let mut faults = Vec::new();
    for (i, line) in file.text.lines().enumerate() {
        for found in ["seed ", "seeds "].iter().flat_map(|word| after(line, word)).filter(|rest| is_numbered(rest)) {
            let what = format!("\"seed {}\" is a private reference: author, year, section", &found[..3]);
            faults.push(format!("{}:{}: {what}", file.path, i + 1));
        }
        for found in after(line, "catalogue ").filter(|rest| is_entry(rest)) {
            let what = format!("\"catalogue {}\" is a private reference: author, year, section", &found[..3]);
            faults.push(format!("{}:{}: {what}", file.path, i + 1));
        }
    }
    faults
}

/// What follows each occurrence of a word in a line.
fn after<'a>(line: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    line.match_indices(word).map(|(at, word)| &line[at + word.len()..])
}

/// Whether a text begins with a number of three digits; a longer one starts random numbers.
fn is_numbered(text: &str) -> bool {
    text.bytes().take_while(u8::is_ascii_digit).count() == 3
}

/// Whether a text begins with a capital, a dash and a digit.
fn is_entry(text: &str) -> bool {
    matches!(text.as_bytes(), [b'A'..=b'Z', b'-', b'0'..=b'9', ..])
}

/// Entries that nothing carries and no note excuses.
fn without_carrier(carried: &[char], entries: &[Reference], files: &[TextFile]) -> Vec<String> {
    let named = Named::by_id(files);
    let lacks = |e: &Reference| match named.get(e.id.as_str()) {
        Some(n) if !n.code.is_empty() => n.tests.is_empty().then_some("no test"),
        Some(_) => Some("no code"),
        None => Some("neither code nor a test"),
    };
    let due = entries.iter().filter(|e| e.id.starts_with(carried) && e.note.is_none());
    due.filter_map(|e| Some((e, lacks(e)?)))
        .map(|(e, what)| format!("docs/sources.json: {} ({}) has {what} that names it, and no note why", e.id, e.what))
        .collect()
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
        let list = r#"[{"id": "B-01", "what": "w", "source": "s", "note": "n"}]"#;
        let file = |path: &str, text: &str| TextFile { path: path.to_owned(), text: text.to_owned() };
        check(&[file("docs/sources.json", list), file(path, text)]).len()
    }

    #[test]
    fn entries_that_nothing_carries_are_found() {
        let file = |path: &str, text: &str| TextFile { path: path.to_owned(), text: text.to_owned() };
        let entry = |note: Option<&str>| Reference {
            id: "B-01".to_owned(),
            what: "w".to_owned(),
            source: "s".to_owned(),
            note: note.map(str::to_owned),
        };
        let lacking =
            |carried: &[char], note, files: &[TextFile]| !without_carrier(carried, &[entry(note)], files).is_empty();
        let (code, test) = (file("crates/a/src/x.rs", "// B-01\n"), file("scenes/x.expect.toml", "# B-01\n"));
        assert!(lacking(&['B'], None, &[]));
        assert!(lacking(&['B'], None, std::slice::from_ref(&code)));
        assert!(lacking(&['B'], None, std::slice::from_ref(&test)));
        assert!(!lacking(&['B'], None, &[code, test]));
        assert!(!lacking(&['B'], Some("a remark"), &[]));
        assert!(!lacking(&['A'], None, &[]));
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

    #[test]
    fn private_references_are_found_in_every_text() {
        let seen = |path: &str, text: &str| private(&TextFile { path: path.to_owned(), text: text.to_owned() }).len();
        // (in two pieces, or this file would be at fault)
        for (word, rest) in
            [("seed", " 004"), ("seeds", " 000, 412 and others"), ("catalogue", " E-13"), ("catalogue", " S-1")]
        {
            for path in ["crates/a/src/x.rs", "docs/src/a.md", "scenes/a.toml", "schemas/a.json", "CHANGELOG.md"] {
                assert_eq!(seen(path, &format!("// as in {word}{rest}\n")), 1, "{path}: {word}{rest}");
            }
        }
        for text in
            ["seed 20261122 of 300 000 pairs", "seed = 412", "--seed 7", "the catalogue of modules", "(E-13, F-31)"]
        {
            assert_eq!(seen("docs/src/a.md", text), 0, "{text}");
        }
    }
}
