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
    /// Wall time of the slowest step (s), and the seed of its member.
    pub(crate) slowest: (f64, u64),
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

/// The kinds with their slowest steps (ms) first, each with the column and the seed of that step, and the mean time of a member over all columns (s).
pub(crate) fn times(kinds: &[Kind], columns: &[String], cells: &Cells) -> String {
    let mut rows = Vec::new();
    for (k, kind) in kinds.iter().enumerate() {
        let of_kind: Vec<_> = cells.iter().filter(|((row, _), _)| *row == k).collect();
        let (seconds, run) = of_kind.iter().fold((0.0, 0), |(s, n), (_, cell)| (s + cell.seconds, n + cell.run));
        let slowest = of_kind.iter().max_by(|a, b| a.1.slowest.0.total_cmp(&b.1.slowest.0));
        let Some(((_, column), cell)) = slowest else { continue };
        let (step, seed) = cell.slowest;
        let mean = seconds / f64::max(run as f64, 1.0);
        rows.push((step, format!("| {} | {:.1} | {} | {seed} | {mean:.2} |", kind.name, 1e3 * step, columns[*column])));
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut text =
        "| kind | slowest step, ms | under | seed | mean of a member, s |\n|---|---|---|---|---|\n".to_owned();
    for (_, row) in rows {
        let _ = writeln!(text, "{row}");
    }
    text
}
