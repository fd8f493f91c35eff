use super::recorded::Run;
use super::scenes::{Judgement, Scene, Start};
use crate::experiments::runner::{Figures, Runner, set};
use crate::fidelity::scene::read_frames;
use serde_json::Value;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

/// What a shell's limit of processor time ends a program with: SIGXCPU, then SIGKILL.
const OUT_OF_TIME: [i32; 2] = [24, 9];

/// How a preset did on a scene.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It ran to the end: whether it did what it should, how far off it was, and the mean time of a step (ms).
    Ran { good: bool, figure: String, step_ms: f64 },
    /// The preset cannot do what the scene asks, and said so before the run.
    Refused,
    /// The run ended by itself.
    Failed,
    /// It was stopped.
    TooSlow,
}

/// Runs a scene under a preset, for so many seconds of processor time at most, and judges it.
pub(crate) fn outcome(runner: &Runner, scene: &Scene, preset: &str, patience: u64) -> Result<Outcome, String> {
    let (file, mut options) = match (scene.start)() {
        Start::Bundled { name, duration, step } => {
            let mut options = vec!["--duration".to_owned(), duration.to_string()];
            options.extend(set("simulation.time_step", step));
            (name.to_owned(), options)
        }
        Start::Written(value) => {
            let path = runner.csv("comparison").with_extension("json");
            std::fs::write(&path, value.to_string()).map_err(|e| format!("{}: {e}", path.display()))?;
            (path.display().to_string(), Vec::new())
        }
    };
    options.extend(["--paradigm".to_owned(), preset.to_owned()]);
    options.extend(set("simulation.sleep_policy.kind", "never"));
    let frames = runner.csv("comparison").with_extension("jsonl");
    options.extend(["--frames".to_owned(), frames.display().to_string()]);
    let figures = match within_limits(runner, &file, &options, patience)? {
        Ok(value) => Figures::new(value),
        Err(outcome) => return Ok(outcome),
    };
    let run = Run { frames: read_frames(&frames)?, figures };
    let Judgement { good, figure } = (scene.judge)(&run);
    Ok(Outcome::Ran { good, figure, step_ms: run.figures.number(&["step_ms", "mean"]) })
}

/// The figures of a run, or why there are none.
fn within_limits(
    runner: &Runner,
    scene: &str,
    options: &[String],
    patience: u64,
) -> Result<Result<Value, Outcome>, String> {
    let out = runner.csv("comparison").with_extension("figures.json");
    let file = std::fs::File::create(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    // processor time, so that what else the machine does makes nothing slow
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -t \"$0\" && exec \"$@\"", &patience.to_string()]);
    command.arg(runner.binary()).args(["run", scene, "--json"]).args(options).stdout(file).stderr(Stdio::null());
    let status = command.status().map_err(|e| format!("{}: {e}", runner.binary().display()))?;
    if status.signal().is_some_and(|signal| OUT_OF_TIME.contains(&signal)) {
        return Ok(Err(Outcome::TooSlow));
    }
    match status.code() {
        Some(0) => {
            let text = std::fs::read_to_string(&out).map_err(|e| format!("{}: {e}", out.display()))?;
            serde_json::from_str(&text).map(Ok).map_err(|e| format!("{scene}: {e}"))
        }
        Some(2) => Ok(Err(Outcome::Refused)),
        _ => Ok(Err(Outcome::Failed)),
    }
}
