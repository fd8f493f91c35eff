//! `cargo xtask comparison`: every preset on the same scenes, as the table of the chapter *Which paradigm?*.
//!
//! What fails is shown, not left out: a preset that refuses a scene, falls, ends by itself or is too slow says so in its cell.

mod page;
mod recorded;
mod run;
mod scenes;

use crate::experiments::runner::Runner;
use page::Page;
use std::path::PathBuf;

/// The most processor time that a run may take unless told otherwise (s).
const PATIENCE: u64 = 90;

/// Measures all presets that have inertia; `--binary FILE` takes a built binary, `--presets A,B` only some, `--patience SECONDS` of processor time ends a run sooner or later.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let (mut binary, mut only, mut patience) = (None, None, PATIENCE);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let value = arguments.next().ok_or(format!("{argument}: no value given"))?;
        match argument.as_str() {
            "--binary" => binary = Some(PathBuf::from(value)),
            "--presets" => only = Some(value.split(',').map(str::to_owned).collect::<Vec<_>>()),
            "--patience" => {
                patience = value.parse().map_err(|_| format!("--patience: {value} is no number of seconds"))?;
            }
            _ => return Err(format!("no option {argument}; allowed: --binary, --presets, --patience")),
        }
    }
    let runner = Runner::new(binary, None)?;
    let presets = match only {
        Some(only) => only,
        None => with_inertia(&runner)?,
    };
    let mut page = Page::new(presets.clone(), patience);
    for scene in scenes::ALL {
        for preset in &presets {
            let outcome = run::outcome(&runner, scene, preset, patience)?;
            eprintln!("{} under {preset}: {outcome:?}", scene.name);
            page.push(scene, outcome);
        }
    }
    page.write()
}

/// The names of the presets, but for the world without inertia, where nothing of this happens.
fn with_inertia(runner: &Runner) -> Result<Vec<String>, String> {
    let list = runner.list()?;
    let presets = list["paradigms"].as_array().ok_or("list: no paradigms")?;
    let names = presets.iter().filter_map(|p| p["name"].as_str());
    Ok(names.filter(|n| *n != "first-order").map(str::to_owned).collect())
}
