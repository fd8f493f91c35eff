//! A problem that a run wrote down gives the same multipliers when it is solved again.

use drystone_cli::{Overrides, load_dumping, simulate};
use drystone_lcp::{LcpDump, LcpSolver, ProjectedGaussSeidel};
use indicatif::ProgressBar;

#[test]
fn replayed_problems_give_the_multipliers_of_the_run() {
    let dir = std::env::temp_dir().join(format!("drystone-dump-{}", std::process::id()));
    let set = vec!["simulation.lcp.warm_start=true".to_owned()];
    let overrides = Overrides { paradigm: Some("velocity-lcp".to_owned()), set, ..Overrides::default() };
    let (mut loaded, written) = load_dumping(&drystone::Registry::default(), "box-stack", &overrides, &dir).unwrap();
    simulate(&mut loaded, Some(4), 0, None, &ProgressBar::hidden()).unwrap();
    written.finish().unwrap();
    let mut files: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 4, "one group, one problem a step");
    for file in &files {
        let dump: LcpDump = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        assert_eq!((dump.scene.as_str(), dump.solver.as_str()), ("box-stack", "projected-gauss-seidel"));
        let expected = dump.multipliers.clone();
        let (problem, mut x) = dump.into_problem().unwrap();
        ProjectedGaussSeidel::with_iterations(10).solve(&problem.view(), &mut x).unwrap();
        for (a, b) in x.iter().zip(&expected) {
            // the run solves contact by contact, the replay row by row: rounding apart
            assert!((a - b).abs() < 1e-10, "{}: {a} against {b}", file.display());
        }
    }
    std::fs::remove_dir_all(&dir).unwrap();
}
