//! A problem that a run wrote to a file gives the same multipliers when it is solved again.

use drystone_cli::{Overrides, load_dumping, simulate};
use drystone_lcp::{LcpSolver, ProjectedGaussSeidel};
use drystone_lcp_files::LcpDump;
use indicatif::ProgressBar;
use std::path::PathBuf;

fn dumped(scene: &str, further: &[&str]) -> Vec<(PathBuf, LcpDump)> {
    let dir = std::env::temp_dir().join(format!("drystone-dump-{scene}-{}", std::process::id()));
    let set = ["simulation.lcp.warm_start=true"].iter().chain(further).map(|s| (*s).to_owned()).collect();
    let overrides = Overrides { paradigm: Some("velocity-lcp".to_owned()), set, ..Overrides::default() };
    let (mut loaded, written) = load_dumping(&drystone::Registry::default(), scene, &overrides, &dir).unwrap();
    simulate(&mut loaded, Some(4), 0, None, &ProgressBar::hidden()).unwrap();
    written.finish().unwrap();
    let mut files: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    let read = |file: PathBuf| {
        let dump = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        (file, dump)
    };
    let dumps = files.into_iter().map(read).collect();
    std::fs::remove_dir_all(&dir).unwrap();
    dumps
}

#[test]
fn replayed_problems_give_the_multipliers_of_the_run() {
    let dumps = dumped("box-stack", &[]);
    assert_eq!(dumps.len(), 4, "one group, one problem a step");
    for (file, dump) in dumps {
        assert_eq!((dump.scene.as_str(), dump.solver.as_str()), ("box-stack", "projected-gauss-seidel"));
        let expected = dump.multipliers.clone();
        let (problem, mut x) = dump.into_problem().unwrap();
        ProjectedGaussSeidel::with_iterations(10).solve(&problem.view(), &mut x).unwrap();
        for (a, b) in x.iter().zip(&expected) {
            // the run solves contact by contact, the replay row by row: equal up to rounding
            assert!((a - b).abs() < 1e-10, "{}: {a} against {b}", file.display());
        }
    }
}

/// Sweeps over joints start from the joints' own solution; the dumped problem contains it as its start.
#[test]
fn a_problem_with_joints_begins_where_the_run_did() {
    let dumps = dumped(
        "chain-hanging",
        &["simulation.lcp.solver=projected-gauss-seidel", "simulation.constraint_solver.geometric_stiffness=0"],
    );
    assert!(!dumps.is_empty());
    for (file, dump) in dumps {
        let expected = dump.multipliers.clone();
        let (problem, mut x) = dump.into_problem().unwrap();
        ProjectedGaussSeidel::with_iterations(10).solve(&problem.view(), &mut x).unwrap();
        let size = expected.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        for (a, b) in x.iter().zip(&expected) {
            assert!((a - b).abs() < 1e-10 * size, "{}: {a} against {b}", file.display());
        }
    }
}
