//! The sums in the figures of a run equal what its steps report.

use crate::common::{FULL, catalogue};
use drystone_core::{BodyProperties, ContactGraph, SolveReport, TimeReport};
use drystone_scene::Scene;
use drystone_scene::figures::{FigureRecorder, Figures, PhaseTimes, RunEnd, RunInfo, StepRecord};

/// The figures of a run whose steps have these reports.
fn figures(reports: &[TimeReport]) -> Figures {
    let built = Scene::from_toml_str(FULL, &catalogue()).unwrap().build().unwrap();
    let mut recorder = FigureRecorder::new(RunInfo::default(), &built.configuration, &built.state, reports.len());
    let graph = ContactGraph::default();
    for report in reports {
        let step = StepRecord { report: *report, ..StepRecord::default() };
        recorder.step(&step, &built.configuration, &built.state, &graph);
    }
    let joint_names = vec![String::new(); built.configuration.joints.len()];
    let (names, joint_names) = (&built.names, &joint_names);
    let end = RunEnd { configuration: &built.configuration, state: &built.state, graph: &graph, names, joint_names };
    recorder.finish(&end, 0.0, &PhaseTimes::default())
}

/// The numbers are chosen so that no sum is a product, and no two sums are equal.
#[test]
fn counts_are_sums_over_steps_of_solves_and_corrections() {
    let solve = |fallbacks, inconsistent| SolveReport {
        fallbacks,
        inconsistent,
        jammed: 3 * inconsistent,
        ..SolveReport::default()
    };
    let report = |k: u64| TimeReport {
        contacts: 3 + k,
        groups: 5 + k,
        solve: solve(7 + k, 11 + k),
        correction: solve(100 + k, 0),
        rollbacks: 13 + k,
        concave: 17 + k,
        tunnelled: 19 + k,
        unsettled: 23 + k,
        ..TimeReport::default()
    };
    let f = figures(&[report(0), report(2), report(1)]);
    assert_eq!((f.contacts.min, f.contacts.mean, f.contacts.max), (3, 4.0, 5));
    assert_eq!((f.groups.mean, f.groups.max), (6.0, 7));
    assert_eq!(f.lcp.fallbacks, (7 + 9 + 8) + (100 + 102 + 101));
    assert_eq!(f.lcp.inconsistent, 11 + 13 + 12);
    assert_eq!(f.lcp.jammed, 3 * (11 + 13 + 12));
    assert_eq!((f.rollbacks.count, f.rollbacks.max, f.rollbacks.concave), (13 + 15 + 14, 15, 17 + 19 + 18));
    assert_eq!(f.tunnelled, 19 + 21 + 20);
    assert_eq!(f.lcp.unsettled, 23 + 25 + 24);
}

/// A step counts as awake by the state that it begins with: the step in which bodies fall asleep is one, and so is none after it.
#[test]
fn times_are_told_apart_by_whether_anything_was_awake() {
    let built = Scene::from_toml_str(FULL, &catalogue()).unwrap().build().unwrap();
    let (configuration, mut state) = (&built.configuration, built.state.clone());
    let dynamic: Vec<bool> = configuration.bodies.iter().map(BodyProperties::is_dynamic).collect();
    let awake_after = [true, true, false, false, true, false, false, false];
    let mut recorder = FigureRecorder::new(RunInfo::default(), configuration, &state, awake_after.len());
    let graph = ContactGraph::default();
    for (k, awake) in awake_after.into_iter().enumerate() {
        for (sleeps, is_dynamic) in state.sleepy.iter_mut().zip(&dynamic) {
            *sleeps = *is_dynamic && !awake;
        }
        // one body that is awake is enough
        if k == 1 {
            let first = dynamic.iter().position(|d| *d).unwrap();
            state.sleepy.iter_mut().zip(&dynamic).filter(|(_, d)| **d).for_each(|(s, _)| *s = true);
            state.sleepy[first] = false;
        }
        let step = StepRecord { seconds: 1e-3 * (k + 1) as f64, ..StepRecord::default() };
        recorder.step(&step, configuration, &state, &graph);
    }
    let joint_names = vec![String::new(); configuration.joints.len()];
    let (names, joint_names) = (&built.names, &joint_names);
    let end = RunEnd { configuration, state: &state, graph: &graph, names, joint_names };
    let f = recorder.finish(&end, 0.0, &PhaseTimes::default());
    // awake at the beginning: steps 1, 2, 3 and 6, of 8
    assert_eq!((f.asleep_share, f.step_ms.mean), (0.5, 4.5));
    assert!((f.awake_ms.mean - 3.0).abs() < 1e-12 && (f.awake_ms.max - 6.0).abs() < 1e-12, "{:?}", f.awake_ms);
}
