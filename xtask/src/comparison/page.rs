use super::run::Outcome;
use super::scenes::Scene;
use crate::root::{commit, root};
use std::fmt::Write;

const BEGIN: &str = "<!-- comparison: begin -->\n";
const END: &str = "<!-- comparison: end -->";

/// The table of outcomes.
pub(crate) struct Page {
    presets: Vec<String>,
    /// In seconds.
    patience: u64,
    rows: Vec<(&'static str, &'static str, Vec<Outcome>)>,
}

impl Page {
    pub(crate) fn new(presets: Vec<String>, patience: u64) -> Self {
        Self { presets, patience, rows: Vec::new() }
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
        let mut out = format!("*Measured at {}: `cargo xtask comparison --patience {}`*\n\n", commit(), self.patience);
        for (name, asks, _) in &self.rows {
            let _ = writeln!(out, "- **{name}**: {asks}");
        }
        let _ = write!(out, "\nA run that took more than {} s of processor time was ended: *slow*.\n\n", self.patience);
        self.table(&mut out, result);
        out.push_str("\nMean time of a step in ms, detection included, on the machine that wrote this page:\n\n");
        self.table(&mut out, time);
        out
    }

    /// A row per preset, a column per scene.
    fn table(&self, out: &mut String, cell: fn(&Outcome) -> String) {
        let names: Vec<&str> = self.rows.iter().map(|r| r.0).collect();
        let _ = writeln!(out, "| preset | {} |", names.join(" | "));
        let _ = writeln!(out, "|---|{}", "---|".repeat(names.len()));
        for (k, preset) in self.presets.iter().enumerate() {
            let cells: Vec<String> = self.rows.iter().filter_map(|r| r.2.get(k).map(cell)).collect();
            let _ = writeln!(out, "| `{preset}` | {} |", cells.join(" | "));
        }
    }
}

fn result(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Ran { good: true, figure, .. } => format!("**yes** {figure}"),
        Outcome::Ran { good: false, figure, .. } => format!("no, {figure}"),
        Outcome::Refused => "refuses".to_owned(),
        Outcome::Failed => "ends by itself".to_owned(),
        Outcome::TooSlow => "slow".to_owned(),
    }
}

fn time(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Ran { step_ms, .. } => format!("{step_ms:.3}"),
        _ => String::new(),
    }
}
