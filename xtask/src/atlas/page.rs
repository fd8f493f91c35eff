use super::data::{self, Experiment, Verdict};
use super::measure::Measurer;
use super::{Long, long_figures};
use crate::experiments::runner::Runner;
use crate::references::Reference;
use crate::root::root;
use crate::tidy::tree;
use std::collections::BTreeMap;
use std::fmt::Write;

/// How many experiments came out how.
pub(crate) fn verdicts(_: &Runner) -> Result<String, String> {
    let mut count: BTreeMap<Verdict, usize> = BTreeMap::new();
    let experiments = data::read(&tree::text_files(&root())?)?;
    for (experiment, _) in &experiments {
        *count.entry(experiment.verdict).or_default() += 1;
    }
    let counts: Vec<String> = count.iter().map(|(verdict, n)| format!("{n} {}", verdict.of_several())).collect();
    Ok(format!("{} experiments: {}.", experiments.len(), counts.join(", ")))
}

/// The experiments of one text.
pub(crate) fn baraff_1995(runner: &Runner) -> Result<String, String> {
    rows(runner, "Baraff 1995")
}

/// The experiments of one text.
pub(crate) fn baraff_1989(runner: &Runner) -> Result<String, String> {
    rows(runner, "Baraff 1989")
}

/// The experiments of one text.
pub(crate) fn lennerz_1999(runner: &Runner) -> Result<String, String> {
    rows(runner, "Lennerz")
}

/// The experiments of one text.
pub(crate) fn mirtich_1995(runner: &Runner) -> Result<String, String> {
    rows(runner, "Mirtich")
}

/// The experiments of one text.
pub(crate) fn erleben_2005(runner: &Runner) -> Result<String, String> {
    rows(runner, "Erleben 2005")
}

fn rows(runner: &Runner, text: &str) -> Result<String, String> {
    let experiments = data::read(&tree::text_files(&root())?)?;
    let long = long_figures()?;
    let mut measurer = Measurer::new(runner);
    let mut out = String::from(
        "| experiment | the source | here | verdict | guarded by | to see it |\n|---|---|---|---|---|---|\n",
    );
    let mut pictures = String::new();
    for (experiment, entry) in experiments.iter().filter(|(_, entry)| entry.source.starts_with(text)) {
        let here = figures(&mut measurer, experiment, &long)?;
        let _ = writeln!(
            out,
            "| **{}** {}: {} | {} | {here} | {} | {} | {} |",
            experiment.id,
            entry.what,
            place(entry),
            cell(&experiment.says),
            cell(&verdict(experiment)),
            cell(&guards(experiment)),
            command(&experiment.run)
        );
        if let Some(curve) = &experiment.curve {
            let _ = writeln!(
                pictures,
                "\n{}, {}:\n\n![{}](atlas/{}.svg)",
                experiment.id, curve.title, entry.what, experiment.id
            );
        }
    }
    Ok(out + &pictures)
}

/// A text that may stand in a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// The place in the text, without the text's name, under which the rows stand.
fn place(entry: &Reference) -> &str {
    entry.source.split_once(", ").map_or(entry.source.as_str(), |(_, place)| place)
}

/// What is measured now, and the numbers of long runs as they were last measured.
fn figures(measurer: &mut Measurer, experiment: &Experiment, long: &Long) -> Result<String, String> {
    let mut parts = Vec::new();
    for figure in &experiment.figures {
        let number = if figure.long {
            let kept = long.get(&experiment.id).and_then(|numbers| numbers.get(&figure.what));
            kept.ok_or(format!("{}: {}: cargo xtask atlas {}", experiment.id, figure.what, experiment.id))?.clone()
        } else {
            measurer.text(figure)?
        };
        parts.push(format!("{}: {number}", figure.what));
    }
    if !experiment.ours.is_empty() {
        parts.push(experiment.ours.clone());
    }
    Ok(cell(&parts.join("; ")))
}

fn verdict(experiment: &Experiment) -> String {
    let mut text = format!("**{}**", experiment.verdict);
    if !experiment.because.is_empty() {
        let _ = write!(text, ": {}", experiment.because);
    }
    text
}

fn guards(experiment: &Experiment) -> String {
    let mut text: Vec<String> = experiment.guards.iter().map(|g| format!("`{}`", short(g))).collect();
    if let Some(control) = &experiment.control {
        text.push(format!("control: {} (`{}`)", control.fails, short(&control.guard)));
    }
    text.join("; ")
}

/// A guard without the folders that all have in common.
fn short(guard: &str) -> &str {
    guard.strip_prefix("crates/").unwrap_or(guard)
}

fn command(run: &str) -> String {
    if run.is_empty() { String::new() } else { format!("`{run}`") }
}
