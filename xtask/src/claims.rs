//! `cargo xtask claims`: every preset on every bundled scene, held to what it claims.
//!
//! A pair is refused by name before the run, or warned of, since the scene lies beyond what the preset claims or asks for what it leaves out, or
//! it is claimed: it must then come to the end of the time, within the processor time, with figures that are not far from those of the other presets. The command fails where a
//! claimed pair does not. A pair that is wrong in speed alone is walked again, for half as long again: it may only have begun to fall later. What was found is kept in `out/claims.jsonl`, and a later call walks only what is missing there.

mod judge;
mod page;
mod pair;

use crate::experiments::runner::Runner;
use judge::judged;
use pair::{Found, Options};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What was found, by scene and preset.
pub(crate) type Walk = BTreeMap<(String, String), Found>;

/// Walks all pairs; `--binary FILE` takes a built binary, `--duration S` of simulated time (1), `--patience S` of processor time for a claimed pair (20; a tenth of it for one that was warned of; 0 walks nothing more and judges what was walked), `--presets A,B` and `--scenes A,B` only some.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let (mut binary, mut presets, mut scenes) = (None, None, None);
    let mut options = Options { duration: 1.0, patience: 20 };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let value = arguments.next().ok_or(format!("{argument}: no value given"))?;
        let names = || Some(value.split(',').map(str::to_owned).collect::<Vec<_>>());
        match argument.as_str() {
            "--binary" => binary = Some(PathBuf::from(value)),
            "--presets" => presets = names(),
            "--scenes" => scenes = names(),
            "--duration" => options.duration = value.parse().map_err(|_| format!("{value} is no time in seconds"))?,
            "--patience" => options.patience = value.parse().map_err(|_| format!("{value} is no number of seconds"))?,
            _ => {
                return Err(format!(
                    "no option {argument}; allowed: --binary, --duration, --patience, --presets, --scenes"
                ));
            }
        }
    }
    let runner = Runner::new(binary, None)?;
    let list = runner.list()?;
    let whole = presets.is_none() && scenes.is_none();
    let presets = presets.map_or_else(|| names(&list["paradigms"]), Ok)?;
    let scenes = scenes.map_or_else(|| names(&list["scenes"]), Ok)?;
    let record = runner.csv("claims").with_extension("jsonl");
    let mut walk = read(&record)?;
    for scene in &scenes {
        for preset in &presets {
            if options.patience == 0 {
                break;
            }
            if let Entry::Vacant(missing) = walk.entry((scene.clone(), preset.clone())) {
                let found = pair::walk(&runner, scene, preset, &options)?;
                write(&record, &found)?;
                missing.insert(found);
            }
        }
    }
    walk.retain(|(scene, preset), _| scenes.contains(scene) && presets.contains(preset));
    // what falls late is given half as long again
    let longer = Options { duration: 1.5 * options.duration, ..options };
    let again: Vec<_> = judge::fast(&judged(&walk)).filter(|_| options.patience > 0).collect();
    for (scene, preset) in again {
        let found = pair::walk(&runner, &scene, &preset, &longer)?;
        write(&record, &found)?;
        walk.insert((scene, preset), found);
    }
    let verdicts = judged(&walk);
    let tables = page::tables(&presets, &verdicts, &list, &options);
    println!("{tables}");
    if whole {
        page::write(&tables)?;
    }
    let fails: Vec<String> = judge::fails(&verdicts).collect();
    if fails.is_empty() { Ok(()) } else { Err(format!("claimed, and it fails:\n{}", fails.join("\n"))) }
}

/// The names in a part of what `drystone list --json` says.
fn names(list: &serde_json::Value) -> Result<Vec<String>, String> {
    let entries = list.as_array().ok_or("list: no such part")?;
    Ok(entries.iter().filter_map(|e| e["name"].as_str()).map(str::to_owned).collect())
}

/// What was walked before.
fn read(record: &Path) -> Result<Walk, String> {
    let Ok(text) = std::fs::read_to_string(record) else { return Ok(Walk::new()) };
    let lines = text.lines().map(|line| {
        let found: Found = serde_json::from_str(line).map_err(|e| format!("{}: {e}", record.display()))?;
        Ok(((found.scene.clone(), found.preset.clone()), found))
    });
    lines.collect()
}

/// Adds a pair to what was walked.
fn write(record: &Path, found: &Found) -> Result<(), String> {
    let told = |e: std::io::Error| format!("{}: {e}", record.display());
    let line = serde_json::to_string(found).map_err(|e| e.to_string())?;
    let mut file = OpenOptions::new().create(true).append(true).open(record).map_err(told)?;
    writeln!(file, "{line}").map_err(told)
}
