//! `cargo xtask fidelity`: how far the presets are from what is known, as a page of the book.
//!
//! Closed forms and reference integrations at three steps, conservation, the energy of random passive scenes; each beside what it was in the first version.

mod closed_forms;
mod passive;
mod reference;
mod report;
pub(crate) mod scene;

use crate::experiments::runner::Runner;
use report::Report;
use std::path::PathBuf;

/// The presets that are measured.
const PRESETS: [&str; 4] = ["real-time", "velocity-lcp", "load-propagation", "mechanism"];

/// One step per frame, two, four (s).
const STEPS: [f64; 3] = [1.0 / 60.0, 1.0 / 120.0, 1.0 / 240.0];

/// Random passive scenes unless told otherwise.
const SCENES: u64 = 1000;

/// Measures everything; `--binary FILE` takes a built binary, `--scenes N` fewer random scenes, `--record FILE` writes the
/// figures as JSON instead of the page.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let (mut binary, mut record, mut scenes) = (None, None, SCENES);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let value = arguments.next().ok_or(format!("{argument}: no value given"))?;
        match argument.as_str() {
            "--binary" => binary = Some(PathBuf::from(value)),
            "--record" => record = Some(PathBuf::from(value)),
            "--scenes" => scenes = value.parse().map_err(|e| format!("--scenes {value}: {e}"))?,
            _ => return Err(format!("no option {argument}; allowed: --binary, --record, --scenes")),
        }
    }
    let runner = Runner::new(binary, None)?;
    let mut report = Report::default();
    for problem in closed_forms::ALL {
        for preset in PRESETS {
            let errors = STEPS.map(|step| (problem.error)(&runner, preset, step));
            let errors = errors.into_iter().collect::<Result<Vec<_>, String>>()?;
            eprintln!("{} under {preset}: {errors:?}", problem.name);
            report.closed_form(problem, preset, &errors);
        }
    }
    for preset in PRESETS {
        let gains = passive::measure(&runner, preset, scenes)?;
        eprintln!("{} of {} passive scenes gain under {preset}", gains.above, gains.scenes);
        report.passive(preset, &gains);
    }
    match record {
        Some(path) => report.record(&path),
        None => report.page(),
    }
}
