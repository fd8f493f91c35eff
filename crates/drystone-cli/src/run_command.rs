mod wanted;

use crate::output::{self, refuse_same};
use crate::simulate::steps_left;
use crate::{Failure, Loaded, Overrides, interrupt, load_dumping, load_from, progress, simulate, table};
use clap::Args;
use drystone::{Registry, World};
use drystone_scene::figures::FrameLine;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use wanted::Wanted;

/// Options of `drystone run`.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// A scene file (TOML or JSON), or the name of a bundled scene
    scene: String,
    /// Preset to use instead of the scene's
    #[arg(long)]
    paradigm: Option<String>,
    /// Set a value of the scene: PATH=VALUE, like simulation.lcp.iterations=50
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Simulated time in seconds, counted from the start of the scene
    #[arg(long, conflicts_with = "steps", allow_negative_numbers = true)]
    duration: Option<f64>,
    /// Number of time steps, counted from the start of the scene
    #[arg(long, allow_negative_numbers = true)]
    steps: Option<u64>,
    /// Print the figures as one JSON object
    #[arg(long)]
    json: bool,
    /// Write one line of JSON per recorded frame
    #[arg(long, value_name = "FILE")]
    frames: Option<PathBuf>,
    /// Add to each line of --frames the contacts that pressed: bodies, point, normal and impulse
    #[arg(long, requires = "frames")]
    contacts: bool,
    /// Write the recorded frames as animated glTF
    #[arg(long, value_name = "FILE")]
    gltf: Option<PathBuf>,
    /// Plot energy, penetration and residual over time as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Render the final state as PNG, 960 by 600
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// Write a snapshot of the final state for --resume: JSON if the name ends in .json, otherwise binary
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Write the world at the end as a scene that goes on from there: TOML if the name ends in .toml, otherwise JSON
    #[arg(long, value_name = "FILE")]
    save_world: Option<PathBuf>,
    /// Continue from a snapshot of this scene; the figures cover the rest of the run
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Write each complementarity problem of the constraint solver to this folder
    #[arg(long, value_name = "DIR")]
    lcp_dump: Option<PathBuf>,
    /// Number of threads; the result does not depend on it
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Random seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

pub(crate) fn run(a: &RunArguments, registry: &Registry) -> Result<(), Failure> {
    refuse_same(&outputs(a), &[("SCENE", Path::new(&a.scene))])?;
    let overrides = overrides(a);
    let (mut loaded, dump) = match &a.lcp_dump {
        Some(dir) => load_dumping(registry, &a.scene, &overrides, dir).map(|(loaded, dump)| (loaded, Some(dump)))?,
        None => (load_from(registry, &a.scene, &overrides)?, None),
    };
    output::warn(&loaded.warnings);
    let mut steps = a.steps;
    if let Some(path) = &a.resume {
        resume(&mut loaded, path)?;
    }
    // a saved world too has some of its steps behind it
    if a.resume.is_some() || loaded.world.time() > 0.0 {
        steps = Some(steps_left(&loaded, a.steps));
        if steps == Some(0) {
            let from = a.resume.as_deref().unwrap_or(Path::new(&a.scene));
            output::warn(&[nothing_left(from, loaded.world.time())]);
        }
    }
    interrupt::listen()?;
    // found out before the run, not after it
    let mut wanted = Wanted::open(a, &loaded)?;
    let takes_frames = wanted.takes_frames();
    let mut sink = |frame: &FrameLine, world: &World| wanted.record(frame, world);
    let bar = progress::bar(0, &loaded.name);
    let outcome = simulate(&mut loaded, steps, a.seed, takes_frames.then_some(&mut sink), &bar);
    bar.finish_and_clear();
    let mut written = wanted.finish_motion(&format!("{} under {}", loaded.name, loaded.paradigm));
    written = written.and(dump.map_or(Ok(()), |d| d.finish()));
    let done = match outcome {
        Ok(done) => done,
        Err(failure) => {
            // the state at a failure may not be finite: it is not saved
            if let Err(unwritten) = written {
                eprintln!("{unwritten}");
            }
            return Err(failure);
        }
    };
    // the run adds to those that were there before it
    output::warn(&done.figures.warnings[loaded.warnings.len()..]);
    written = wanted.finish_state(&loaded).and(written);
    if a.json {
        let text = serde_json::to_string(&done.figures).map_err(|e| Failure::Simulation(e.to_string()))?;
        output::print(&(text + "\n"))?;
    } else {
        output::print(&(heading(&loaded.description, &loaded.source) + &table::of_run(&done)))?;
    }
    written.and(done.whole())
}

/// The files to write, with the options that ask for them.
fn outputs(a: &RunArguments) -> Vec<(&'static str, &Path)> {
    let all = [
        ("--frames", &a.frames),
        ("--gltf", &a.gltf),
        ("--plot", &a.plot),
        ("--png", &a.png),
        ("--save", &a.save),
        ("--save-world", &a.save_world),
    ];
    all.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?))).collect()
}

/// Says that a run ends where it begins.
fn nothing_left(snapshot: &Path, time: f64) -> String {
    let snapshot = snapshot.display();
    format!(
        "warning: {snapshot} is at t = {time} s, where the run ends: --duration and --steps count from the start of the scene"
    )
}

/// Description and source of a scene, a line each; empty if it has none.
fn heading(description: &str, source: &str) -> String {
    let line = |label: &str, text: &str| if text.is_empty() { String::new() } else { format!("{label}{text}\n") };
    line("", description) + &line("source: ", source)
}

fn overrides(a: &RunArguments) -> Overrides {
    Overrides {
        paradigm: a.paradigm.clone(),
        set: a.set.clone(),
        duration: a.duration,
        threads: Some(usize::from(a.threads)),
        seed: a.seed,
        ..Overrides::default()
    }
}

/// Goes on from the snapshot in a file.
fn resume(loaded: &mut Loaded, path: &Path) -> Result<(), Failure> {
    let bad = |error: &dyn Display| Failure::Input(format!("{}: {error}", path.display()));
    let bytes = std::fs::read(path).map_err(|e| bad(&e))?;
    let snapshot = loaded.world.read_snapshot(&bytes).map_err(|e| bad(&e))?;
    loaded.world.restore(&snapshot).map_err(|e| bad(&e))
}
