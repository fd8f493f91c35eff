use crate::plot::Plot;
use crate::replay::{Recording, to_gltf};
use crate::simulate::steps_left;
use crate::{Failure, Loaded, Overrides, load_dumping, load_from, output, progress, simulate, table};
use clap::Args;
use drystone::{Registry, World};
use drystone_scene::figures::FrameLine;
use std::fmt::Display;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

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
    /// Simulated time in seconds, counted from the start of the scene
    #[arg(long, conflicts_with = "steps", allow_negative_numbers = true)]
    duration: Option<f64>,
    /// Number of time steps
    #[arg(long, allow_negative_numbers = true)]
    steps: Option<u64>,
    /// Print the figures as one JSON object
    #[arg(long)]
    json: bool,
    /// Write a JSON line a recorded frame
    #[arg(long, value_name = "FILE")]
    frames: Option<PathBuf>,
    /// Write the recorded frames as an animated glTF file
    #[arg(long, value_name = "FILE")]
    gltf: Option<PathBuf>,
    /// Draw energy, penetration and residual over time into this SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Write a snapshot at the end of the run, to go on from: JSON where the name ends in .json, else bytes
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Go on from a snapshot of this scene; figures are those of the rest of the run
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
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

pub(crate) fn run(a: &RunArguments, registry: &Registry) -> Result<(), Failure> {
    let mut overrides = Overrides {
        paradigm: a.paradigm.clone(),
        set: a.set.clone(),
        threads: Some(usize::from(a.threads)),
        seed: a.seed,
    };
    if let Some(duration) = a.duration {
        overrides.set.push(format!("scene.duration={duration}"));
    }
    let (mut loaded, dump) = match &a.lcp_dump {
        Some(dir) => load_dumping(registry, &a.scene, &overrides, dir).map(|(loaded, dump)| (loaded, Some(dump)))?,
        None => (load_from(registry, &a.scene, &overrides)?, None),
    };
    output::warn(&loaded.warnings);
    let mut steps = a.steps;
    if let Some(path) = &a.resume {
        resume(&mut loaded, path)?;
        steps = steps.or_else(|| Some(steps_left(&loaded)));
    }

    let mut lines =
        a.frames.as_deref().map(|path| Ok::<_, Failure>((path, BufWriter::new(create(path)?)))).transpose()?;
    // found out before the run, not after it
    let mut plot =
        a.plot.as_deref().map(|path| Ok::<_, Failure>((path, create(path)?, Plot::default()))).transpose()?;
    let gltf = a.gltf.as_deref().map(|path| Ok::<_, Failure>((path, create(path)?))).transpose()?;
    let save = a.save.as_deref().map(|path| Ok::<_, Failure>((path, create(path)?))).transpose()?;
    let mut recording = gltf.is_some().then(|| Recording::new(&loaded));
    let mut sink = |frame: &FrameLine, world: &World| {
        if let Some((path, file)) = &mut lines {
            let text = serde_json::to_string(frame).map_err(|e| Failure::Simulation(e.to_string()))?;
            writeln!(file, "{text}").map_err(|error| unwritable(path, error))?;
        }
        if let Some((_, _, plot)) = &mut plot {
            plot.push(frame);
        }
        if let Some(recording) = &mut recording {
            recording.push(frame, world);
        }
        Ok(())
    };
    let bar = progress::bar(0, &loaded.name);
    let wanted = a.frames.is_some() || a.gltf.is_some() || a.plot.is_some();
    let done = simulate(&mut loaded, steps, a.seed, wanted.then_some(&mut sink), &bar)?;
    dump.map_or(Ok(()), |d| d.finish())?;
    if let Some((path, mut file)) = lines {
        file.flush().map_err(|error| unwritable(path, error))?;
    }
    if let (Some((path, mut file)), Some(recording)) = (gltf, recording) {
        file.write_all(to_gltf(&recording).to_string().as_bytes()).map_err(|error| unwritable(path, error))?;
    }
    if let Some((path, mut file)) = save {
        let snapshot = loaded.world.snapshot();
        let bytes =
            if path.extension().is_some_and(|e| e == "json") { snapshot.to_json().into() } else { snapshot.to_bytes() };
        file.write_all(&bytes).map_err(|error| unwritable(path, error))?;
    }
    if let Some((path, mut file, plot)) = plot {
        let title = format!("{} under {}", loaded.name, loaded.paradigm);
        file.write_all(plot.to_svg(&title).as_bytes()).map_err(|error| unwritable(path, error))?;
    }
    if a.json {
        let text = serde_json::to_string(&done.figures).map_err(|e| Failure::Simulation(e.to_string()))?;
        output::print(&(text + "\n"))
    } else {
        output::print(&format!("{}\nsource: {}\n{}", loaded.description, loaded.source, table::of_run(&done)))
    }
}

/// Goes on from the snapshot in a file.
fn resume(loaded: &mut Loaded, path: &Path) -> Result<(), Failure> {
    let bad = |error: &dyn Display| Failure::Input(format!("{}: {error}", path.display()));
    let bytes = std::fs::read(path).map_err(|e| bad(&e))?;
    let snapshot = loaded.world.read_snapshot(&bytes).map_err(|e| bad(&e))?;
    loaded.world.restore(&snapshot).map_err(|e| bad(&e))
}

fn create(path: &Path) -> Result<File, Failure> {
    File::create(path).map_err(|error| unwritable(path, error))
}

fn unwritable(path: &Path, error: std::io::Error) -> Failure {
    Failure::Write { path: path.display().to_string(), error }
}
