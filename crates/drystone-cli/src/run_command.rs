use crate::{Failure, Overrides, load, output, progress, simulate, table};
use clap::Args;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// Options of `drystone run`.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// A scene file (TOML or JSON), or the name of a bundled scene
    scene: String,
    /// Another preset than the scene's
    #[arg(long)]
    paradigm: Option<String>,
    /// Set a value of the scene: PATH=VALUE, like simulation.lcp.iterations=50
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Simulated time in seconds
    #[arg(long, conflicts_with = "steps")]
    duration: Option<f64>,
    /// Number of time steps
    #[arg(long)]
    steps: Option<u64>,
    /// Print the figures as one JSON object
    #[arg(long)]
    json: bool,
    /// Write a JSON line a recorded frame
    #[arg(long, value_name = "FILE")]
    frames: Option<PathBuf>,
    /// Write each complementarity problem of the constraint solver into this folder
    #[arg(long, value_name = "DIR")]
    lcp_dump: Option<PathBuf>,
    /// Threads; the result does not depend on it
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Seed of whatever is random
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

pub(crate) fn run(a: &RunArguments) -> Result<(), Failure> {
    let mut overrides = Overrides {
        paradigm: a.paradigm.clone(),
        set: a.set.clone(),
        threads: Some(usize::from(a.threads)),
        lcp_dump: a.lcp_dump.clone(),
    };
    if let Some(duration) = a.duration {
        overrides.set.push(format!("scene.duration={duration}"));
    }
    let mut loaded = load(&a.scene, &overrides)?;

    let mut frames = match &a.frames {
        Some(path) => Some((path, BufWriter::new(create(path)?))),
        None => None,
    };
    let bar = progress::bar(0, &loaded.name);
    let out = frames.as_mut().map(|(_, f)| f as &mut dyn Write);
    let done = simulate(&mut loaded, a.steps, a.seed, out, &bar)?;
    if let Some((path, mut file)) = frames {
        file.flush().map_err(|error| Failure::Write { path: path.display().to_string(), error })?;
    }
    if a.json {
        let text = serde_json::to_string(&done.figures).map_err(|e| Failure::Simulation(e.to_string()))?;
        output::print(&(text + "\n"));
    } else {
        output::print(&format!("{}\n{}", loaded.description, table::of_run(&done)));
    }
    Ok(())
}

fn create(path: &PathBuf) -> Result<File, Failure> {
    File::create(path).map_err(|error| Failure::Write { path: path.display().to_string(), error })
}
