use super::tree::TextFile;

/// How a text says where its figures come from; each stands in the section of the figures, and above a table of them.
const MEASURED: &str = "*Measured at ";
const ASSERTED: &str = "*Asserted by ";
const GENERATED: &str = "<!-- generated: ";
const END: &str = "<!-- end -->";

/// Every table of figures, and every section with a measured figure in its text, says where the figures come from: a line
/// `*Measured at COMMIT: ...*`, a line ``*Asserted by `crates/.../tests/NAME.rs`*``, or a block that `cargo xtask figures` generates.
pub(crate) fn check(files: &[TextFile]) -> Vec<String> {
    let mut faults = Vec::new();
    for file in files.iter().filter(|f| f.is_markdown() && f.path != "CHANGELOG.md") {
        for section in sections(&file.text) {
            let mut sourced = false;
            for block in &section {
                let at = |what: &str| format!("{}:{}: {what}", file.path, block.line);
                match block.source(files) {
                    Some(Ok(())) => sourced = true,
                    Some(Err(why)) => faults.push(at(&why)),
                    None => {}
                }
                if block.lines[0] == END {
                    sourced = false;
                }
                if block.is_table_of_figures() && !sourced {
                    faults.push(at("figures without a source line above them: *Measured at COMMIT: COMMAND*"));
                }
            }
            let figure = section.iter().find(|b| b.has_measured_figure());
            if let (Some(block), false) = (figure, section.iter().any(|b| b.source(files).is_some())) {
                faults.push(format!(
                    "{}:{}: a measured figure in a section without a source line",
                    file.path, block.line
                ));
            }
        }
    }
    faults
}

/// Lines without an empty one between them.
struct Block<'a> {
    line: usize,
    lines: Vec<&'a str>,
}

impl Block<'_> {
    /// Whether the block is a source, and if so whether it is a good one.
    fn source(&self, files: &[TextFile]) -> Option<Result<(), String>> {
        self.lines.iter().find_map(|line| {
            if line.starts_with(GENERATED) {
                return Some(Ok(()));
            }
            if let Some(rest) = line.strip_prefix(MEASURED) {
                let commit = rest.split([':', ' ']).next().unwrap_or_default();
                let hex = commit.len() >= 7 && commit.chars().all(|c| c.is_ascii_hexdigit());
                return Some(if hex { Ok(()) } else { Err(format!("measured at what commit? found {commit:?}")) });
            }
            let rest = line.strip_prefix(ASSERTED)?;
            let named: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
            let missing = named.iter().find(|n| !files.iter().any(|f| f.path == **n));
            Some(match missing {
                Some(missing) => Err(format!("asserted by a file that does not exist: {missing}")),
                None if named.is_empty() => Err("asserted by which file?".to_owned()),
                None => Ok(()),
            })
        })
    }

    /// A table in half of whose rows two cells or more begin with a number.
    fn is_table_of_figures(&self) -> bool {
        let rows = self.lines.iter().filter(|l| l.starts_with('|')).skip(2);
        let (mut all, mut figures) = (0, 0);
        for row in rows {
            all += 1;
            figures += usize::from(row.split('|').filter(|c| begins_with_number(c)).count() >= 2);
        }
        all > 0 && 2 * figures >= all
    }

    /// Text with a time that was measured.
    fn has_measured_figure(&self) -> bool {
        const UNITS: [&str; 6] = ["ms", "us", "µs", "ns", "microseconds", "milliseconds"];
        let prose = self.lines.iter().filter(|l| !l.starts_with('|'));
        prose.flat_map(|l| l.split_whitespace().zip(l.split_whitespace().skip(1))).any(|(number, unit)| {
            let unit = unit.trim_end_matches(|c: char| !c.is_alphanumeric());
            begins_with_number(number.trim_start_matches('(')) && UNITS.contains(&unit)
        })
    }
}

fn begins_with_number(text: &str) -> bool {
    text.trim().trim_start_matches(['-', '<', '`', ' ']).starts_with(|c: char| c.is_ascii_digit())
}

/// The blocks of each section; fenced code is left out.
fn sections(text: &str) -> Vec<Vec<Block<'_>>> {
    let mut sections = vec![Vec::new()];
    let mut open: Option<Block<'_>> = None;
    let mut fenced = false;
    for (i, line) in text.lines().enumerate() {
        let fence = line.trim_start().starts_with("```");
        let heading = !fenced && line.starts_with('#');
        if fence || heading || line.trim().is_empty() {
            sections.last_mut().into_iter().for_each(|s| s.extend(open.take()));
        }
        fenced ^= fence;
        if heading {
            sections.push(Vec::new());
        }
        if !(fence || fenced || line.trim().is_empty()) {
            open.get_or_insert(Block { line: i + 1, lines: Vec::new() }).lines.push(line);
        }
    }
    sections.last_mut().into_iter().for_each(|s| s.extend(open.take()));
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> usize {
        let file = |path: &str, text: &str| TextFile { path: path.to_owned(), text: text.to_owned() };
        check(&[file("docs/src/a.md", text), file("crates/a/tests/b.rs", "")]).len()
    }

    const TABLE: &str = "| a | b | c |\n|---|---|---|\n| x | 1.5 | 2e-3 |\n| y | 2 to 3 | `7` |\n";

    #[test]
    fn figures_have_a_source() {
        assert_eq!(faults(TABLE), 1);
        assert_eq!(faults(&format!("*Measured at 3503062: `cargo bench`*\n\n{TABLE}")), 0);
        assert_eq!(faults(&format!("<!-- generated: cargo xtask figures x -->\n{TABLE}<!-- end -->\n")), 0);
        assert_eq!(faults(&format!("*Asserted by `crates/a/tests/b.rs`*\n\n{TABLE}")), 0);
        assert_eq!(faults(&format!("{TABLE}\n*Measured at 3503062: `cargo bench`*\n")), 1, "the line stands below");
        assert_eq!(faults(&format!("*Measured at 3503062: x*\n\n# Next\n\n{TABLE}")), 1, "another section's line");
    }

    #[test]
    fn a_source_says_something() {
        assert_eq!(faults("*Measured at the time: `cargo bench`*\n"), 1);
        assert_eq!(faults("*Asserted by `crates/a/tests/none.rs`*\n"), 1);
        assert_eq!(faults("*Asserted by a test*\n"), 1);
    }

    #[test]
    fn measured_times_in_text_are_found() {
        assert_eq!(faults("It takes 0.3 ms per step.\n"), 1);
        assert_eq!(faults("It takes long (12 µs).\n"), 1);
        assert_eq!(faults("It takes 0.3 ms.\n\n*Measured at 3503062: x*\n"), 0);
        assert_eq!(faults("```text\nit takes 0.3 ms\n```\nA step of 0.01 s.\n"), 0);
    }

    #[test]
    fn tables_of_words_are_not_figures() {
        assert_eq!(faults("| a | b |\n|---|---|\n| 6.45 | old and new |\n"), 0);
    }
}
