//! `cargo xtask atlas`: the experiments of the source texts beside ours, and the problems that they leave open.
//!
//! What the sources say, the verdicts and what is measured stand in `docs/experiments.toml` and `docs/open-problems.toml`. The pages
//! `docs/src/atlas.md` and `docs/src/open-problems.md` are made of them: short runs are made by `cargo xtask figures` each time, long ones here, whose numbers are kept in
//! `docs/atlas.json`, and so are the pictures in `docs/src/atlas/`. All of it is the same on every machine.

mod curves;
pub(crate) mod data;
mod measure;
pub(crate) mod page;
pub(crate) mod plot;
mod vary;

use crate::experiments::runner::Runner;
use crate::root::root;
use crate::tidy::tree;
use data::List;
use measure::Measurer;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Where the numbers of long runs are kept: by experiment, in the order of its figures.
const LONG: &str = "docs/atlas.json";

/// Numbers of long runs, by experiment and what they are.
type Long = BTreeMap<String, BTreeMap<String, String>>;

/// What is asked for.
#[derive(Default)]
struct Options {
    check: bool,
    vary: bool,
    binary: Option<PathBuf>,
    /// The experiments; all if there are none.
    chosen: Vec<String>,
}

fn options(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--check" => options.check = true,
            "--vary" => options.vary = true,
            "--binary" => options.binary = Some(PathBuf::from(rest.next().ok_or("--binary: no file given")?)),
            id => options.chosen.push(id.to_owned()),
        }
    }
    Ok(options)
}

/// Makes long runs and pictures anew, or with `--check` says which are out of date, or with `--vary` which verdicts survive changes; of the experiments named, or all.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let Options { check, vary, binary, chosen } = options(arguments)?;
    let files = tree::text_files(&root())?;
    let mut experiments = data::read(List::Experiments, &files)?;
    experiments.extend(data::read(List::Problems, &files)?);
    if let Some(unknown) = chosen.iter().find(|id| !experiments.iter().any(|(e, _)| e.id == **id)) {
        return Err(format!(
            "no experiment {unknown}; allowed: --check, --vary, --binary FILE, and IDs of {} and {}",
            List::Experiments.file(),
            List::Problems.file()
        ));
    }
    let runner = Runner::new(binary, None)?;
    let is_chosen = |id: &String| chosen.is_empty() || chosen.contains(id);
    if vary {
        return vary::run(&runner, experiments.iter().map(|(experiment, _)| experiment).filter(|e| is_chosen(&e.id)));
    }
    let mut measurer = Measurer::new(&runner);
    let mut long = long_figures()?;
    let mut stale = Vec::new();
    for (experiment, entry) in &experiments {
        if !is_chosen(&experiment.id) {
            continue;
        }
        let mut numbers = BTreeMap::new();
        for figure in experiment.figures.iter().filter(|f| f.long) {
            eprintln!("{} {}", experiment.id, figure.what);
            numbers.insert(figure.what.clone(), measurer.text(figure)?);
        }
        if *long.entry(experiment.id.clone()).or_default() != numbers {
            stale.push(format!("{}: {numbers:?}", experiment.id));
            long.insert(experiment.id.clone(), numbers);
        }
        if let Some(curve) = &experiment.curve {
            eprintln!("{} {}", experiment.id, curve.title);
            let svg = curves::draw(&mut measurer, curve, &entry.what)?;
            let path = root().join(picture(&experiment.id));
            if std::fs::read_to_string(&path).ok().as_ref() != Some(&svg) {
                stale.push(picture(&experiment.id));
                if !check {
                    std::fs::create_dir_all(root().join("docs/src/atlas"))
                        .map_err(|e| format!("docs/src/atlas: {e}"))?;
                    std::fs::write(&path, svg).map_err(|e| format!("{}: {e}", path.display()))?;
                }
            }
        }
    }
    long.retain(|_, numbers| !numbers.is_empty());
    if check && !stale.is_empty() {
        return Err(format!("out of date: cargo xtask atlas\n{}", stale.join("\n")));
    }
    if !check {
        let text = serde_json::to_string_pretty(&long).map_err(|e| e.to_string())?;
        std::fs::write(root().join(LONG), text + "\n").map_err(|e| format!("{LONG}: {e}"))?;
    }
    println!("atlas: {} changed; the page itself: cargo xtask figures", stale.len());
    Ok(())
}

/// The picture of an experiment.
fn picture(id: &str) -> String {
    format!("docs/src/atlas/{id}.svg")
}

fn long_figures() -> Result<Long, String> {
    match std::fs::read_to_string(root().join(LONG)) {
        Ok(text) => serde_json::from_str(&text).map_err(|e| format!("{LONG}: {e}")),
        Err(_) => Ok(Long::new()),
    }
}
