//! The entries of the source texts that code and documents name by short IDs such as B-13, and where each is named.

mod named;

pub(crate) use named::Named;

use crate::tidy::tree::TextFile;
use serde_json::Value;

/// Where the entries are written down.
const FILE: &str = "docs/sources.json";

/// What the letters stand for, in the order of the index.
pub(crate) const SECTIONS: &[(char, &str)] = &[
    ('A', "Architecture"),
    ('B', "Time control"),
    ('C', "Motion"),
    ('D', "Collision laws and solvers"),
    ('E', "Constraint solvers"),
    ('F', "Complementarity solvers"),
    ('G', "Joints"),
    ('H', "Contact graph and coherence"),
    ('I', "Broad phase"),
    ('J', "Narrow phase"),
    ('K', "Contact determination"),
    ('L', "Shock propagation and projection"),
    ('M', "Scripted motion"),
    ('N', "Interaction"),
    ('O', "Experiments"),
    ('P', "Open problems"),
    ('Q', "Advice"),
    ('R', "Errata"),
];

/// One thing that a source text describes.
pub(crate) struct Reference {
    /// A letter, a dash and two digits.
    pub(crate) id: String,
    /// What it is, in a few words.
    pub(crate) what: String,
    /// Author, year, section, figure or equation.
    pub(crate) source: String,
    /// Why no code or no test carries it, or none alone.
    pub(crate) note: Option<String>,
}

/// All entries, in the order of the file.
pub(crate) fn read(files: &[TextFile]) -> Result<Vec<Reference>, String> {
    let file = files.iter().find(|f| f.path == FILE).ok_or(format!("{FILE} is missing"))?;
    let rows: Value = serde_json::from_str(&file.text).map_err(|e| format!("{FILE}: {e}"))?;
    let rows = rows.as_array().ok_or(format!("{FILE}: not a list"))?;
    let text = |row: &Value, key: &str| {
        let found = row[key].as_str().filter(|t| !t.trim().is_empty());
        found.map(str::to_owned).ok_or(format!("{FILE}: {row}: no {key}"))
    };
    let entry = |r: &Value| {
        let note = r.get("note").map(|_| text(r, "note")).transpose()?;
        Ok(Reference { id: text(r, "id")?, what: text(r, "what")?, source: text(r, "source")?, note })
    };
    rows.iter().map(entry).collect()
}

/// The IDs in a line, each with the place where it begins. What is part of a longer word or number is none.
pub(crate) fn ids(line: &str) -> Vec<(usize, &str)> {
    let bytes = line.as_bytes();
    let joins = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    (0..bytes.len().saturating_sub(3))
        .filter(|&i| {
            (b'A'..=b'R').contains(&bytes[i])
                && bytes[i + 1] == b'-'
                && bytes[i + 2].is_ascii_digit()
                && bytes[i + 3].is_ascii_digit()
                && !joins(bytes.get(i + 4))
                && (i == 0 || !joins(bytes.get(i - 1)))
        })
        .map(|i| (i, &line[i..i + 4]))
        .collect()
}

/// Whether a file may name entries: what is written by hand, the list of entries and the index made of it left out.
pub(crate) fn names_entries(path: &str) -> bool {
    let known = [".rs", ".md", ".toml"].iter().any(|e| path.ends_with(e));
    known && path != "docs/src/index-of-sources.md" && !path.starts_with("xtask/") && !path.starts_with("lab/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stand_alone() {
        let found = |line| ids(line).into_iter().map(|(_, id)| id).collect::<Vec<_>>();
        assert_eq!(found("as in B-13, B-21; (O-02 b)"), ["B-13", "B-21", "O-02"]);
        assert!(found("UTF-16 x86-64 A-123 S-12 CPS_A-12 B-1").is_empty());
    }

    #[test]
    fn entries_are_complete() {
        let file = |text: &str| [TextFile { path: FILE.to_owned(), text: text.to_owned() }];
        assert_eq!(read(&file(r#"[{"id": "A-01", "what": "a", "source": "b"}]"#)).unwrap().len(), 1);
        assert!(read(&file(r#"[{"id": "A-01", "what": "a", "source": " "}]"#)).is_err());
        assert!(read(&file(r#"[{"id": "A-01", "what": "a", "source": "b", "note": ""}]"#)).is_err());
        assert!(read(&[]).is_err());
    }
}
