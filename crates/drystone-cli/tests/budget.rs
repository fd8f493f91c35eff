//! Scenes with a budget: the allowed cost of a time step decides how many steps it is divided into, and how many iterations are left out.

use drystone_cli::{Loaded, Overrides, Simulated, load, simulate};
use drystone_scene::figures::state_hash;
use indicatif::ProgressBar;
use std::path::PathBuf;

/// A column of twenty boxes that never sleeps, with fifty sweeps: 80 contacts, 4100 visits per step.
const COLUMN: &str = r#"
[scene]
name = "column"
source = "ours"
description = "a column under a budget"
duration = 0.5

[simulation]
paradigm = "velocity-lcp"
time_step = 0.02

[simulation.lcp]
iterations = 50

[[bodies]]
name = "ground"
kind = "fixed"
shape = { plane = { normal = [0, 1, 0], offset = 0.0 } }

[[bodies]]
name = "box"
shape = { box = { half_extents = [0.5, 0.5, 0.5] } }
position = [0, 0.5, 0]
repeat = { count = [1, 20, 1], step = [0, 1, 0] }
"#;

/// The column, with settings given as to `--set`.
fn column(name: &str, set: &[&str]) -> Result<Loaded, String> {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("budget-{name}.toml"));
    std::fs::write(&file, COLUMN).unwrap();
    let set = set.iter().map(|s| (*s).to_owned()).collect();
    load(file.to_str().unwrap(), &Overrides { set, ..Overrides::default() }).map_err(|e| e.to_string())
}

fn run(name: &str, set: &[&str]) -> Result<Simulated, String> {
    let mut loaded = column(name, set)?;
    simulate(&mut loaded, None, 0, None, &ProgressBar::hidden()).map_err(|e| e.to_string())
}

#[test]
fn a_scene_spends_its_budget_on_steps_and_saves_iterations_where_it_must() {
    let plain = run("none", &[]).unwrap().figures;
    assert_eq!((plain.steps, plain.budget), (25, None));
    assert!(!serde_json::to_string(&plain).unwrap().contains("budget"));

    let rich = run("rich", &["simulation.budget={operations=1e6,steps=4}"]).unwrap().figures;
    let came_to = rich.budget.unwrap();
    assert_eq!((rich.steps, came_to.frames, came_to.over), (100, 25, 0));
    assert_eq!((came_to.fewest_steps, came_to.most_steps, came_to.fewest_iterations), (4, 4, None));

    let tight = |name: &str, more: &str| {
        let budget = format!("simulation.budget={{operations=2500{more}}}");
        run(name, &[&budget]).unwrap().figures.budget.unwrap()
    };
    let saved = tight("saved", ",fewest_iterations=4");
    // the first time step goes over the budget: only then is the cost of a step known
    assert_eq!((saved.frames, saved.over, saved.fewest_steps), (25, 1, 1));
    assert!(saved.fewest_iterations.is_some_and(|k| (4..31).contains(&k)), "{saved:?}");
    // the control: if no iteration may be left out, even one step is too expensive; it is taken all the same
    let spent = tight("spent", "");
    assert_eq!((spent.over, spent.fewest_iterations), (25, None));
}

#[test]
fn a_budget_has_one_unit() {
    for (name, set, wanted) in [
        ("two", "simulation.budget={operations=1,seconds=1}", "either operations or seconds"),
        ("no", "simulation.budget={steps=3}", "either operations or seconds"),
        ("zero", "simulation.budget.operations=0", "above zero"),
        ("word", "simulation.budget={operation=3}", "operations"),
    ] {
        let error = run(name, &[set]).err().unwrap();
        assert!(error.contains(wanted) && error.contains("budget"), "{name}: {error}");
    }
    assert!(run("clock", &["simulation.budget.seconds=3600"]).is_ok());
}

#[test]
fn every_front_end_spends_the_budget_and_comes_back_with_its_plan() {
    let set = ["simulation.budget={operations=2500,fewest_iterations=4}"];
    let expected = run("run", &set).unwrap().figures.state_hash;
    let mut loaded = column("step", &set).unwrap();
    let step = |loaded: &mut Loaded, count: u32| -> String {
        for _ in 0..count {
            loaded.advance(loaded.time_step).unwrap();
        }
        state_hash(loaded.world.state())
    };
    step(&mut loaded, 10);
    let kept = loaded.keep();
    let written = loaded.read(&kept.world.to_bytes()).unwrap();
    assert_eq!(step(&mut loaded, 15), expected);
    loaded.come_back(&kept).unwrap();
    assert_eq!(step(&mut loaded, 15), expected);
    // the controls: a plan that starts afresh, and no plan at all
    loaded.come_back(&written).unwrap();
    assert_ne!(step(&mut loaded, 15), expected);
    let mut without = column("without", &[]).unwrap();
    assert!(without.pacer.is_none());
    assert_ne!(step(&mut without, 25), expected);
}
