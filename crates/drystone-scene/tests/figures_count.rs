//! The sums in the figures of a run equal what its steps report.

mod common;

use common::{FULL, catalogue};
use drystone_core::{ContactGraph, SolveReport, TimeReport};
use drystone_scene::Scene;
use drystone_scene::figures::{FigureRecorder, Figures, PhaseTimes, RunEnd, RunInfo, StepRecord};

/// The figures of a run whose steps have these reports.
fn figures(reports: &[TimeReport]) -> Figures {
    let built = Scene::from_toml_str(FULL, &catalogue()).unwrap().build().unwrap();
    let mut recorder = FigureRecorder::new(RunInfo::default(), &built.configuration, &built.state, reports.len());
    for report in reports {
        let step = StepRecord { report: *report, ..StepRecord::default() };
        recorder.step(&step, &built.configuration, &built.state);
    }
    let (graph, joint_names) = (ContactGraph::default(), vec![String::new(); built.configuration.joints.len()]);
    let (names, joint_names) = (&built.names, &joint_names);
    let end = RunEnd { configuration: &built.configuration, state: &built.state, graph: &graph, names, joint_names };
    recorder.finish(&end, 0.0, &PhaseTimes::default())
}

/// The numbers are chosen so that no sum is a product, and no two sums are equal.
#[test]
fn counts_are_sums_over_steps_of_solves_and_corrections() {
    let solve = |fallbacks, inconsistent| SolveReport { fallbacks, inconsistent, ..SolveReport::default() };
    let report = |k: u64| TimeReport {
        contacts: 3 + k,
        groups: 5 + k,
        solve: solve(7 + k, 11 + k),
        correction: solve(100 + k, 0),
        rollbacks: 13 + k,
        concave: 17 + k,
        tunnelled: 19 + k,
        ..TimeReport::default()
    };
    let f = figures(&[report(0), report(2), report(1)]);
    assert_eq!((f.contacts.min, f.contacts.mean, f.contacts.max), (3, 4.0, 5));
    assert_eq!((f.groups.mean, f.groups.max), (6.0, 7));
    assert_eq!(f.lcp.fallbacks, (7 + 9 + 8) + (100 + 102 + 101));
    assert_eq!(f.lcp.inconsistent, 11 + 13 + 12);
    assert_eq!((f.rollbacks.count, f.rollbacks.max, f.rollbacks.concave), (13 + 15 + 14, 15, 17 + 19 + 18));
    assert_eq!(f.tunnelled, 19 + 21 + 20);
}
