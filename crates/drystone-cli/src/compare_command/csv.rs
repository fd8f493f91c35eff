//! `figures.csv`: a row for each run.

use super::fair::Even;
use super::machine::machine;
use super::runs::Row;
use super::sweep::Swept;
use crate::Simulated;
use std::fmt::Write;

/// A figure of a run that came to its end.
type Column = (&'static str, fn(&Simulated) -> String);

const COLUMNS: [Column; 28] = [
    ("steps", |s| s.figures.steps.to_string()),
    ("bodies", |s| s.figures.bodies.to_string()),
    ("step_ms_median", |s| s.figures.step_ms.median.to_string()),
    ("step_ms_mean", |s| s.figures.step_ms.mean.to_string()),
    ("step_ms_p99", |s| s.figures.step_ms.p99.to_string()),
    ("step_ms_max", |s| s.figures.step_ms.max.to_string()),
    ("contacts_mean", |s| s.figures.contacts.mean.to_string()),
    ("contacts_max", |s| s.figures.contacts.max.to_string()),
    ("penetration_max", |s| small(s.figures.penetration.max)),
    ("penetration_final", |s| small(s.figures.penetration.final_depth)),
    ("drift", |s| small(s.drift)),
    ("energy_initial", |s| s.figures.energy.initial.to_string()),
    ("energy_final", |s| s.figures.energy.final_total.to_string()),
    ("energy_max", |s| s.figures.energy.max.to_string()),
    ("kinetic_final", |s| s.figures.energy.kinetic_final.to_string()),
    ("lcp_solves", |s| s.figures.lcp.solves.to_string()),
    ("lcp_iterations_mean", |s| s.figures.lcp.iterations_mean.to_string()),
    ("lcp_residual_mean", |s| measured(s.figures.lcp.residual_mean)),
    ("lcp_residual_max", |s| measured(s.figures.lcp.residual_max)),
    ("joint_error_max", |s| small(s.figures.joint_error.max_linear)),
    ("sleeping_final", |s| s.figures.sleeping_final.to_string()),
    ("state_hash", |s| s.figures.state_hash.clone()),
    ("awake_ms_mean", |s| s.figures.awake_ms.mean.to_string()),
    ("awake_ms_median", |s| s.figures.awake_ms.median.to_string()),
    ("awake_ms_p99", |s| s.figures.awake_ms.p99.to_string()),
    ("awake_ms_max", |s| s.figures.awake_ms.max.to_string()),
    ("asleep_share", |s| s.figures.asleep_share.to_string()),
    ("relative_residual_mean", |s| measured(s.figures.lcp.relative_residual_mean)),
];

/// The field of a row.
type OfRow = fn(&Row) -> String;

/// Columns of repeated runs under equal conditions.
const FAIR: [(&str, OfRow); 5] = [
    ("repetitions", |r| r.repetitions.len().to_string()),
    ("awake_ms_mean_slowest", |r| r.slowest().to_string()),
    ("passes_per_step", |r| r.even.as_ref().and_then(Even::passes).map(|n| n.to_string()).unwrap_or_default()),
    ("start_hash", |r| r.start.clone()),
    ("machine", |_| field(&machine())),
];

/// All runs; a swept setting has a column of its own, after those that there always are, and equal conditions have theirs before it.
pub(super) fn as_csv(rows: &[Row]) -> String {
    let mut out = String::from("scene,paradigm,settings,status");
    let swept = rows.first().map_or(&[][..], |r| &r.swept);
    let fair = if rows.iter().any(|r| r.even.is_some()) { &FAIR[..] } else { &[] };
    let always = COLUMNS.iter().map(|(name, _)| (*name).to_owned());
    let fairly = fair.iter().map(|(name, _)| (*name).to_owned());
    for name in always.chain(fairly).chain(swept.iter().map(|s| field(&s.path))) {
        let _ = write!(out, ",{name}");
    }
    out.push('\n');
    for r in rows {
        let set = r.even.iter().flat_map(Even::settings).chain(r.swept.iter().map(Swept::setting));
        let settings = quoted(&set.collect::<Vec<_>>().join(" "));
        let status = r.outcome.as_ref().map_or_else(|e| quoted(&e.to_string()), |_| "done".to_owned());
        let _ = write!(out, "{},{},{settings},{status}", r.scene, r.paradigm);
        for (_, figure) in COLUMNS {
            // a failed run has none
            let _ = write!(out, ",{}", r.outcome.as_ref().map_or_else(|_| String::new(), figure));
        }
        for (_, figure) in fair {
            let _ = write!(out, ",{}", figure(r));
        }
        for s in &r.swept {
            let _ = write!(out, ",{}", field(&s.value));
        }
        out.push('\n');
    }
    out
}

fn small(figure: f64) -> String {
    format!("{figure:e}")
}

/// Empty where it was not measured.
fn measured(figure: Option<f64>) -> String {
    figure.map(small).unwrap_or_default()
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A text, in quotes where it needs them.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n']) { quoted(text) } else { text.to_owned() }
}
