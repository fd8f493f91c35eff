//! What came of a run.

use serde_json::Value;
use std::process::Output;

/// Energy that may be gained, relative to what was there at the start, or to a joule.
const GAIN: f64 = 0.02;
/// Deepest penetration (m), of bodies of some centimetres and more.
const SUNK: f64 = 0.03;
/// Widest gap of a joint (m).
const OPEN: f64 = 0.01;
/// Largest distance at the end from where other presets have a body (m).
const STRAYED: f64 = 0.25;
/// What a shell's limit of processor time ends a program with.
const OUT_OF_TIME: [i32; 2] = [24, 9];

/// A run: how it ended, what it said, and its figures.
pub(crate) struct Outcome {
    pub(crate) word: &'static str,
    /// A figure or the last words.
    pub(crate) detail: String,
    pub(crate) said: String,
    /// Positions at the end.
    pub(crate) places: Vec<[f64; 3]>,
}

impl Outcome {
    /// Whether it counts as wrong unless something was said.
    pub(crate) fn is_wrong(&self) -> bool {
        !matches!(self.word, "well" | "refused")
    }

    /// Whether it is wrong whatever was said.
    pub(crate) fn is_never_right(&self) -> bool {
        matches!(self.word, "panic" | "not finite" | "slow")
    }
}

/// Judges a run, given where others have the bodies at the end.
pub(crate) fn judge(output: &Output, reference: &[Vec<[f64; 3]>]) -> Outcome {
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let last = said.lines().last().unwrap_or_default().to_owned();
    let ended = |word, detail| Outcome { word, detail, said: said.clone(), places: Vec::new() };
    let code = output.status.code();
    if code == Some(101) || said.contains("panicked") {
        return ended("panic", last);
    }
    let signal = std::os::unix::process::ExitStatusExt::signal(&output.status).or(code.map(|code| code - 128));
    match code {
        Some(0) => {}
        Some(2) => return ended("refused", last),
        Some(1) => return ended("ended", last),
        _ if signal.is_some_and(|signal| OUT_OF_TIME.contains(&signal)) => return ended("slow", String::new()),
        _ => return ended("panic", last),
    }
    let Ok(figures) = serde_json::from_slice::<Value>(&output.stdout) else {
        return ended("ended", "no figures".to_owned());
    };
    let number = |path: [&str; 2]| figures[path[0]][path[1]].as_f64();
    let bodies = figures["final"].as_array().map(Vec::as_slice).unwrap_or_default();
    let places: Vec<[f64; 3]> =
        bodies.iter().map(|b| [0, 1, 2].map(|k| b["position"][k].as_f64().unwrap_or(f64::NAN))).collect();
    let found =
        [["energy", "initial"], ["energy", "max"], ["penetration", "max"], ["joint_error", "max_linear"]].map(number);
    let [Some(first), Some(most), Some(deep), Some(open)] = found else {
        return ended("not finite", String::new());
    };
    let gain = (most - first) / first.abs().max(1.0);
    let away = reference.iter().map(|r| farthest(&places, r)).fold(f64::INFINITY, f64::min);
    let (word, detail) = match () {
        () if gain > GAIN => ("gained", format!("{:.0} %", 100.0 * gain)),
        () if deep > SUNK => ("sank", format!("{deep:.3} m")),
        () if open > OPEN => ("opened", format!("{open:.3} m")),
        () if !reference.is_empty() && away > STRAYED => ("strayed", format!("{away:.2} m")),
        () => ("well", String::new()),
    };
    Outcome { word, detail, said, places }
}

fn farthest(places: &[[f64; 3]], reference: &[[f64; 3]]) -> f64 {
    let apart = |(a, b): (&[f64; 3], &[f64; 3])| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
    places.iter().zip(reference).map(apart).fold(0.0, f64::max)
}
