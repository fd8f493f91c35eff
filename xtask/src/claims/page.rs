use super::judge::{Judged, Verdict, Verdicts};
use super::pair::Options;
use crate::root::{commit, root};
use serde_json::Value;
use std::fmt::Write;

const BEGIN: &str = "<!-- claims: begin -->\n";
const END: &str = "<!-- claims: end -->";

/// The tables of a walk.
pub(crate) fn tables(presets: &[String], verdicts: &Verdicts, list: &Value, options: &Options) -> String {
    let pairs: usize = verdicts.values().map(std::collections::BTreeMap::len).sum();
    let Options { duration, patience } = options;
    let mut out = format!(
        "*Measured at {}: `cargo xtask claims --duration {duration} --patience {patience}`*\n\n{pairs} pairs were walked.\n\n\
         | preset | runs | refused | warned of, runs | warned of, goes wrong | claimed, fails |\n|---|---|---|---|---|---|\n",
        commit()
    );
    let mut sums = [0; 5];
    for preset in presets {
        let counts = counts(verdicts.get(preset).into_iter().flat_map(|s| s.values()));
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        let _ = writeln!(out, "| `{preset}` | {} |", counts.map(|c| c.to_string()).join(" | "));
    }
    let _ = writeln!(out, "| all | {} |\n", sums.map(|c| c.to_string()).join(" | "));
    out.push_str("What each claims, and what beyond it went wrong:\n\n| preset | claims up to | beyond, and wrong |\n|---|---|---|\n");
    for preset in presets {
        let wrong: Vec<&str> = verdicts
            .get(preset)
            .into_iter()
            .flatten()
            .filter(|(_, judged)| judged.warned && matches!(judged.verdict, Verdict::Wrong(_) | Verdict::Fast(_)))
            .map(|(scene, _)| scene.as_str())
            .collect();
        let _ = writeln!(out, "| `{preset}` | {} | {} |", claims(preset, list), wrong.join(", "));
    }
    out
}

/// How many of one preset run, are refused, are warned of and run, or go wrong, and are claimed and go wrong.
fn counts<'a>(scenes: impl Iterator<Item = &'a Judged>) -> [usize; 5] {
    let mut counts = [0; 5];
    for judged in scenes {
        counts[match (&judged.verdict, judged.warned) {
            (Verdict::Ran, false) => 0,
            (Verdict::Refused, _) => 1,
            (Verdict::Ran, true) => 2,
            (Verdict::Wrong(_) | Verdict::Fast(_), true) => 3,
            (Verdict::Wrong(_) | Verdict::Fast(_), false) => 4,
        }] += 1;
    }
    counts
}

/// A preset's bounds, as `drystone list --json` has them.
fn claims(preset: &str, list: &Value) -> String {
    let presets = list["paradigms"].as_array().into_iter().flatten();
    let bounds = presets.filter(|p| p["name"] == preset).filter_map(|p| p["claims"].as_array()).flatten();
    let said = bounds.map(|b| format!("{} {}", b["demand"].as_str().unwrap_or_default().replace('-', " "), b["most"]));
    said.collect::<Vec<_>>().join(", ")
}

/// Puts the tables into the chapter.
pub(crate) fn write(tables: &str) -> Result<(), String> {
    let path = root().join("docs/src/which-paradigm.md");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let (before, rest) = text.split_once(BEGIN).ok_or("which-paradigm.md: no place for the claims")?;
    let (_, after) = rest.split_once(END).ok_or("which-paradigm.md: no end of the claims")?;
    std::fs::write(&path, format!("{before}{BEGIN}\n{tables}\n{END}{after}"))
        .map_err(|e| format!("{}: {e}", path.display()))
}
