mod csv;
mod sweep;

use crate::replay::{Recording, ReplayRun, to_html};
use crate::simulate::FrameSink;
use crate::{Failure, Loaded, Overrides, Simulated, interrupt, load_from, output, progress, simulate, table};
use clap::Args;
use csv::as_csv;
use drystone::{Registry, World};
use drystone_scene::figures::FrameLine;
use std::path::PathBuf;
use sweep::{Swept, grid, label};

/// Options of `drystone compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// Scene files, or names of bundled scenes
    #[arg(required = true)]
    scenes: Vec<String>,
    /// Presets, separated by commas; by default all that accept the scene
    #[arg(long, value_delimiter = ',')]
    paradigms: Vec<String>,
    /// Set a value in every run: PATH=VALUE
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Run with each of several values: PATH=V1,V2,…; a value may be a list in brackets, and several sweeps give a grid
    #[arg(long, value_name = "PATH=V1,V2")]
    sweep: Vec<String>,
    /// Simulated time in seconds
    #[arg(long, allow_negative_numbers = true)]
    duration: Option<f64>,
    /// Write figures.csv and report.html to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Number of threads per run
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
}

/// One run of the comparison.
struct Row {
    scene: String,
    paradigm: String,
    swept: Vec<Swept>,
    outcome: Result<Simulated, Failure>,
    /// What it looked like, for the report.
    recording: Recording,
}

/// A run that is still to be made.
struct Planned {
    swept: Vec<Swept>,
    loaded: Loaded,
}

pub(crate) fn run(a: &CompareArguments, registry: &Registry) -> Result<(), Failure> {
    // everything is read before anything runs, so that a fault in the last scene is not found after an hour
    let planned = plan(a, registry)?;
    if let Some(dir) = &a.out {
        std::fs::create_dir_all(dir).map_err(|error| Failure::Write { path: dir.display().to_string(), error })?;
    }
    interrupt::listen()?;
    let (mut rows, all) = (Vec::new(), planned.len());
    for planned in planned {
        rows.push(if a.out.is_some() { record(planned) } else { measure(planned, None) });
        if interrupt::asked().is_some() {
            // the rows that there are do not get lost
            break;
        }
    }
    output::print(&as_table(&rows))?;
    if let Some(dir) = &a.out {
        for (name, text) in [("figures.csv", as_csv(&rows)), ("report.html", as_report(&rows))] {
            output::write_file(&dir.join(name), text)?;
        }
    }
    cut_short(&rows, all)?;
    if rows.iter().all(|r| r.outcome.is_err()) {
        return Err(Failure::Simulation("every run failed; see the table".to_owned()));
    }
    Ok(())
}

/// Tells that a signal came before the last of all runs was whole.
fn cut_short(rows: &[Row], all: usize) -> Result<(), Failure> {
    let Some(signal) = interrupt::asked() else { return Ok(()) };
    let (time, steps, is_whole) = match rows.last().map(|r| &r.outcome) {
        Some(Ok(done)) => (done.figures.time, done.figures.steps, true),
        Some(Err(Failure::Stopped { time, steps, .. })) => (*time, *steps, false),
        _ => (0.0, 0, true),
    };
    if is_whole && rows.len() == all { Ok(()) } else { Err(Failure::Stopped { signal, time, steps }) }
}

/// Loads every scene under every preset with every combination of swept values.
fn plan(a: &CompareArguments, registry: &Registry) -> Result<Vec<Planned>, Failure> {
    let paradigms: Vec<String> = if a.paradigms.is_empty() {
        registry.paradigms().iter().map(|p| p.name.to_owned()).collect()
    } else {
        a.paradigms.clone()
    };
    let sweeps = grid(&a.sweep)?;
    let mut planned = Vec::new();
    let mut told: Vec<String> = Vec::new();
    for scene in &a.scenes {
        let before = planned.len();
        let mut refused = Vec::new();
        for paradigm in &paradigms {
            for swept in &sweeps {
                match load_from(registry, scene, &overrides(a, paradigm, swept)) {
                    Ok(loaded) => {
                        // runs that differ in a swept value are warned of alike
                        let new: Vec<String> = loaded.warnings.iter().filter(|w| !told.contains(w)).cloned().collect();
                        output::warn(&new);
                        told.extend(new);
                        planned.push(Planned { swept: swept.clone(), loaded });
                    }
                    // asked for none by name: those that do not take the scene stay out
                    Err(e) if a.paradigms.is_empty() => refused.push((paradigm, e)),
                    Err(e) => return Err(e),
                }
            }
        }
        if planned.len() == before {
            // no preset takes it: it is the scene that is at fault
            return refused.into_iter().next().map_or(Ok(Vec::new()), |(_, e)| Err(e));
        }
        refuse_unread(&planned[before..])?;
        for (paradigm, e) in refused {
            output::warn(&[format!("warning: {scene}: {paradigm} is skipped: {e}")]);
        }
    }
    Ok(planned)
}

/// Refuses a swept setting that none of the runs of a scene reads.
fn refuse_unread(planned: &[Planned]) -> Result<(), Failure> {
    let swept = planned.first().map_or(&[][..], |first| &first.swept);
    let is_unread = |path: &str| planned.iter().all(|p| p.loaded.unread.iter().any(|u| u == path));
    match swept.iter().find(|s| is_unread(&s.path)) {
        Some(Swept { path, .. }) => {
            Err(Failure::Input(format!("--sweep: {path}: nothing reads it in any of these runs")))
        }
        None => Ok(()),
    }
}

fn overrides(a: &CompareArguments, paradigm: &str, swept: &[Swept]) -> Overrides {
    Overrides {
        paradigm: Some(paradigm.to_owned()),
        set: a.set.clone(),
        sweep: swept.iter().map(Swept::setting).collect(),
        duration: a.duration,
        threads: Some(usize::from(a.threads)),
        ..Overrides::default()
    }
}

/// Runs a scene and keeps what it looked like.
fn record(planned: Planned) -> Row {
    let mut recording = Recording::new(&planned.loaded);
    let mut sink = |frame: &FrameLine, world: &World| {
        recording.push(frame, world);
        Ok(())
    };
    let row = measure(planned, Some(&mut sink));
    Row { recording, ..row }
}

/// Runs a scene.
fn measure(Planned { swept, mut loaded }: Planned, sink: Option<&mut FrameSink<'_>>) -> Row {
    let bar = progress::bar(0, &format!("{} / {}", loaded.name, loaded.paradigm));
    let outcome = simulate(&mut loaded, None, 0, sink, &bar).and_then(|done| done.whole().map(|()| done));
    bar.finish_and_clear();
    Row { scene: loaded.name, paradigm: loaded.paradigm, swept, outcome, recording: Recording::default() }
}

fn as_table(rows: &[Row]) -> String {
    let swept = rows.iter().any(|r| !r.swept.is_empty());
    let mut header = vec!["scene", "paradigm"];
    if swept {
        header.push("with");
    }
    header.extend([
        "awake ms/step",
        "median",
        "p99",
        "max",
        "time asleep",
        "contacts",
        "max depth m",
        "end depth m",
        "drift m",
        "E end/start J",
        "LCP residual",
        "asleep",
    ]);
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|r| {
            let mut cells = vec![r.scene.clone(), r.paradigm.clone()];
            if swept {
                cells.push(label(&r.swept));
            }
            match &r.outcome {
                Ok(s) => {
                    let f = &s.figures;
                    cells.extend([
                        format!("{:.4}", f.awake_ms.mean),
                        format!("{:.4}", f.awake_ms.median),
                        format!("{:.4}", f.awake_ms.p99),
                        format!("{:.4}", f.awake_ms.max),
                        format!("{:.0} %", 100.0 * f.asleep_share),
                        format!("{:.0}", f.contacts.mean),
                        format!("{:.1e}", f.penetration.max),
                        format!("{:.1e}", f.penetration.final_depth),
                        format!("{:.2e}", s.drift),
                        format!("{:.4} / {:.4}", f.energy.final_total, f.energy.initial),
                        table::measured(f.lcp.residual_mean),
                        format!("{}/{}", f.sleeping_final, f.bodies),
                    ]);
                }
                Err(e) => cells.push(e.to_string()),
            }
            cells
        })
        .collect();
    table::aligned(&header, &cells)
}

/// The runs that came to their end, each under a title that tells it from the others.
fn as_report(rows: &[Row]) -> String {
    let title = |r: &Row| [&r.scene, &r.paradigm, &label(&r.swept)].map(String::as_str).join(" ").trim().to_owned();
    let done = rows.iter().filter_map(|r| Some(ReplayRun::of(title(r), r.outcome.as_ref().ok()?, &r.recording)));
    to_html("drystone compare", &done.collect::<Vec<_>>())
}
