//! A comparison for reading: the table, and the report.

use super::fair::{Conditions, Even};
use super::machine::machine;
use super::runs::Row;
use super::sweep::label;
use crate::replay::{Failed, ReplayRun, Report, to_html};
use crate::{Simulated, table};

/// A column of the table.
type Column = (&'static str, fn(&Row, &Simulated) -> String);

/// Columns where bodies may sleep.
const ASLEEP: [Column; 2] = [
    ("time asleep", |_, s| format!("{:.0} %", 100.0 * s.figures.asleep_share)),
    ("asleep", |_, s| format!("{}/{}", s.figures.sleeping_final, s.figures.bodies)),
];
/// Columns of repeated runs.
const REPEATED: [Column; 1] = [("slowest run", |r, s| {
    let fastest = s.figures.awake_ms.mean;
    let more = if fastest > 0.0 { r.slowest() / fastest - 1.0 } else { 0.0 };
    format!("+{:.0} %", 100.0 * more)
})];
/// Columns of equal conditions.
const EVEN: [Column; 2] = [
    ("passes/step", |r, _| r.even.as_ref().and_then(Even::passes).map_or_else(|| "own".to_owned(), |n| n.to_string())),
    ("warm starts", |r, _| {
        let on = r.even.as_ref().and_then(Even::warm_starts);
        on.map_or("no switch", |on| if on { "on" } else { "off" }).to_owned()
    }),
];
const TIMES: [Column; 4] = [
    ("awake ms/step", |_, s| format!("{:.4}", s.figures.awake_ms.mean)),
    ("median", |_, s| format!("{:.4}", s.figures.awake_ms.median)),
    ("p99", |_, s| format!("{:.4}", s.figures.awake_ms.p99)),
    ("max", |_, s| format!("{:.4}", s.figures.awake_ms.max)),
];
const FIGURES: [Column; 6] = [
    ("contacts", |_, s| format!("{:.0}", s.figures.contacts.mean)),
    ("max depth m", |_, s| format!("{:.1e}", s.figures.penetration.max)),
    ("end depth m", |_, s| format!("{:.1e}", s.figures.penetration.final_depth)),
    ("drift m", |_, s| format!("{:.2e}", s.drift)),
    ("E end/start J", |_, s| format!("{:.4} / {:.4}", s.figures.energy.final_total, s.figures.energy.initial)),
    ("residual/g h", |_, s| table::measured(s.figures.lcp.relative_residual_mean)),
];

/// The conditions of a fair comparison, the states that its runs began in, and the machine, a line each.
pub(super) fn about(conditions: Conditions, rows: &[Row]) -> Vec<String> {
    let repetitions = rows.iter().map(|r| r.repetitions.len()).max().unwrap_or(0);
    let mut lines = vec![format!("fair: {}", conditions.said())];
    if repetitions > 1 {
        let said = "each, taken in turn; 'slowest run' is what the slowest took more";
        lines.push(format!("times: of the fastest of {repetitions} runs {said}"));
    }
    let mut scenes: Vec<&str> = Vec::new();
    for row in rows {
        if scenes.contains(&row.scene.as_str()) {
            continue;
        }
        scenes.push(&row.scene);
        let of_scene = || rows.iter().filter(|other| other.scene == row.scene);
        lines.push(if of_scene().all(|other| other.start == row.start) {
            format!("start: {} from one state in all runs, hash {}", row.scene, row.start)
        } else {
            format!("start: {} from different states, as swept", row.scene)
        });
    }
    let different =
        rows.iter().filter(|r| r.differs).map(|r| format!("different: {} ends otherwise from run to run", title(r)));
    lines.extend(different);
    lines.push(format!("machine: {}", machine()));
    lines
}

/// The table of all runs; messages of those that failed, and `about`, stand below it.
pub(super) fn as_table(rows: &[Row], about: &[String]) -> String {
    let is_swept = rows.iter().any(|r| !r.swept.is_empty());
    let is_fair = rows.iter().any(|r| r.even.is_some());
    let mut columns: Vec<&Column> = TIMES.iter().collect();
    if rows.iter().any(|r| r.repetitions.len() > 1) {
        columns.extend(&REPEATED);
    }
    if is_fair {
        columns.extend(&EVEN);
    } else {
        columns.push(&ASLEEP[0]);
    }
    columns.extend(&FIGURES);
    if !is_fair {
        columns.push(&ASLEEP[1]);
    }
    let with = is_swept.then_some("with");
    let header: Vec<&str> =
        ["scene", "paradigm"].into_iter().chain(with).chain(columns.iter().map(|(name, _)| *name)).collect();
    let cells = |r: &Row| {
        let mut cells = vec![r.scene.clone(), r.paradigm.clone()];
        cells.extend(is_swept.then(|| label(&r.swept)));
        match &r.outcome {
            Ok(done) => cells.extend(columns.iter().map(|(_, figure)| figure(r, done))),
            Err(_) => cells.push("failed".to_owned()),
        }
        cells
    };
    let mut out = table::aligned(&header, &rows.iter().map(cells).collect::<Vec<_>>());
    let failed = rows.iter().filter_map(|r| Some(format!("{}: {}", title(r), r.outcome.as_ref().err()?)));
    for line in failed.chain(about.iter().cloned()) {
        out += &line;
        out.push('\n');
    }
    out
}

/// The name of a run among all of them.
fn title(r: &Row) -> String {
    [&r.scene, &r.paradigm, &label(&r.swept)].map(String::as_str).join(" ").trim().to_owned()
}

/// The runs that came to their end, each under a title that tells it from the others; messages of the rest.
pub(super) fn as_report(rows: &[Row], about: &[String]) -> String {
    fn run(r: &Row) -> Option<ReplayRun<'_>> {
        let done = r.outcome.as_ref().ok()?;
        let run = ReplayRun::of(title(r), done, &r.recording);
        let mut keys = vec![("scene".to_owned(), r.scene.clone()), ("paradigm".to_owned(), r.paradigm.clone())];
        keys.extend(r.swept.iter().map(|s| (s.name.clone(), s.value.clone())));
        let repeated = (r.repetitions.len() > 1).then(|| [done.figures.awake_ms.mean, r.slowest()]);
        Some(ReplayRun { keys, repeated, ..run })
    }
    let failed = |r: &Row| Some(Failed { name: title(r), message: r.outcome.as_ref().err()?.to_string() });
    let report = Report {
        runs: rows.iter().filter_map(run).collect(),
        failed: rows.iter().filter_map(failed).collect(),
        about: about.to_vec(),
    };
    to_html("drystone compare", &report)
}
