//! The figures of one measurement, and the page that shows them beside those of the first version.

use super::closed_forms::Problem;
use super::passive::Gains;
use super::{PRESETS, STEPS};
use crate::root::{commit, root};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::Path;

/// The same figures of commit 96978ac, by `cargo xtask fidelity --binary … --record …`.
const BEFORE: &str = include_str!("before.json");

/// All figures, in the order in which they are told.
#[derive(Default)]
pub(crate) struct Report {
    forms: Vec<(&'static str, &'static str, &'static str, Map<String, Value>)>,
    passive: Map<String, Value>,
    /// The last words of runs that ended by themselves.
    ended: Vec<String>,
}

impl Report {
    /// Notes the errors of a problem under a preset, one per step of [`STEPS`].
    pub(crate) fn closed_form(&mut self, problem: &Problem, preset: &str, errors: &[Result<f64, String>]) {
        if self.forms.last().is_none_or(|f| f.0 != problem.name) {
            self.forms.push((problem.name, problem.unit, problem.exact, Map::new()));
        }
        if let Some(last) = self.forms.last_mut() {
            last.3.insert(preset.to_owned(), errors.iter().map(|e| json!(e.as_ref().ok())).collect());
        }
        let why = errors.iter().filter_map(|e| e.as_ref().err());
        self.ended.extend(why.map(|why| format!("{} under `{preset}`: {why}", problem.name)));
    }

    /// Notes what the random scenes showed.
    pub(crate) fn passive(&mut self, preset: &str, g: &Gains) {
        let figures = json!({ "scenes": g.scenes, "above": g.above, "failed": g.failed, "worst": g.worst, "worst_scene": g.worst_scene });
        self.passive.insert(preset.to_owned(), figures);
    }

    /// Writes the figures as JSON.
    pub(crate) fn record(&self, path: &Path) -> Result<(), String> {
        let forms: Map<String, Value> = self.forms.iter().map(|f| (f.0.to_owned(), json!(f.3))).collect();
        let text = serde_json::to_string_pretty(&json!({ "closed_forms": forms, "passive": self.passive }))
            .map_err(|e| e.to_string())?;
        std::fs::write(path, text + "\n").map_err(|e| format!("{}: {e}", path.display()))
    }

    /// Writes the page of the book.
    pub(crate) fn page(&self) -> Result<(), String> {
        let before: Value = serde_json::from_str(BEFORE).map_err(|e| format!("before.json: {e}"))?;
        let path = root().join("docs/src/fidelity.md");
        std::fs::write(&path, self.text(&before)).map_err(|e| format!("{}: {e}", path.display()))?;
        println!("{}", path.display());
        Ok(())
    }

    fn text(&self, before: &Value) -> String {
        let mut text = format!(
            "# Fidelity\n\n\
             How far four presets with inertia end from what is known, at its defaults. This page is written by\n\
             `cargo xtask fidelity`. In brackets: the first version (96978ac).\n\n\
             ## Closed forms and reference integrations\n\n\
             *Measured at {}: `cargo xtask fidelity`*\n\n\
             Errors at steps of 1/60, 1/120 and 1/240 s, and the order that the first and the last of them show. An\n\
             error at rounding has no order. The reference integrator takes 10^5 Runge-Kutta steps in independent\n\
             coordinates (`xtask/src/fidelity/reference.rs`).\n\n\
             | problem | exact | preset | 1/60 | 1/120 | 1/240 | order | in |\n|---|---|---|---|---|---|---|---|\n",
            commit()
        );
        for (name, unit, exact, presets) in &self.forms {
            for preset in PRESETS {
                let (now, was) = (&presets[preset], &before["closed_forms"][*name][preset]);
                let cells: Vec<String> = (0..STEPS.len()).map(|i| beside(&now[i], was.get(i))).collect();
                let _ = writeln!(
                    text,
                    "| {name} | {exact} | `{preset}` | {} | {} | {unit} |",
                    cells.join(" | "),
                    order(now)
                );
            }
        }
        for why in &self.ended {
            let _ = writeln!(text, "\n- {why}");
        }
        let _ = write!(
            text,
            "\n## Energy of random passive scenes\n\n\
             *Measured at {}: `cargo xtask fidelity`*\n\n\
             One to six bodies apart from one another over a floor, half of the scenes with joints, restitution zero, one or\n\
             between, friction at random, spins up to 20 rad/s, 4 s at 1/60 s (`xtask/src/fidelity/passive.rs`). A gain is\n\
             the largest total energy over that of the start.\n\n\
             | preset | scenes | gain above 1 % | ended by themselves | largest gain | in scene |\n|---|---|---|---|---|---|\n",
            commit()
        );
        for preset in PRESETS {
            let (now, was) = (&self.passive[preset], &before["passive"][preset]);
            let cell = |key: &str| beside(&now[key], was.get(key));
            let _ = writeln!(
                text,
                "| `{preset}` | {} | {} | {} | {} | {} |",
                now["scenes"],
                cell("above"),
                cell("failed"),
                cell("worst"),
                now["worst_scene"]
            );
        }
        text
    }
}

/// A figure, and in brackets what it was, where that is known: presets that are younger than the first version have no such figures.
fn beside(now: &Value, was: Option<&Value>) -> String {
    was.map_or_else(|| figure(now), |was| format!("{} ({})", figure(now), figure(was)))
}

fn figure(v: &Value) -> String {
    match (v.as_u64(), v.as_f64()) {
        (Some(n), _) => n.to_string(),
        (None, Some(0.0)) => "0".to_owned(),
        (None, Some(x)) => format!("{x:.1e}"),
        (None, None) => "ends".to_owned(),
    }
}

/// The order between the first and the last error.
fn order(errors: &Value) -> String {
    let last = STEPS.len() - 1;
    match (errors[0].as_f64(), errors[last].as_f64()) {
        (Some(a), Some(b)) if a > 1e-12 && b > 1e-12 => format!("{:.1}", (a / b).log2() / last as f64),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_an_error_with_the_step_is_order_one() {
        assert_eq!(order(&json!([4e-3, 2e-3, 1e-3])), "1.0");
        assert_eq!(order(&json!([1e-15, 1e-15, 1e-16])), "");
    }

    #[test]
    fn what_ended_is_said() {
        assert_eq!(beside(&Value::Null, Some(&json!(0.25))), "ends (2.5e-1)");
    }
}
