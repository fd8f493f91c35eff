//! `cargo xtask combinations N --seed S`: N worlds on random walks over modules and their parameters.
//!
//! A walk begins with a random member of a family of small scenes under a random preset, and changes one module or one parameter at a time. Whatever comes of it may
//! be refused in one line, may be warned of, or runs well. It must not go wrong without a message.

mod judge;
mod random;
mod scene;
mod walk;

use crate::experiments::runner::Runner;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use walk::{Catalogue, Fault, Walk};

/// Worlds for the long checks.
const LONG: u64 = 10_000;
/// Faults that are printed whole.
const SHOWN: usize = 40;

struct Options {
    worlds: u64,
    seed: u64,
    binary: Option<PathBuf>,
}

/// The outcome of all walks.
#[derive(Default)]
struct Tally {
    counts: BTreeMap<&'static str, u64>,
    faults: Vec<Fault>,
}

/// Walks through N worlds, and fails if one goes wrong without a message.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let Options { worlds, seed, binary } = options(arguments)?;
    let runner = Runner::new(binary, None)?;
    let catalogue = Catalogue::of(&runner)?;
    let (next, tally) = (AtomicU64::new(0), Mutex::new(Tally::default()));
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let failed: Vec<String> = std::thread::scope(|scope| {
        let walkers: Vec<_> =
            (0..jobs).map(|_| scope.spawn(|| walk_all(&runner, &catalogue, seed, worlds, (&next, &tally)))).collect();
        walkers.into_iter().filter_map(|w| w.join().map_or(Some("a walk panicked".to_owned()), Result::err)).collect()
    });
    if let Some(why) = failed.into_iter().next() {
        return Err(why);
    }
    let tally = tally.into_inner().map_err(|e| e.to_string())?;
    for (word, count) in &tally.counts {
        println!("{word:<12} {count}");
    }
    let mut faults = tally.faults;
    faults.sort_by_key(|fault| fault.walk);
    for fault in faults.iter().take(SHOWN) {
        println!("{fault}");
    }
    println!("{} of {worlds} worlds went wrong without a message (seed {seed})", faults.len());
    if faults.is_empty() { Ok(()) } else { Err("combinations: something goes wrong without a message".to_owned()) }
}

/// For the long checks.
pub(crate) fn long() -> Result<(), String> {
    run(&[LONG.to_string()])
}

/// Walks of one thread, until there are enough worlds.
fn walk_all(
    runner: &Runner,
    catalogue: &Catalogue,
    seed: u64,
    worlds: u64,
    (next, tally): (&AtomicU64, &Mutex<Tally>),
) -> Result<(), String> {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let first = number * walk::LENGTH;
        if first >= worlds {
            return Ok(());
        }
        let steps = walk::LENGTH.min(worlds - first);
        let outcome = Walk::new(runner, catalogue, seed, number)?.go(steps)?;
        let mut tally = tally.lock().map_err(|e| e.to_string())?;
        for word in outcome.words {
            *tally.counts.entry(word).or_default() += 1;
        }
        tally.faults.extend(outcome.faults);
    }
}

fn options(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options { worlds: LONG, seed: 1, binary: None };
    let mut rest = arguments.iter();
    let number = |text: Option<&String>, what: &str| {
        let text = text.ok_or(format!("found nothing; allowed: {what}"))?;
        text.parse::<u64>().map_err(|_| format!("found {text}; allowed: {what}"))
    };
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--seed" => options.seed = number(rest.next(), "a seed after --seed")?,
            "--binary" => {
                options.binary = Some(rest.next().ok_or("found nothing; allowed: a file after --binary")?.into());
            }
            _ => options.worlds = number(Some(argument), "a number of worlds, --seed S and --binary FILE")?,
        }
    }
    Ok(options)
}
