use super::data::{self, Experiment, List, Verdict};
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
    count(List::Experiments, "experiments")
}

/// How many open problems are solved.
pub(crate) fn problem_verdicts(_: &Runner) -> Result<String, String> {
    count(List::Problems, "open problems")
}

fn count(list: List, what: &str) -> Result<String, String> {
    let mut count: BTreeMap<Verdict, usize> = BTreeMap::new();
    let rows = data::read(list, &tree::text_files(&root())?)?;
    for (row, _) in &rows {
        *count.entry(row.verdict).or_default() += 1;
    }
    let counts: Vec<String> = count.iter().map(|(verdict, n)| format!("{n} {}", verdict.of_several())).collect();
    Ok(format!("{} {what}: {}.", rows.len(), counts.join(", ")))
}

/// What the texts leave open: a section each.
pub(crate) fn problems(runner: &Runner) -> Result<String, String> {
    let long = long_figures()?;
    let mut measurer = Measurer::new(runner);
    let mut out = String::new();
    for (problem, entry) in &data::read(List::Problems, &tree::text_files(&root())?)? {
        let _ = writeln!(out, "### {}: {}\n", problem.id, entry.what);
        let _ = writeln!(out, "*{}.* {}.\n", entry.source, problem.says);
        let _ = writeln!(out, "{}\n", capital(&verdict(problem)));
        let here = figures(&mut measurer, problem, &long)?;
        if !here.is_empty() {
            let _ = writeln!(out, "- Here: {here}");
        }
        if !problem.run.is_empty() {
            let _ = writeln!(out, "- To see it: {}", command(&problem.run));
        }
        if !problem.guards.is_empty() || problem.control.is_some() {
            let _ = writeln!(out, "- Guarded by: {}", guards(problem));
        }
        out.push('\n');
    }
    Ok(out)
}

/// A text that begins in bold face, with a capital.
fn capital(text: &str) -> String {
    let at = text.find(|c: char| c.is_alphabetic()).unwrap_or(0);
    let (before, rest) = text.split_at(at);
    let mut letters = rest.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{before}{first}{}", letters.as_str())
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
    let experiments = data::read(List::Experiments, &tree::text_files(&root())?)?;
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
