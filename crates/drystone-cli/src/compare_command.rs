mod csv;
mod fair;
mod listing;
mod machine;
mod plan;
mod runs;
mod sweep;

use crate::{Failure, interrupt, output};
use clap::Args;
use csv::as_csv;
use drystone::Registry;
use fair::FairArguments;
use listing::{about, as_report, as_table};
use plan::plan;
use runs::{Keeps, Row, rows};
use std::path::PathBuf;

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
    #[command(flatten)]
    fair: FairArguments,
}

pub(crate) fn run(a: &CompareArguments, registry: &Registry) -> Result<(), Failure> {
    // everything is read before anything runs, so that a fault in the last scene is not found after an hour
    let mut planned = plan(a, registry)?;
    if let Some(dir) = &a.out {
        std::fs::create_dir_all(dir).map_err(|error| Failure::Write { path: dir.display().to_string(), error })?;
    }
    interrupt::listen()?;
    let keeps = if a.out.is_some() { Keeps::Motion } else { Keeps::Figures };
    let (rows, is_whole) = rows(&mut planned, registry, a.fair.repetitions(), keeps);
    let about = a.fair.conditions().map(|conditions| about(conditions, &rows)).unwrap_or_default();
    output::print(&as_table(&rows, &about))?;
    if let Some(dir) = &a.out {
        for (name, text) in [("figures.csv", as_csv(&rows)), ("report.html", as_report(&rows, &about))] {
            output::write_file(&dir.join(name), text)?;
        }
    }
    cut_short(&rows, is_whole)?;
    if rows.iter().all(|r| r.outcome.is_err()) {
        return Err(Failure::Simulation("every run failed; see the table".to_owned()));
    }
    Ok(())
}

/// Tells that a signal came before the last of all runs was whole.
fn cut_short(rows: &[Row], is_whole: bool) -> Result<(), Failure> {
    let Some(signal) = interrupt::asked().filter(|_| !is_whole) else { return Ok(()) };
    let (time, steps) = match rows.last().map(|r| &r.outcome) {
        Some(Ok(done)) => (done.figures.time, done.figures.steps),
        Some(Err(Failure::Stopped { time, steps, .. })) => (*time, *steps),
        _ => (0.0, 0),
    };
    Err(Failure::Stopped { signal, time, steps })
}
