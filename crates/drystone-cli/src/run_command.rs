use crate::picture::{self, Bounds};
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
    /// Preset to use instead of the scene's
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
    /// Write one line of JSON per recorded frame
    #[arg(long, value_name = "FILE")]
    frames: Option<PathBuf>,
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
    let overrides = overrides(a);
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

    // found out before the run, not after it
    let mut wanted = Wanted::open(a)?;
    let mut recording = wanted.gltf.is_some().then(|| Recording::new(&loaded));
    let mut plot = wanted.plot.is_some().then(Plot::default);
    let first = Bounds::of(&loaded.world);
    let takes_frames = wanted.lines.is_some() || recording.is_some() || plot.is_some();
    let mut sink = |frame: &FrameLine, world: &World| {
        if let Some(lines) = &mut wanted.lines {
            let text = serde_json::to_string(frame).map_err(|e| Failure::Simulation(e.to_string()))?;
            lines.write(&(text + "\n"))?;
        }
        if let Some(plot) = &mut plot {
            plot.push(frame);
        }
        if let Some(recording) = &mut recording {
            recording.push(frame, world);
        }
        Ok(())
    };
    let bar = progress::bar(0, &loaded.name);
    let done = simulate(&mut loaded, steps, a.seed, takes_frames.then_some(&mut sink), &bar)?;
    dump.map_or(Ok(()), |d| d.finish())?;
    if let Some(lines) = wanted.lines {
        lines.finish()?;
    }
    if let (Some(mut file), Some(recording)) = (wanted.gltf, recording) {
        file.write(&to_gltf(&recording).to_string())?;
        file.finish()?;
    }
    if let Some(mut file) = wanted.png {
        let pixels = picture::painted(&loaded.world, first, picture::SIZE)?;
        file.write(&picture::to_png(&pixels, picture::SIZE))?;
        file.finish()?;
    }
    if let Some(mut file) = wanted.save {
        let snapshot = loaded.world.snapshot();
        let is_json = file.path.extension().is_some_and(|e| e == "json");
        file.write(&if is_json { snapshot.to_json().into() } else { snapshot.to_bytes() })?;
        file.finish()?;
    }
    if let (Some(mut file), Some(plot)) = (wanted.plot, plot) {
        file.write(&plot.to_svg(&format!("{} under {}", loaded.name, loaded.paradigm)))?;
        file.finish()?;
    }
    if a.json {
        let text = serde_json::to_string(&done.figures).map_err(|e| Failure::Simulation(e.to_string()))?;
        output::print(&(text + "\n"))
    } else {
        output::print(&(heading(&loaded.description, &loaded.source) + &table::of_run(&done)))
    }
}

/// What a scene says of itself, a line each; nothing where it says nothing.
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

/// A file that is written to.
struct Output<'a> {
    path: &'a Path,
    file: BufWriter<File>,
}

impl<'a> Output<'a> {
    /// Where one is asked for.
    fn open(path: Option<&'a PathBuf>) -> Result<Option<Self>, Failure> {
        let open = |path: &'a PathBuf| {
            let file = File::create(path).map_err(|error| unwritable(path, error))?;
            Ok(Self { path, file: BufWriter::new(file) })
        };
        path.map(open).transpose()
    }

    fn write(&mut self, bytes: &(impl AsRef<[u8]> + ?Sized)) -> Result<(), Failure> {
        self.file.write_all(bytes.as_ref()).map_err(|error| unwritable(self.path, error))
    }

    fn finish(mut self) -> Result<(), Failure> {
        self.file.flush().map_err(|error| unwritable(self.path, error))
    }
}

/// The files that a run is asked for.
struct Wanted<'a> {
    lines: Option<Output<'a>>,
    plot: Option<Output<'a>>,
    gltf: Option<Output<'a>>,
    png: Option<Output<'a>>,
    save: Option<Output<'a>>,
}

impl<'a> Wanted<'a> {
    fn open(a: &'a RunArguments) -> Result<Self, Failure> {
        Ok(Self {
            lines: Output::open(a.frames.as_ref())?,
            plot: Output::open(a.plot.as_ref())?,
            gltf: Output::open(a.gltf.as_ref())?,
            png: Output::open(a.png.as_ref())?,
            save: Output::open(a.save.as_ref())?,
        })
    }
}

/// Goes on from the snapshot in a file.
fn resume(loaded: &mut Loaded, path: &Path) -> Result<(), Failure> {
    let bad = |error: &dyn Display| Failure::Input(format!("{}: {error}", path.display()));
    let bytes = std::fs::read(path).map_err(|e| bad(&e))?;
    let snapshot = loaded.world.read_snapshot(&bytes).map_err(|e| bad(&e))?;
    loaded.world.restore(&snapshot).map_err(|e| bad(&e))
}

fn unwritable(path: &Path, error: std::io::Error) -> Failure {
    Failure::Write { path: path.display().to_string(), error }
}
