//! How time and memory grow with the number of bodies, beside rapier in the same process: `cargo bench -p drystone-benches --bench growth -- --sizes 100,1000,10000`.

use clap::Parser;
use drystone::Paradigm;
use drystone_benches::EngineError;
use drystone_benches::drystone_engine::Variant;
use drystone_benches::growth::{HEAD, Row, line, measure};
use drystone_benches::scenes::Family;
use std::alloc::System;
use std::path::PathBuf;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: &stats_alloc::StatsAlloc<System> = &stats_alloc::INSTRUMENTED_SYSTEM;

/// Steps scenes of growing size with drystone and rapier.
#[derive(Parser)]
struct Options {
    /// Only these families.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    family: Vec<String>,
    /// Numbers of bodies.
    #[arg(long, value_name = "COUNT,...", value_delimiter = ',', default_value = "100")]
    sizes: Vec<u32>,
    /// Steps of a round: 10 with --bench, and 1 without.
    #[arg(long)]
    steps: Option<usize>,
    /// Writes the figures into this file too.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Measures; without it a few steps show that everything runs, as for `cargo test`.
    #[arg(long)]
    bench: bool,
}

/// Memory in use (bytes).
fn live() -> usize {
    let stats = ALLOCATOR.stats();
    // what a reallocation adds is counted among what is allocated
    stats.bytes_allocated.saturating_sub(stats.bytes_deallocated)
}

fn run(options: &Options) -> Result<(), EngineError> {
    let variant = Variant::named("drystone", Paradigm::REAL_TIME);
    let steps = options.steps.unwrap_or(if options.bench { 10 } else { 1 });
    let wanted = |f: &&Family| options.family.is_empty() || options.family.iter().any(|name| name == f.name);
    println!("{HEAD}");
    let mut rows: Vec<Row> = Vec::new();
    for family in Family::ALL.iter().filter(wanted) {
        for &size in &options.sizes {
            let row = measure((family, size), &variant, steps, &live)?;
            let before = rows.last().filter(|before| before.family == row.family);
            println!("{}", line(&row, before));
            rows.push(row);
        }
    }
    if let Some(file) = &options.json {
        let rows: Vec<_> = rows
            .iter()
            .map(|r| serde_json::json!({ "family": r.family, "bodies": r.bodies, "step": r.step, "bytes": r.bytes }))
            .collect();
        std::fs::write(file, serde_json::Value::from(rows).to_string())?;
    }
    Ok(())
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("growth: {error}");
            ExitCode::from(2)
        }
    }
}
