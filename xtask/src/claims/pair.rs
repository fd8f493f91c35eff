use crate::experiments::runner::Runner;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

/// What a shell's limit of processor time ends a program with: SIGXCPU, then SIGKILL, which the shell may tell as a status.
const OUT_OF_TIME: [i32; 2] = [24, 9];

/// The part of the patience that a pair has which was warned of.
const PART_OF_WARNED: u64 = 10;

/// How pairs are walked.
pub(crate) struct Options {
    /// Simulated time (s), the scene's own where that is shorter.
    pub(crate) duration: f64,
    /// Processor time (s).
    pub(crate) patience: u64,
}

/// A pair that was walked.
#[derive(Serialize, Deserialize)]
pub(crate) struct Found {
    pub(crate) scene: String,
    pub(crate) preset: String,
    /// What was said before the run of what lies beyond the preset's claims, or is left out.
    pub(crate) warnings: Vec<String>,
    pub(crate) end: End,
}

/// How a run ended.
#[derive(Serialize, Deserialize)]
pub(crate) enum End {
    /// By name, before it began.
    Refused(String),
    /// By itself, with its last words.
    Failed(String),
    /// By the limit of processor time.
    Slow,
    /// At the end of the time.
    Done(Figures),
}

/// What tells a run that went wrong (m, m/s).
#[derive(Serialize, Deserialize, Clone, Copy)]
pub(crate) struct Figures {
    /// Deepest penetration at the end.
    pub(crate) penetration: f64,
    /// Widest gap of a joint in the run.
    pub(crate) gap: f64,
    /// Largest coordinate of a body at the end.
    pub(crate) far: f64,
    /// Largest speed of a body at the end.
    pub(crate) fast: f64,
}

/// Runs a scene under a preset.
pub(crate) fn walk(runner: &Runner, scene: &str, preset: &str, options: &Options) -> Result<Found, String> {
    let found = |warnings, end| Found { scene: scene.to_owned(), preset: preset.to_owned(), warnings, end };
    // what is said before the run, and refused
    let before = output(runner, &[scene, "--paradigm", preset, "--steps", "0"], options.patience)?;
    let said = String::from_utf8_lossy(&before.stderr).trim().to_owned();
    if before.status.code() == Some(2) {
        return Ok(found(Vec::new(), End::Refused(last_line(&said))));
    }
    // settings of a module that the preset does not have are no matter of claims
    let told =
        |line: &&str| line.contains("beyond what") || line.contains("is left out: ") && line.ends_with("has none");
    let warnings: Vec<String> = said.lines().filter(told).map(str::to_owned).collect();
    let patience = if warnings.is_empty() { options.patience } else { options.patience.div_ceil(PART_OF_WARNED) };
    let duration = format!("scene.duration={}", options.duration.min(own_duration(scene)?));
    let run = output(runner, &[scene, "--paradigm", preset, "--json", "--set", &duration], patience)?;
    let signal = run.status.signal().or(run.status.code().map(|code| code - 128));
    let end = match run.status.code() {
        Some(0) => End::Done(figures(&run.stdout).ok_or(format!("{scene} under {preset}: no figures"))?),
        Some(1) => End::Failed(last_line(&String::from_utf8_lossy(&run.stderr))),
        _ if signal.is_some_and(|signal| OUT_OF_TIME.contains(&signal)) => End::Slow,
        _ => return Err(format!("{scene} under {preset}: {}", String::from_utf8_lossy(&run.stderr))),
    };
    Ok(found(warnings, end))
}

/// Runs the binary for so many seconds of processor time at most.
fn output(runner: &Runner, arguments: &[&str], patience: u64) -> Result<std::process::Output, String> {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -t \"$0\" && exec \"$@\"", &patience.to_string()]).arg(runner.binary()).arg("run");
    command.args(arguments).stdin(Stdio::null());
    command.output().map_err(|e| format!("{}: {e}", runner.binary().display()))
}

/// How long a bundled scene lasts (s).
fn own_duration(scene: &str) -> Result<f64, String> {
    let path = crate::root::root().join("scenes").join(scene).with_extension("toml");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let table: toml::Table = text.parse().map_err(|e| format!("{}: {e}", path.display()))?;
    let duration = table.get("scene").and_then(|s| s.get("duration"));
    Ok(duration.and_then(|d| d.as_float().or(d.as_integer().map(|i| i as f64))).unwrap_or(f64::INFINITY))
}

fn last_line(text: &str) -> String {
    text.lines().last().unwrap_or_default().to_owned()
}

fn figures(stdout: &[u8]) -> Option<Figures> {
    let value: Value = serde_json::from_slice(stdout).ok()?;
    // what is not finite is written as null
    let number = |value: &Value| value.as_f64().unwrap_or(f64::INFINITY);
    let length = |value: &Value| value.as_array().into_iter().flatten().map(|x| number(x).powi(2)).sum::<f64>().sqrt();
    let bodies = value["final"].as_array()?;
    let far =
        |body: &Value| body["position"].as_array().into_iter().flatten().map(|x| number(x).abs()).fold(0.0, f64::max);
    Some(Figures {
        penetration: number(&value["penetration"]["final"]),
        gap: number(&value["joint_error"]["max_linear"]),
        far: bodies.iter().map(far).fold(0.0, f64::max),
        fast: bodies.iter().map(|b| length(&b["linear_velocity"])).fold(0.0, f64::max),
    })
}
