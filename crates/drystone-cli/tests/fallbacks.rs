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
