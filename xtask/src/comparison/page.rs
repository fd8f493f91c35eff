use super::run::Outcome;
use super::scenes::Scene;
use crate::root::{commit, root};
use std::fmt::Write;

const BEGIN: &str = "<!-- comparison: begin -->\n";
const END: &str = "<!-- comparison: end -->";

/// The table of outcomes.
pub(crate) struct Page {
    presets: Vec<String>,
    rows: Vec<(&'static str, &'static str, Vec<Outcome>)>,
}

impl Page {
    pub(crate) fn new(presets: Vec<String>) -> Self {
        Self { presets, rows: Vec::new() }
    }

    /// Notes an outcome, in the order of the presets.
    pub(crate) fn push(&mut self, scene: &Scene, outcome: Outcome) {
        if self.rows.last().is_none_or(|r| r.0 != scene.name) {
            self.rows.push((scene.name, scene.asks, Vec::new()));
        }
        if let Some(last) = self.rows.last_mut() {
            last.2.push(outcome);
        }
    }

    /// Puts the tables into the chapter.
    pub(crate) fn write(&self) -> Result<(), String> {
        let path = root().join("docs/src/which-paradigm.md");
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let (before, rest) = text.split_once(BEGIN).ok_or("which-paradigm.md: no place for the comparison")?;
        let (_, after) = rest.split_once(END).ok_or("which-paradigm.md: no end of the comparison")?;
        let text = format!("{before}{BEGIN}\n{}\n{END}{after}", self.tables());
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
        println!("{}", path.display());
        Ok(())
    }

    fn tables(&self) -> String {
        let mut out = format!("*Measured at {}: `cargo xtask comparison`*\n\n", commit());
        self.table(&mut out, result);
        out.push_str("\nMean time of a step in ms, detection included, on the machine that wrote this page:\n\n");
        self.table(&mut out, time);
        out
    }

    fn table(&self, out: &mut String, cell: fn(&Outcome) -> String) {
        let names: Vec<String> = self.presets.iter().map(|p| format!("`{p}`")).collect();
        let _ = writeln!(out, "| scene | asked | {} |", names.join(" | "));
        let _ = writeln!(out, "|---|---|{}", "---|".repeat(names.len()));
        for (name, asks, outcomes) in &self.rows {
            let cells: Vec<String> = outcomes.iter().map(cell).collect();
            let _ = writeln!(out, "| {name} | {asks} | {} |", cells.join(" | "));
        }
    }
}

fn result(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Ran { good: true, figure, .. } => format!("**yes** {figure}"),
        Outcome::Ran { good: false, figure, .. } => format!("no, {figure}"),
        Outcome::Refused => "refuses".to_owned(),
        Outcome::Failed => "ends by itself".to_owned(),
        Outcome::TooSlow => "over 90 s".to_owned(),
    }
}

fn time(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Ran { step_ms, .. } => format!("{step_ms:.3}"),
        _ => String::new(),
    }
}
