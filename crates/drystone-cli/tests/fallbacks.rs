//! If a solver cannot take a problem, the figures count the fallback.

use drystone_cli::{Overrides, load, simulate};
use indicatif::ProgressBar;

/// 720 boxes packed face to face in all directions: one group with more rows than a dense method takes.
const PACKED: &str = r#"
[scene]
name = "packed"
source = "ours"
description = "a packed block of boxes"
duration = 0.01

[simulation]
paradigm = "velocity-lcp"
time_step = 0.01

[[bodies]]
name = "ground"
kind = "fixed"
shape = { plane = { normal = [0, 1, 0], offset = 0.0 } }

[[bodies]]
name = "box"
shape = { box = { half_extents = [0.5, 0.5, 0.5] } }
position = [0, 0.5, 0]
repeat = { count = [12, 5, 12], step = [1, 1, 1] }
"#;

#[test]
fn a_problem_too_large_for_its_solver_is_counted() {
    let file = std::env::temp_dir().join(format!("drystone-packed-{}.toml", std::process::id()));
    std::fs::write(&file, PACKED).unwrap();
    let fallbacks = |solver: &str| {
        let set = vec![format!("simulation.lcp.solver={solver}")];
        let mut loaded = load(file.to_str().unwrap(), &Overrides { set, ..Overrides::default() }).unwrap();
        let done = simulate(&mut loaded, Some(1), 0, None, &ProgressBar::hidden()).unwrap();
        assert!(done.figures.lcp.variables_max > 1 << 14, "{}", done.figures.lcp.variables_max);
        done.figures.lcp.fallbacks
    };
    let found = (fallbacks("projected-gauss-seidel"), fallbacks("dantzig"));
    std::fs::remove_file(&file).unwrap();
    assert_eq!(found, (0, 1));
}

/// A sliding box: four contacts with friction.
const SLIDING: &str = r#"
[scene]
name = "sliding"
source = "ours"
description = "a box that slides"
duration = 0.05

[simulation]
paradigm = "velocity-lcp"
time_step = 0.01

[[bodies]]
name = "ground"
kind = "fixed"
shape = { plane = { normal = [0, 1, 0], offset = 0.0 } }

[[bodies]]
name = "box"
shape = { box = { half_extents = [0.5, 0.5, 0.5] } }
position = [0, 0.5, 0]
linear_velocity = [2, 0, 0.3]
"#;

/// Lemke's method answers where the chosen solver cannot solve a pyramid, which is no symmetric problem. Each such answer counts.
#[test]
fn a_solver_that_is_replaced_on_pyramids_is_counted() {
    let file = std::env::temp_dir().join(format!("drystone-sliding-{}.toml", std::process::id()));
    std::fs::write(&file, SLIDING).unwrap();
    let counted = |solver: &str| {
        let set = ["constraint_solver.friction=pyramid".to_owned(), format!("lcp.solver={solver}")];
        let set = set.iter().map(|s| format!("simulation.{s}")).collect();
        let mut loaded = load(file.to_str().unwrap(), &Overrides { set, ..Overrides::default() }).unwrap();
        let done = simulate(&mut loaded, Some(5), 0, None, &ProgressBar::hidden()).unwrap();
        (done.figures.lcp.fallbacks, done.figures.lcp.solves)
    };
    let [sweeps, lemke] = ["projected-gauss-seidel", "lemke"].map(counted);
    std::fs::remove_file(&file).unwrap();
    assert!(sweeps.0 > 0 && sweeps.0 <= sweeps.1, "{sweeps:?}");
    assert_eq!(lemke.0, 0, "{lemke:?}");
}

/// A step that is posed again until its answer no longer changes says so if its iterations do not suffice.
#[test]
fn iterations_that_do_not_settle_are_counted_and_told() {
    let file = std::env::temp_dir().join(format!("drystone-unsettled-{}.toml", std::process::id()));
    // on a corner: the contact moves within the step
    let tipping = SLIDING
        .replace("position = [0, 0.5, 0]", "position = [0, 0.6, 0]\norientation = { axis = [0, 0, 1], degrees = 20 }");
    std::fs::write(&file, tipping.replace("duration = 0.05", "duration = 0.3")).unwrap();
    let run = |iterations: usize| {
        let set = ["time_control.kind=fixed-point".to_owned(), format!("time_control.iterations={iterations}")];
        let set = set.iter().map(|s| format!("simulation.{s}")).collect();
        let mut loaded = load(file.to_str().unwrap(), &Overrides { set, ..Overrides::default() }).unwrap();
        simulate(&mut loaded, Some(30), 0, None, &ProgressBar::hidden()).unwrap().figures.lcp
    };
    let [few, enough] = [2, 1000].map(run);
    std::fs::remove_file(&file).unwrap();
    assert!(few.unsettled > 5 && few.steps_not_converged >= few.unsettled, "{few:?}");
    assert_eq!(enough.unsettled, 0, "{enough:?}");
}
