use super::recorded::Run;
use super::scenes::{Judgement, Scene, Start};
use crate::experiments::runner::{Figures, Runner, set};
use crate::fidelity::scene::read_frames;
use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

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

/// Runs a scene under a preset, for so long at most, and judges it.
pub(crate) fn outcome(runner: &Runner, scene: &Scene, preset: &str, patience: Duration) -> Result<Outcome, String> {
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
    patience: Duration,
) -> Result<Result<Value, Outcome>, String> {
    let out = runner.csv("comparison").with_extension("figures.json");
    let file = std::fs::File::create(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    let mut command = Command::new(runner.binary());
    command.args(["run", scene, "--json"]).args(options).stdout(file).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|e| format!("{}: {e}", runner.binary().display()))?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            break status;
        }
        if start.elapsed() > patience {
            child.kill().map_err(|e| e.to_string())?;
            child.wait().map_err(|e| e.to_string())?;
            return Ok(Err(Outcome::TooSlow));
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    match status.code() {
        Some(0) => {
            let text = std::fs::read_to_string(&out).map_err(|e| format!("{}: {e}", out.display()))?;
            serde_json::from_str(&text).map(Ok).map_err(|e| format!("{scene}: {e}"))
        }
        Some(2) => Ok(Err(Outcome::Refused)),
        _ => Ok(Err(Outcome::Failed)),
    }
}
