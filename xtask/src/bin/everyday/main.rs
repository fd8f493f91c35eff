//! `cargo xtask everyday`: random members of everyday kinds of scenes, each judged against its right outcome.
//!
//! A kind is a generator and a criterion: what must come out in every member, by a closed form or by what everybody expects. The presets run the same members, at
//! several rates, and the table counts those that pass. Member i of a kind has the seed S + i, so a failed one is run again alone by its seed.

mod kinds;
mod options;
mod ours;
mod random;
mod run;
mod sketch;
mod table;
#[cfg(feature = "rapier")]
mod theirs;

use kinds::Kind;
use options::{Options, Rate, USAGE};
use ours::Ours;
use random::Random;
use run::{Engine, Run, Verdict};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use table::{Cell, Cells};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|a| matches!(a.as_str(), "help" | "--help" | "-h")) {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    match Options::read(&arguments).and_then(|options| everyday(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn everyday(options: &Options) -> Result<(), String> {
    let mut kinds = kinds::all();
    if let Some(names) = &options.kinds {
        if let Some(name) = names.iter().find(|n| !kinds.iter().any(|k| k.name == n.as_str())) {
            let all: Vec<&str> = kinds.iter().map(|k| k.name).collect();
            return Err(format!("--kind: no kind {name}; there are {}", all.join(", ")));
        }
        kinds.retain(|k| names.iter().any(|n| n == k.name));
    }
    if let Some(folder) = &options.write {
        return write(&kinds, options, folder);
    }
    let columns = columns(options);
    let cells = run_all(&kinds, &columns, options);
    let names: Vec<String> = columns.iter().map(Column::name).collect();
    println!("{}", table::markdown(&kinds, &names, &cells));
    println!("{}", table::failures(&kinds, &names, &cells));
    if options.times {
        println!("{}", table::times(&kinds, &names, &cells));
    }
    Ok(())
}

/// Writes members as scene files, for the command line.
fn write(kinds: &[Kind], options: &Options, folder: &std::path::Path) -> Result<(), String> {
    let told = |e: std::io::Error| format!("{}: {e}", folder.display());
    std::fs::create_dir_all(folder).map_err(told)?;
    let step = match options.rates.first() {
        Some(Rate::Steady(rate)) => 1.0 / rate,
        _ => 1.0 / 60.0,
    };
    for kind in kinds {
        for seed in options.seed..options.seed + options.count {
            let name = format!("{}-{seed}", kind.name);
            let text = (kind.draw)(&mut Random::of(kind.name, seed)).file(&name, kind.criterion, step);
            std::fs::write(folder.join(format!("{name}.json")), text).map_err(told)?;
        }
    }
    Ok(())
}

/// An engine with its steps.
#[derive(Debug, Clone)]
struct Column {
    /// A preset; none for rapier.
    preset: Option<String>,
    rate: Rate,
}

impl Column {
    fn name(&self) -> String {
        format!("{} {}", self.preset.as_deref().unwrap_or("rapier"), self.rate.name())
    }
}

fn columns(options: &Options) -> Vec<Column> {
    let presets = options.paradigms.iter().map(|p| Some(p.clone()));
    let engines: Vec<Option<String>> = presets.chain(options.rapier.then_some(None)).collect();
    let column =
        |rate: &Rate| engines.iter().map(|preset| Column { preset: preset.clone(), rate: *rate }).collect::<Vec<_>>();
    options.rates.iter().flat_map(column).collect()
}

/// Runs all members, on as many threads as were asked for; each member is run by one of them.
fn run_all(kinds: &[Kind], columns: &[Column], options: &Options) -> Cells {
    let members = options.count as usize;
    let count = kinds.len() * columns.len() * members;
    let (next, cells) = (AtomicUsize::new(0), Mutex::new(Cells::new()));
    let work = || {
        loop {
            let task = next.fetch_add(1, Ordering::Relaxed);
            if task >= count {
                return;
            }
            let (k, c, i) = (task / members / columns.len(), task / members % columns.len(), task % members);
            let seed = options.seed + i as u64;
            let start = Instant::now();
            let deadline = start + Duration::from_secs_f64(options.patience);
            let (verdict, slowest) = run_one(&kinds[k], &columns[c], seed, deadline);
            let mut cells = cells.lock().expect("no thread panics while it holds the lock");
            let cell: &mut Cell = cells.entry((k, c)).or_default();
            cell.run += 1;
            cell.seconds += start.elapsed().as_secs_f64();
            if slowest > cell.slowest.0 {
                cell.slowest = (slowest, seed);
            }
            match verdict {
                Ok(()) => cell.passed += 1,
                Err(why) => cell.failed.push((seed, why)),
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(work);
        }
    });
    let mut cells = cells.into_inner().expect("no thread panics while it holds the lock");
    for cell in cells.values_mut() {
        cell.failed.sort_by_key(|(seed, _)| *seed);
    }
    cells
}

/// Draws a member, runs and judges it; returns the wall time of its slowest step (s) too, if it was run to its end. A run that fails by itself, or panics, does not pass.
fn run_one(kind: &Kind, column: &Column, seed: u64, deadline: Instant) -> (Verdict, f64) {
    let outcome = std::panic::catch_unwind(|| {
        let mut member = (kind.draw)(&mut Random::of(kind.name, seed));
        let text = member.text();
        let mut engine: Box<dyn Engine> = match &column.preset {
            Some(preset) => Box::new(Ours::new(&text, preset)?),
            None => rapier(&text)?,
        };
        let mut steps = Random::of("steps", seed);
        let mut step = || match column.rate {
            Rate::Steady(rate) => 1.0 / rate,
            Rate::Jitter => steps.range(0.008, 0.025),
        };
        let run = Run::of(&mut member, engine.as_mut(), &mut step, deadline)?;
        Ok(((member.judge)(&run), run.slowest))
    });
    outcome.unwrap_or_else(|_| Err("panic".to_owned())).unwrap_or_else(|why: String| (Err(why), 0.0))
}

#[cfg(feature = "rapier")]
fn rapier(scene: &str) -> Result<Box<dyn Engine>, String> {
    Ok(Box::new(theirs::Theirs::new(scene)?))
}

#[cfg(not(feature = "rapier"))]
fn rapier(_: &str) -> Result<Box<dyn Engine>, String> {
    Err("built without the feature `rapier`".to_owned())
}
