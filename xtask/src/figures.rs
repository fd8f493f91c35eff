//! `cargo xtask figures`: blocks of the documentation that are made by running the program, and the schemas in `schemas`, and the check that they are up to date.
//!
//! A block stands between `<!-- generated: cargo xtask figures NAME -->` and `<!-- end -->`. All of them are the same on every
//! machine: names and summaries from `drystone list`, and figures of short runs, which have the same bits everywhere.

mod blocks;
mod catalogue;
mod runs;
mod sources;

use crate::atlas;
use crate::experiments::runner::Runner;
use crate::root::root;
use crate::tidy::tree;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What makes the text of a block.
type Generator = fn(&Runner) -> Result<String, String>;

const GENERATORS: &[(&str, Generator)] = &[
    ("presets", catalogue::presets),
    ("implementations", catalogue::implementations),
    ("scenes", catalogue::scenes),
    ("scene-format", catalogue::scene_format),
    ("sources", sources::index),
    ("iterations", runs::iterations),
    ("stack-restitution", runs::stack_restitution),
    ("wall-weight", runs::wall_weight),
    ("position-update", runs::position_update),
    ("three-balls", runs::three_balls),
    ("atlas-verdicts", atlas::page::verdicts),
    ("atlas-baraff-1995", atlas::page::baraff_1995),
    ("atlas-baraff-1989", atlas::page::baraff_1989),
    ("atlas-lennerz-1999", atlas::page::lennerz_1999),
    ("atlas-mirtich-1995", atlas::page::mirtich_1995),
    ("atlas-erleben-2005", atlas::page::erleben_2005),
    ("open-problems", atlas::page::problems),
    ("open-problem-verdicts", atlas::page::problem_verdicts),
];

/// What `drystone schema` describes: a file in `schemas` for each.
const SCHEMAS: [&str; 7] = ["scene", "scene-query", "pair-query", "figures", "frame", "scene-answers", "pair-answers"];

/// Writes the blocks anew, or with `--check` says which are out of date; `--binary FILE` takes a built binary.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let (mut check, mut binary) = (false, None);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--check" => check = true,
            "--binary" => binary = Some(PathBuf::from(arguments.next().ok_or("--binary: no file given")?)),
            _ => return Err(format!("no option {argument}; allowed: --check, --binary FILE")),
        }
    }
    let runner = Runner::new(binary, None)?;
    let mut made: BTreeMap<&str, String> = BTreeMap::new();
    let mut stale = Vec::new();
    let mut count = 0;
    for file in tree::text_files(&root())?.iter().filter(|f| f.is_markdown()) {
        let mut text = file.text.clone();
        for name in blocks::names(&file.text) {
            let (name, generator) = GENERATORS
                .iter()
                .find(|(n, _)| *n == name)
                .ok_or_else(|| format!("{}: no generator of figures is named {name}", file.path))?;
            if !made.contains_key(name) {
                eprintln!("{name}");
                made.insert(name, generator(&runner)?);
            }
            text = blocks::replace(&text, name, &made[name]).map_err(|why| format!("{}: {why}", file.path))?;
            count += 1;
        }
        if text != file.text {
            stale.push(file.path.clone());
            if !check {
                std::fs::write(root().join(&file.path), text).map_err(|e| format!("{}: {e}", file.path))?;
            }
        }
    }
    for name in SCHEMAS {
        let path = format!("schemas/{name}.json");
        let text = runner.text(&["schema", name])?;
        count += 1;
        if std::fs::read_to_string(root().join(&path)).ok().as_deref() != Some(&text) {
            if !check {
                std::fs::write(root().join(&path), text).map_err(|e| format!("{path}: {e}"))?;
            }
            stale.push(path);
        }
    }
    if let Some((unused, _)) = GENERATORS.iter().find(|(n, _)| !made.contains_key(n)) {
        return Err(format!("no document has the figures {unused}"));
    }
    match (check, stale.is_empty()) {
        (_, true) => println!("figures: {count} blocks, all up to date"),
        (false, false) => println!("figures: written anew in {}", stale.join(", ")),
        (true, false) => return Err(format!("figures out of date in {}: cargo xtask figures", stale.join(", "))),
    }
    Ok(())
}
