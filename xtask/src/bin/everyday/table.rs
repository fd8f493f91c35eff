//! What came out, as a table.

use crate::kinds::Kind;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What became of the members of one kind in one column.
#[derive(Debug, Default, Clone)]
pub(crate) struct Cell {
    pub(crate) passed: usize,
    pub(crate) run: usize,
    /// Seeds of the members that failed, and why.
    pub(crate) failed: Vec<(u64, String)>,
    /// Processor time (s).
    pub(crate) seconds: f64,
}

/// Cells by kind and column.
pub(crate) type Cells = BTreeMap<(usize, usize), Cell>;

/// The table in Markdown: a row for each kind, a column for each preset and rate, and the sums.
pub(crate) fn markdown(kinds: &[Kind], columns: &[String], cells: &Cells) -> String {
    let mut text =
        format!("| kind | passes if | {} |\n|---|---|{}\n", columns.join(" | "), "---|".repeat(columns.len()));
    for (k, kind) in kinds.iter().enumerate() {
        let _ = write!(text, "| {} | {} |", kind.name, kind.criterion);
        for c in 0..columns.len() {
            let cell = cells.get(&(k, c)).cloned().unwrap_or_default();
            let _ = write!(text, " {} |", cell.passed);
        }
        text.push('\n');
    }
    let of_column = |c: usize| cells.iter().filter(move |((_, column), _)| *column == c).map(|(_, cell)| cell);
    let percent = |c| {
        let (passed, run) = of_column(c).fold((0, 0), |(p, n), cell| (p + cell.passed, n + cell.run));
        format!("{:.1} %", 100.0 * passed as f64 / f64::max(run as f64, 1.0))
    };
    let whole =
        |c| format!("{} of {}", of_column(c).filter(|cell| cell.passed == cell.run).count(), of_column(c).count());
    let row = |of: &dyn Fn(usize) -> String| (0..columns.len()).map(of).collect::<Vec<_>>().join(" | ");
    let _ = writeln!(text, "| **members that pass** | | {} |", row(&percent));
    let _ = writeln!(text, "| **kinds that pass whole** | | {} |", row(&whole));
    text
}

/// The members that failed, with their seeds and why.
pub(crate) fn failures(kinds: &[Kind], columns: &[String], cells: &Cells) -> String {
    let mut text = String::new();
    for (&(k, c), cell) in cells {
        for (seed, why) in &cell.failed {
            let _ = writeln!(text, "{:<14} {:<22} --seed {seed}: {why}", kinds[k].name, columns[c]);
        }
    }
    text
}

/// Mean time of a member of each kind, over all columns (s).
pub(crate) fn times(kinds: &[Kind], cells: &Cells) -> String {
    let mut text = String::new();
    for (k, kind) in kinds.iter().enumerate() {
        let of_kind = cells.iter().filter(|((row, _), _)| *row == k).map(|(_, cell)| cell);
        let (seconds, run) = of_kind.fold((0.0, 0), |(s, n), cell| (s + cell.seconds, n + cell.run));
        let _ = writeln!(text, "{:<14} {:.2} s", kind.name, seconds / f64::max(run as f64, 1.0));
    }
    text
}
