use super::tree::TextFile;
use crate::atlas::data::{self, Experiment, List, Verdict};
use crate::references;
use serde::Deserialize;

/// Every experiment and every open problem of the sources has a row, in their order; each guard exists; what agrees or is solved has a guard and a
/// negative control, and what does not says why. An expectation names an experiment that its scene guards.
pub(crate) fn check(files: &[TextFile]) -> Vec<String> {
    let lists = [List::Experiments, List::Problems];
    let entries = match references::read(files) {
        Ok(entries) => entries,
        Err(why) => return vec![why],
    };
    let (mut all, mut faults) = (Vec::new(), Vec::new());
    for list in lists {
        let rows: Vec<Experiment> = match data::read(list, files) {
            Ok(rows) => rows.into_iter().map(|(row, _)| row).collect(),
            Err(why) => return vec![why],
        };
        let ids: Vec<&str> = entries.iter().map(|e| e.id.as_str()).filter(|id| id.starts_with(list.letter())).collect();
        let of_rows = rows.iter().flat_map(|row| row_faults(list, row, files));
        faults.extend(order(&rows, &ids).into_iter().chain(of_rows).map(|fault| format!("{}: {fault}", list.file())));
        all.extend(rows);
    }
    faults.extend(marks_without_a_row(&all, files));
    faults
}

fn order(rows: &[Experiment], ids: &[&str]) -> Vec<String> {
    let given: Vec<&str> = rows.iter().map(|r| r.id.as_str()).collect();
    match ids.iter().zip(given.iter().map(Some).chain(std::iter::repeat(None))).find(|(id, g)| Some(*id) != *g) {
        Some((id, given)) => {
            vec![format!("{id} is missing or out of order (there stands {})", given.unwrap_or(&"nothing"))]
        }
        None if given.len() > ids.len() => vec!["more rows than experiments".to_owned()],
        None => Vec::new(),
    }
}

fn row_faults(list: List, row: &Experiment, files: &[TextFile]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut fault = |what: &str| faults.push(format!("{}: {what}", row.id));
    for guard in &row.guards {
        if !guards(guard, &row.id, false, files) {
            fault(&format!(
                "no guard {guard}: FILE.rs::FUNCTION, or a scene some of whose expectations name the experiment"
            ));
        }
    }
    if let Some(control) = &row.control
        && !guards(&control.guard, &row.id, true, files)
    {
        fault(&format!("no control {}: FILE.rs::FUNCTION, or a scene with an expectation marked so", control.guard));
    }
    if row.says.trim().is_empty() {
        fault("what does the source say?");
    }
    if !list.has(row.verdict) {
        fault(&format!("{} is no verdict of this list", row.verdict));
    }
    if matches!(row.verdict, Verdict::Agrees | Verdict::Solved) {
        if row.guards.is_empty() || row.control.is_none() {
            fault(&format!("{} without a guard and a negative control", row.verdict));
        }
        if row.figures.is_empty() && row.ours.is_empty() {
            fault(&format!("{} without a figure of ours", row.verdict));
        }
        if row.run.is_empty() {
            fault(&format!("{} without a command", row.verdict));
        }
    } else if row.because.trim().is_empty() {
        fault(&format!("{} without a reason", row.verdict));
    }
    faults
}

/// Whether a guard, or a control, is there.
fn guards(guard: &str, id: &str, control: bool, files: &[TextFile]) -> bool {
    let find = |path: &str| files.iter().find(|f| f.path == path);
    if let Some((path, function)) = guard.split_once("::") {
        let test = format!("fn {function}(");
        return find(path).is_some_and(|f| {
            let lines: Vec<&str> = f.text.lines().map(str::trim).collect();
            lines.iter().enumerate().any(|(i, l)| {
                l.starts_with(&test)
                    && lines[..i].iter().rev().take_while(|l| l.starts_with("#[")).any(|l| *l == "#[test]")
            })
        });
    }
    let expectations = guard.strip_suffix(".toml").map(|scene| format!("{scene}.expect.toml"));
    let marks = expectations.and_then(|path| find(&path)).map_or_else(Vec::new, |f| marks(&f.text));
    find(guard).is_some() && marks.iter().any(|m| m.experiment == id && m.control == control)
}

/// What an expectation says of the experiment that it guards; the rest of it is read by the scene reader.
#[derive(Deserialize)]
struct Mark {
    #[serde(default)]
    experiment: String,
    #[serde(default)]
    control: bool,
}

#[derive(Deserialize)]
struct Marks {
    #[serde(default)]
    expect: Vec<Mark>,
    #[serde(default)]
    ordering: Vec<Mark>,
}

fn marks(text: &str) -> Vec<Mark> {
    let read: Result<Marks, _> = toml::from_str(text);
    read.map_or_else(|_| Vec::new(), |m| m.expect.into_iter().chain(m.ordering).collect())
}

fn marks_without_a_row(rows: &[Experiment], files: &[TextFile]) -> Vec<String> {
    let mut faults = Vec::new();
    for file in files.iter().filter(|f| f.path.starts_with("scenes/")) {
        let Some(scene) = file.path.strip_suffix(".expect.toml") else { continue };
        let scene = format!("{scene}.toml");
        for mark in marks(&file.text).iter().filter(|m| !m.experiment.is_empty()) {
            let row = rows.iter().find(|r| r.id == mark.experiment);
            let named = |r: &Experiment| {
                if mark.control {
                    r.control.as_ref().is_some_and(|c| c.guard == scene)
                } else {
                    r.guards.contains(&scene)
                }
            };
            if !row.is_some_and(named) {
                faults.push(format!(
                    "{} is marked in {} and its row does not name that scene",
                    mark.experiment, file.path
                ));
            }
        }
    }
    faults.dedup();
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str = "[[experiment]]\nid = 'O-01'\nsays = 's'\nverdict = 'agrees'\nours = 'o'\nrun = 'r'\n";
    const SCENE: &str = "guards = ['scenes/a.toml']\ncontrol = { guard = 'scenes/a.toml', fails = 'f' }\n";
    const TEST: &str = "guards = ['crates/x.rs::f']\ncontrol = { guard = 'crates/x.rs::g', fails = 'f' }\n";

    const PROBLEM: &str = "[[problem]]\nid = 'P-01'\nsays = 's'\nverdict = 'open'\nbecause = 'b'\n";

    fn faults(rows: &str, expectations: &str) -> Vec<String> {
        faults_of(rows, PROBLEM, expectations)
    }

    fn faults_of(rows: &str, problem: &str, expectations: &str) -> Vec<String> {
        let file = |path: &str, text: &str| TextFile { path: path.to_owned(), text: text.to_owned() };
        check(&[
            file(
                "docs/sources.json",
                r#"[{"id": "A-01", "what": "w", "source": "s"}, {"id": "O-01", "what": "w", "source": "s"},
                    {"id": "P-01", "what": "w", "source": "s"}]"#,
            ),
            file("docs/experiments.toml", rows),
            file("docs/open-problems.toml", problem),
            file("scenes/a.toml", ""),
            file("scenes/a.expect.toml", expectations),
            file("crates/x.rs", "#[test]\nfn f() {}\n#[test]\n#[should_panic]\nfn g() {}\nfn h() {}\n"),
        ])
    }

    #[test]
    fn a_row_is_held_to_what_it_names() {
        let marked = "[[expect]]\nexperiment = 'O-01'\n[[expect]]\nexperiment = 'O-01'\ncontrol = true\n";
        assert_eq!(faults(&format!("{ROW}{SCENE}"), marked), Vec::<String>::new());
        assert_eq!(faults(&format!("{ROW}{TEST}"), ""), Vec::<String>::new());
        assert_eq!(faults(&format!("{ROW}{SCENE}"), "").len(), 2, "neither guard nor control is marked");
        assert_eq!(faults(&format!("{ROW}{TEST}"), marked).len(), 1, "marked where the row names another guard");
        assert_eq!(faults(&format!("{ROW}{}", TEST.replace("::g", "::h")), "").len(), 1, "not a test");
        assert_eq!(faults(ROW, "").len(), 1, "agrees without guard and control");
        assert_eq!(faults(&ROW.replace("agrees", "open"), "").len(), 1, "no reason");
        assert_eq!(faults("experiment = []", "").len(), 1, "a missing row");
        assert!(faults(&ROW.replace("says", "said"), "")[0].contains("said"));
    }

    #[test]
    fn so_is_a_problem() {
        let row = format!("{ROW}{TEST}");
        let solved = PROBLEM.replace("open", "solved");
        assert_eq!(faults_of(&row, &solved, "").len(), 3, "solved without a guard, a figure and a command");
        assert_eq!(faults_of(&row, &format!("{solved}ours = 'o'\nrun = 'r'\n{TEST}"), ""), Vec::<String>::new());
        assert_eq!(faults_of(&row, &PROBLEM.replace("because = 'b'", ""), "").len(), 1, "no reason");
        assert_eq!(faults_of(&row, &PROBLEM.replace("open", "differs"), "").len(), 1, "a verdict of the other list");
        assert_eq!(faults_of(&row, "problem = []", "").len(), 1, "a missing row");
    }
}
